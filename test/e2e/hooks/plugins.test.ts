import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { callTool, connectStdio, PROGRAM, temporaryFolder, until } from '../support/program.ts';

/** The plugins as they are packed with the server, with the real server beside them, and a host that is this test. */
const bundled = (name: string) =>
  import(new URL(`../../../packages/server/dist/plugins/${name}.mjs`, import.meta.url).href);

const log = Array.from({ length: 600 }, (_, line) => `INFO read row ${line} of the import`).join('\n');
const SUMMARY = 'Row 7 is empty.';

/** Everything that stands behind a handle. */
async function expanded(
  call: (input: object) => Promise<Record<string, unknown>>,
  handle: string,
): Promise<string> {
  let text = '';
  for (let page = 1, pages = 1; page <= pages; page++) {
    const { items, total_pages } = await call({ handle, page, per_page: 50 });
    pages = Number(total_pages);
    text += (items as { text: string }[]).map((item) => item.text).join('');
  }
  return text;
}

/** As the model reads it. */
const foldedIn = (text: string) => Number(/"tokens_folded":\s*(\d+)/.exec(text)?.[1]);

type Hook = (input: unknown, output: unknown) => Promise<void>;

test('OpenCode: a branch with a tool of the host is metered, folded and brought back', async () => {
  verifies('WIN-02');
  verifies('HOST-05');
  const [data, project] = [temporaryFolder(), temporaryFolder()];
  const { client } = await connectStdio('2025', data);
  await until(() => existsSync(join(data, 'hooks.sock')));
  const { default: plugin } = await bundled('opencode');
  const hooks: Record<string, Hook> = await plugin.server({ directory: project }, { data });
  await hooks.config!({ mcp: { infold: { enabled: true } } }, undefined);
  await hooks['experimental.chat.system.transform']!({ sessionID: 'ses_e2e' }, { system: [] });

  const messages: object[] = [
    {
      info: {
        id: 'msg_0',
        sessionID: 'ses_e2e',
        role: 'user',
        model: { providerID: 'openai', modelID: 'gpt-5.2' },
      },
      parts: [{ type: 'text', text: 'Why does the import stop?' }],
    },
  ];
  const add = (callID: string, tool: string, input: object, output: string) =>
    messages.push({
      info: { id: `msg_${callID}`, sessionID: 'ses_e2e', role: 'assistant' },
      parts: [
        { type: 'step-start' },
        { type: 'tool', tool, callID, state: { status: 'completed', input, output } },
      ],
    });
  const ours = async (callID: string, tool: string, input: object) => {
    const answer = await callTool(client, tool, input);
    expect(answer.isError).not.toBe(true);
    add(callID, `infold_${tool}`, input, answer.content[0]!.text);
    return answer.content[0]!.text;
  };

  await ours('1', 'context_branch', {
    project_path: project,
    description: 'Read the log',
    prompt: 'Find the row.',
  });
  const command = { command: 'npm run import' };
  await hooks['tool.execute.after']!(
    { tool: 'bash', sessionID: 'ses_e2e', callID: '2', args: command },
    { title: '', output: log, metadata: {} },
  );
  add('2', 'bash', command, log);
  const returned = await ours('3', 'context_return', { project_path: project, message: SUMMARY });
  // The host's own tool is most of what was done in the branch.
  expect(foldedIn(returned)).toBeGreaterThan(4000);

  const output = { messages: [...messages] };
  await hooks['experimental.chat.messages.transform']!({}, output);
  expect(output.messages).toHaveLength(2);
  const sent = JSON.stringify(output.messages);
  expect(sent).toContain(SUMMARY);
  expect(sent).not.toContain('read row 300');
  const handle = /win_[a-z0-9]{20}/.exec(sent)![0];
  const original = await expanded(
    async (input) => (await callTool(client, 'context_expand', input)).structuredContent,
    handle,
  );
  expect(original).toContain('read row 300');
  await hooks.dispose!(undefined, undefined);
  expect(readdirSync(join(data, 'plugins', 'opencode'))).toEqual(['ses_e2e.jsonl']);
});

test('the folder for hosts that take plugins is packed with the server, whole', () => {
  const root = new URL('../../..', import.meta.url);
  const { files } = JSON.parse(readFileSync(new URL('packages/server/package.json', root), 'utf8'));
  expect(files).toContain('plugin');
  const filesIn = (path: string) =>
    readdirSync(new URL(path, root), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort();
  const [own, packed] = ['plugin', 'packages/server/plugin'].map(filesIn);
  const texts = (paths: readonly string[]) => paths.map((path) => readFileSync(path, 'utf8'));
  expect(own!.length).toBeGreaterThan(10);
  expect(texts(packed!)).toEqual(texts(own!));
});

interface PiTool {
  execute(
    id: string,
    input: object,
    signal: undefined,
    update: undefined,
    context: object,
  ): Promise<PiResult>;
}
interface PiResult {
  content: { type: 'text'; text: string }[];
}

test('Pi: the extension starts Infold, offers its tools, folds and brings back', async () => {
  verifies('WIN-02');
  verifies('HOST-05');
  const [data, project] = [temporaryFolder(), temporaryFolder()];
  const { infold } = await bundled('pi');
  const handlers = new Map<string, (event: object, context: object) => Promise<unknown>>();
  const tools = new Map<string, PiTool>();
  const context = {
    cwd: project,
    sessionManager: { getSessionId: () => 'pi-e2e', getSessionFile: () => undefined },
    model: { id: 'gpt-5.2', provider: 'openai' },
  };
  const emit = (name: string, event: object) => handlers.get(name)!(event, context);
  infold({ data, command: [process.execPath, PROGRAM] })({
    on: (name: string, handler: never) => handlers.set(name, handler),
    registerTool: (tool: PiTool & { name: string }) => tools.set(tool.name, tool),
  });
  onTestFinished(async () => {
    await emit('session_shutdown', { reason: 'quit' });
  });
  await emit('session_start', { reason: 'startup' });
  expect(tools.size).toBeGreaterThan(20);
  await until(() => existsSync(join(data, 'hooks.sock')));

  const messages: object[] = [{ role: 'user', content: 'Why does the import stop?' }];
  const add = async (id: string, name: string, input: object, text: string) => {
    const content = [{ type: 'text', text }];
    await emit('tool_result', { toolCallId: id, toolName: name, input, content, isError: false });
    messages.push(
      { role: 'assistant', content: [{ type: 'toolCall', id, name, arguments: input }] },
      { role: 'toolResult', toolCallId: id, content },
    );
  };
  const call = async (id: string, name: string, input: object) => {
    const { content } = await tools.get(name)!.execute(id, input, undefined, undefined, context);
    return content[0]!.text;
  };
  const ours = async (id: string, name: string, input: object) => {
    const text = await call(id, name, input);
    await add(id, name, input, text);
    return text;
  };

  const branch = { project_path: project, description: 'Read the log', prompt: 'Find the row.' };
  await ours('1', 'infold_context_branch', branch);
  await add('2', 'bash', { command: 'npm run import' }, log);
  const returned = await ours('3', 'infold_context_return', { project_path: project, message: SUMMARY });
  expect(foldedIn(returned)).toBeGreaterThan(4000);
  // Each call once: ours are known to the server, too.
  expect(foldedIn(returned)).toBeLessThan(10_000);

  const { messages: sent } = (await emit('context', { messages })) as { messages: object[] };
  expect(sent).toHaveLength(3);
  expect(JSON.stringify(sent)).not.toContain('read row 300');
  const handle = /win_[a-z0-9]{20}/.exec(JSON.stringify(sent))![0];
  const original = await expanded(
    async (input) => JSON.parse(await call('4', 'infold_context_expand', input)) as Record<string, unknown>,
    handle,
  );
  expect(original).toContain('read row 300');
});

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { problemsOf } from '../../../packages/client/src/window/validators.suite.ts';
import { verifies } from '../../requirements.ts';
import { SAMPLE_CONFIG } from '../samples.ts';
import { PROGRAM, run, runJson, temporaryFolder } from '../support.ts';
import { DIALECTS, type Dialect } from './dialects.ts';
import { type HostName, installed, removeInstalled } from './installed.ts';
import { branchAndRecords, END, PAGES, type Spelling, SUMMARY } from './script.ts';
import { startScriptedModel } from './scripted-model.ts';
import { tapInto } from './tap.ts';

interface Tried {
  args: string[];
  env: Record<string, string>;
  spelling: Spelling;
  /** What of the conversation is left of it at most, in the last prompt. */
  most: number;
  /** What a person has set up before. */
  settings?(ours: object): Record<string, unknown>;
}

const KEY = 'not-a-key';
const SEARCHED = ['context_branch', 'context_return', 'search_records', 'store_analysis_memory'];

const HOSTS: Record<HostName, Tried> = {
  codex: {
    args: ['exec', '--skip-git-repo-check', '-s', 'danger-full-access', '-m', 'gpt-5.4', 'Go on.'],
    env: { CODEX_API_KEY: KEY },
    spelling: {
      ours: (name) => `mcp__infold/${name}`,
      search: () => ({ tool: 'tool_search', input: { query: 'context branch, records', limit: 30 } }),
      read: (file) => ({ tool: 'exec_command', input: { cmd: `cat ${file}` } }),
    },
    most: 0.3,
  },
  gemini: {
    args: ['-m', 'gemini-2.5-pro', '--yolo', '-p', 'Go on.'],
    env: { GEMINI_API_KEY: KEY, GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    spelling: {
      ours: (name) => `mcp_infold_${name}`,
      read: (file) => ({ tool: 'read_file', input: { file_path: file } }),
    },
    most: 0.15,
    settings: (ours) => ({
      '.gemini/settings.json': {
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
        mcpServers: { infold: ours },
      },
    }),
  },
  'claude-code': {
    args: ['-p', 'Go on.', '--allowedTools', 'mcp__infold', 'Read'],
    env: { ANTHROPIC_API_KEY: KEY },
    spelling: {
      ours: (name) => `mcp__infold__${name}`,
      search: () => ({
        tool: 'ToolSearch',
        input: {
          query: `select:${SEARCHED.map((name) => `mcp__infold__${name}`).join(',')}`,
          max_results: 10,
        },
      }),
      read: (file) => ({ tool: 'Read', input: { file_path: file } }),
    },
    most: 0.15,
  },
  qwen: {
    args: ['--auth-type', 'openai', '--yolo', '-p', 'Go on.'],
    env: { OPENAI_API_KEY: KEY, OPENAI_MODEL: 'gpt-5.4' },
    spelling: {
      ours: (name) => `mcp__infold__${name}`,
      read: (file) => ({ tool: 'read_file', input: { file_path: file } }),
    },
    most: 0.15,
  },
  opencode: {
    args: ['run', '-m', 'anthropic/claude-sonnet-4-5', 'Go on.'],
    env: { ANTHROPIC_API_KEY: KEY, OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
    spelling: {
      ours: (name) => `infold_${name}`,
      read: (file) => ({ tool: 'read', input: { filePath: file } }),
    },
    most: 0.15,
  },
};

/** A home, a project, a data folder and a configuration whose upstreams are the scripted model. */
function prepare(model: string) {
  const folder = temporaryFolder();
  const place = (path: string) => join(folder, path);
  for (const path of ['bin', 'home', 'project']) mkdirSync(place(path));
  const file = place('project/notes.md');
  writeFileSync(file, Array.from({ length: 600 }, (_, line) => `Note ${line} says nothing new.`).join('\n'));
  const records = join(dirname(SAMPLE_CONFIG), 'activities.jsonl');
  const upstreams = Object.fromEntries(
    ['anthropic', 'openai', 'gemini'].map((name) => [name, { url: model }]),
  );
  const config = place('infold.config.json');
  const sources = { activity: { type: 'jsonl', path: records, id: 'id' } };
  writeFileSync(config, JSON.stringify({ port: 1, sources, window: { upstreams } }));
  return { folder, place, file, data: place('data'), config };
}

const parse = (bytes: Buffer) => JSON.parse(bytes.toString()) as Record<string, unknown>;

/** Characters of what was said since the first prompt. Definitions of tools that were searched for are not counted. */
function conversationPart(
  dialect: Dialect,
  first: Record<string, unknown>,
  last: Record<string, unknown>,
): number {
  const size = (body: Record<string, unknown>) =>
    JSON.stringify(dialect.conversation(body).filter(({ type }) => !String(type).startsWith('tool_search')))
      .length;
  return size(last) - size(first);
}

const wanted = process.env.INFOLD_TEST_HOSTS;
const names = Object.keys(HOSTS) as HostName[];

/** On demand: they are large, some are not free software, and none of them is needed for anything else. */
describe.skipIf(!wanted)('infold run with the real hosts (INFOLD_TEST_HOSTS=1)', () => {
  afterAll(removeInstalled);

  const cases = names.flatMap((name) => [[name, 'without tokens'] as const, [name, 'with a token'] as const]);
  test.each(cases)('%s, %s', { timeout: 300_000 }, async (name, access) => {
    verifies('WIN-08');
    const { args, env, spelling, most, settings } = HOSTS[name];
    const { bin, program } = installed(name);
    const world = await startWorld(name);
    const { model, place, data, config, script } = world;
    const tapped = tapInto(place('bin'), program, join(bin, program));
    const ours = {
      command: process.execPath,
      args: [PROGRAM, 'stdio', '--data', data, '--config', config],
      trust: true,
    };
    for (const [path, content] of Object.entries(settings?.(ours) ?? {})) {
      mkdirSync(dirname(place(`home/${path}`)), { recursive: true });
      writeFileSync(place(`home/${path}`), JSON.stringify(content));
    }
    if (access === 'with a token') await runJson(data, 'token', 'create', '--name', 'somebody');
    const receiptFile = place('receipt.json');
    const ended = await run(
      ['--data', data, '--config', config, 'run', '--receipt', receiptFile, name, '--', ...args],
      {
        env: { PATH: [place('bin'), bin, process.env.PATH].join(':'), HOME: place('home'), ...env },
        cwd: place('project'),
      },
    );
    await model.close();
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stdout + ended.stderr).toContain(END);
    expect(model.asked).toHaveLength(script.length);

    const dialect = DIALECTS[model.asked[0]!.dialect];
    const sent = tapped().filter(
      ({ path, bytes }) => dialect.matches.test(path.split('?')[0]!) && dialect.offersTools(parse(bytes)),
    );
    expect(sent).toHaveLength(model.asked.length);
    for (const [index, asked] of model.asked.entries()) {
      expect(problemsOf(asked.dialect, asked.body, parse(sent[index]!.bytes)), `request ${index}`).toEqual(
        [],
      );
      expect(asked.bytes.length).toBeLessThanOrEqual(sent[index]!.bytes.length);
    }
    // Before anything was used up there is nothing to take out.
    const untouched = spelling.search ? 4 : 3;
    for (let index = 0; index < untouched; index++) {
      expect(model.asked[index]!.bytes.equals(sent[index]!.bytes), `request ${index}`).toBe(true);
    }
    expect(model.asked.at(-1)!.bytes.toString()).toContain(SUMMARY);
    const part = (bodies: readonly { bytes: Buffer }[]) =>
      conversationPart(dialect, parse(bodies[0]!.bytes), parse(bodies.at(-1)!.bytes));
    const share = part(model.asked) / part(sent);
    console.log(
      `${name}, ${access}: ${part(sent)} characters of conversation became ${part(model.asked)} (${share.toFixed(3)})`,
    );

    const receipt = JSON.parse(readFileSync(receiptFile, 'utf8'));
    expect(receipt).toMatchObject({ exit_code: 0 });
    expect(receipt.requests).toBeGreaterThanOrEqual(script.length);
    expect(share).toBeLessThanOrEqual(most);
  });
});

async function startWorld(name: HostName) {
  // The address of the model is part of the configuration, and the file that is read part of the script.
  const script: ReturnType<typeof branchAndRecords> = [];
  const model = await startScriptedModel(script);
  const world = prepare(model.url);
  script.push(...branchAndRecords(HOSTS[name].spelling, world.file));
  expect(script.length).toBeGreaterThan(2 * PAGES);
  return { ...world, model, script };
}

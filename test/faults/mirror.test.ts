import { expect, test } from 'vitest';
import {
  callTool,
  connectStdio,
  runJson,
  type Server,
  startServer,
  temporaryFolder,
  until,
} from '../e2e/support/program.ts';
import { verifies } from '../requirements.ts';
import { PATIENCE, pause, ROUNDS } from './support.ts';

const project_path = '/home/someone/shop';

interface Message {
  seq: number;
  envelope: { id: string; kind: string; payload: { tokens: number } };
}

test('what agents do in branches is told in the pod once, however often the server that tells it is killed', {
  timeout: PATIENCE,
}, async () => {
  verifies('SUB-13', 'KERN-02');
  const data = temporaryFolder();
  const { client } = await connectStdio('2026', data, ['--toolsets', 'fold,memory']);
  const { structuredContent } = await callTool(client, 'context_branch', {
    description: 'A long one',
    prompt: 'Go on',
    project_path,
  });
  const { branch_id } = structuredContent as { branch_id: string };
  const { projects } = await runJson<{ projects: { id: string }[] }>(data, 'project', 'list');
  const pod = projects[0]!.id;
  let calls = 0;
  let working = true;
  // Each call is an operation of the branch. The agent does not know that there is a server.
  const work = (async () => {
    while (working) {
      await callTool(client, 'remember', { content: `Note ${++calls}`, project: project_path });
      await pause(5);
    }
  })();
  let server: Server | undefined;
  for (let round = 0; round < ROUNDS; round++) {
    server = await startServer({ data });
    const before = calls;
    await until(() => calls > before + (round % 10) * 5, 60_000);
    server.process.kill('SIGKILL');
    await server.ended;
  }
  working = false;
  await work;
  server = await startServer({ data });
  const { url } = server;
  const told = async () => {
    const all: Message[] = [];
    const path = `/api/pods/${pod}/messages?context=${branch_id}&limit=1000`;
    for (let since: string | null = '0'; since !== null; ) {
      const answer = await fetch(`${url}${path}&since=${since}`);
      if (!answer.ok) break;
      const page = (await answer.json()) as { messages: Message[]; next: string | null };
      all.push(...page.messages);
      since = page.next;
    }
    return all;
  };
  await until(async () => (await told()).length >= calls + 1, 60_000);
  const messages = await told();
  expect(messages.map(({ envelope }) => envelope.kind)).toEqual([
    'fold/branch',
    ...Array<string>(calls).fill('fold/operation'),
  ]);
  expect(new Set(messages.map(({ envelope }) => envelope.id)).size).toBe(calls + 1);
  expect(messages.map(({ seq }) => seq)).toEqual(messages.map((_, index) => index + 1));
  const [branch] = (
    await runJson<{ main: { children: { tokens: number; operations: number }[] } }>(data, 'tree')
  ).main.children;
  expect(branch!.operations).toBe(calls);
  const { contexts } = (await (await fetch(`${url}/api/pods/${pod}/contexts`)).json()) as {
    contexts: { id: string; tokens: number; messages: number }[];
  };
  expect(contexts).toMatchObject([{ id: branch_id, tokens: branch!.tokens, messages: calls + 1 }]);
  expect(await runJson(data, 'verify')).toMatchObject({ ok: true });
});

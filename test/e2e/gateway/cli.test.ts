import { describe, expect, test } from 'vitest';
import { Peer, SEED_MESSAGES } from '../support/gateway.ts';
import { run, runJson, start, startServer, temporaryFolder, until } from '../support/program.ts';

interface Said {
  seq: number;
  envelope: { id: string; from: string };
}

describe('infold pod', () => {
  test('works without a server: send, replay, contexts, export, tail', async () => {
    const data = temporaryFolder();
    const send = (text: string, ...more: string[]) =>
      runJson<{ id: string; seq: number }>(data, 'pod', 'send', 'p', text, ...more);
    expect(await send('Is it safe?', '--context', 'why', '--type', 'reasoning')).toMatchObject({ seq: 1 });
    expect(await send('It is', '--kind', 'conclusion', '--context', 'why', '--from', 'alice')).toMatchObject({
      seq: 2,
    });
    expect(
      await send('A look inside', '--context', 'deeper', '--parent', 'why', '--id', 'm-3'),
    ).toMatchObject({ seq: 3 });
    const { messages } = await runJson<{ messages: Said[] }>(data, 'pod', 'replay', 'p', '--context', 'why');
    expect(messages.map(({ seq, envelope }) => [seq, envelope.from])).toEqual([
      [1, 'owner'],
      [2, 'alice'],
    ]);
    const { contexts } = await runJson<{ contexts: object[] }>(data, 'pod', 'contexts', 'p');
    expect(contexts).toMatchObject([
      {
        id: 'why',
        type: 'reasoning',
        messages: 2,
        summary: 'It is',
        children: [{ id: 'deeper', messages: 1 }],
      },
    ]);
    const tree = await run(['pod', 'contexts', 'p', '--data', data]);
    expect(tree.stdout).toMatch(/^main\n└─ why \(reasoning\) {2}2 messages.*\n {3}└─ deeper /);
    const exported = await run(['pod', 'export', 'p', '--data', data]);
    const lines = exported.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string; seq: number });
    expect(lines.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    const tail = await run(['pod', 'tail', 'p', '--once', '--text', 'inside', '--data', data]);
    expect(tail.stdout).toMatch(/^3 \d\d:\d\d:\d\d owner \[deeper\] chat A look inside\n$/);

    expect((await run(['pod', 'send', 'p', 'x', '--id', 'm-3', '--data', data])).code).toBe(1);
    expect((await run(['pod', 'send', '../p', 'x', '--data', data])).code).toBe(2);
    expect((await run(['pod', 'send', 'p', 'x', '--type', 't', '--data', data])).code).toBe(2);
    expect((await run(['pod', 'send', 'p', 'x', '--from', 'system:gateway', '--data', data])).code).toBe(2);
    expect((await run(['pod', 'replay', 'p', '--since', 'then', '--data', data])).code).toBe(2);
  });

  test.each([
    ['since', 'then', 'must be a position or an RFC 3339 time'],
    ['limit', 'x', 'must be a whole number from 1 to 1000; it was "x"'],
    ['limit', '0', 'must be a whole number from 1 to 1000; it was 0'],
    ['context', 'c'.repeat(257), 'must have at most 256 characters'],
  ])('says of a bad --%s what REST says of it', async (field, value, problem) => {
    const data = temporaryFolder();
    const error = `Invalid arguments for listPodMessages: ${field}: ${problem}`;
    const { code, stderr } = await run(['pod', 'replay', 'p', `--${field}`, value, '--data', data]);
    expect([code, stderr]).toEqual([2, `infold: ${error}\n`]);
    const server = await startServer({ data });
    const response = await fetch(`${server.url}/api/pods/p/messages?${field}=${value}`);
    expect(await response.json()).toMatchObject({ error, code: 'invalid_arguments', parameter: field });
    await server.stop();
  });

  test('reads more than a page of REST holds, and nothing of a pod that nobody has used', async () => {
    const data = temporaryFolder();
    const server = await startServer({ data });
    const alice = await Peer.join(server.url, { pod: 'p', participant: 'alice' });
    for (let index = 1; index <= 1100; index++) alice.send({ id: `m-${index}`, kind: 'chat', payload: {} });
    await alice.message('m-1100');
    await server.stop();
    type Read = { messages: Said[]; next: number | null };
    const asked = (limit: string) => runJson<Read>(data, 'pod', 'replay', 'p', '--limit', limit);
    expect((await asked('5000')).messages).toHaveLength(1100);
    const most = await asked('1050');
    expect([most.messages.length, most.next]).toEqual([1050, 1050]);
    expect(await runJson(data, 'pod', 'replay', 'unheard-of')).toEqual({ messages: [], next: null });
  });

  test('follows what is said on a server, and is heard there', async () => {
    const data = temporaryFolder();
    const server = await startServer({ data });
    const alice = await Peer.join(server.url, { pod: 'p', participant: 'alice' });
    const tail = start(['pod', 'tail', 'p', '--json', '--kind', 'refl*', '--data', data]);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    for (const message of SEED_MESSAGES) alice.send(message);
    await until(() => tail.stdout().trim().split('\n').length === 2, 60_000);
    expect(
      tail
        .stdout()
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { id: string }).id),
    ).toEqual(['msg-1', 'msg-10']);
    expect(await runJson(data, 'pod', 'send', 'p', 'from the shell')).toMatchObject({ seq: 6 });
    expect(await alice.next(({ from }) => from === 'owner')).toMatchObject({
      payload: { text: 'from the shell' },
      seq: 6,
    });
    tail.process.kill('SIGTERM');
    expect((await tail.ended).code).toBe(0);
  });
});

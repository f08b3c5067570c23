import { describe, expect, test } from 'vitest';
import { Peer, SEED_MESSAGES } from './gateway-support.ts';
import { run, runJson, start, startServer, temporaryFolder, until } from './support.ts';

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

  test('follows what is said on a server, and is heard there', async () => {
    const data = temporaryFolder();
    const server = await startServer({ data });
    const alice = await Peer.join(server.url, { pod: 'p', participant: 'alice' });
    const tail = start(['pod', 'tail', 'p', '--json', '--kind', 'refl*', '--data', data]);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    for (const message of SEED_MESSAGES) alice.send(message);
    await until(() => tail.stdout().trim().split('\n').length === 2, 10_000);
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

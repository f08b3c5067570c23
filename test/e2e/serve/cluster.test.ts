import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROJECTIONS } from '../../../packages/server/src/cli/services/projections.ts';
import { connectToNats } from '../../../packages/server/src/journal/cluster/connect.ts';
import { NatsJournal } from '../../../packages/server/src/journal/nats.ts';
import { loadConfig } from '../../../packages/server/src/kernel/config.ts';
import { localOwner } from '../../../packages/server/src/trust/identity/caller.ts';
import { addNamedProject } from '../../../packages/server/src/trust/identity/commands.ts';
import { accessStream } from '../../../packages/server/src/trust/streams.ts';
import { NEEDS_NATS, natsServer, startNats, type TestNats } from '../../support/nats.ts';
import { run, type Server, start, startServer, temporaryFolder, until } from '../support/program.ts';

const PATIENCE = 60_000;

interface ClusterStatus {
  nodes: { node: string; state: string; reason?: string; seq: number; head: string; lag: number }[];
  agree: boolean;
}

describe.skipIf(natsServer === undefined)(`nodes of a cluster ${NEEDS_NATS}`, () => {
  const folders = [temporaryFolder(), temporaryFolder()];
  let nats: TestNats;
  let nodes: Server[];
  let names = 0;
  /** Also when a test is tried again. */
  const fresh = (name: string) => `${name}-${++names}`;
  const startNode = (data: string) => startServer({ data, args: ['--nats', nats.url] });
  beforeAll(async () => {
    nats = await startNats();
    nodes = await Promise.all(folders.map(startNode));
  }, 120_000);
  afterAll(() => nats?.stop());

  const getJson = async <Answer>(node: Server, path: string) =>
    (await (await fetch(`${node.url}${path}`)).json()) as Answer;
  const addProject = (node: Server, name: string) =>
    fetch(`${node.url}/api/projects`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name }),
    });
  const projectsOn = async (node: Server) =>
    (await getJson<{ projects: { name: string }[] }>(node, '/api/projects')).projects.map(({ name }) => name);
  const heads = () => Promise.all(folders.map((data) => run(['verify', '--data', data, '--json'])));
  const status = async () => {
    const { stdout, code } = await run(['cluster', 'status', '--nats', nats.url, '--json']);
    return { ...(JSON.parse(stdout) as ClusterStatus), code };
  };

  test('serve what any of them wrote, and say that they are ready and how far behind', async () => {
    const name = fresh('first');
    const added = await addProject(nodes[0]!, name);
    expect(added.status).toBe(201);
    const seq = Number(added.headers.get('x-infold-seq'));
    await until(async () => (await projectsOn(nodes[1]!)).includes(name), PATIENCE);
    for (const node of nodes) {
      expect(await getJson(node, '/readyz')).toMatchObject({ status: 'ready', seq, lag: 0 });
      const metrics = await (await fetch(`${node.url}/metrics`)).text();
      expect(metrics).toMatch(/^infold_node_ready 1$/m);
      expect(metrics).toMatch(/^infold_node_lag 0$/m);
    }
  });

  test('tell of themselves to "infold cluster status", and over HTTP', async () => {
    const { seq: newest } = await getJson<{ seq: number }>(nodes[0]!, '/readyz');
    await until(async () => (await status()).nodes.filter(({ seq }) => seq >= newest).length === 2, PATIENCE);
    const { nodes: told, agree, code } = await status();
    expect([agree, code]).toEqual([true, 0]);
    expect(told).toMatchObject([{ state: 'ready' }, { state: 'ready' }]);
    expect(new Set(told.map(({ head }) => head)).size).toBe(1);
    expect(await getJson(nodes[0]!, '/api/cluster')).toMatchObject({
      agree: true,
      journal: { stream: 'INFOLD' },
    });
  });

  test('are written to from the command line through the cluster, or not at all', async () => {
    const add = (name: string, env = {}) =>
      run(['project', 'add', '--name', name, '--data', folders[0]!, '--json'], { env });
    const [behind, through] = [fresh('behind-their-back'), fresh('through-it')];
    const refused = await add(behind);
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stderr)).toMatchObject({ code: 'storage_read_only' });
    expect(refused.stderr).toContain('INFOLD_NATS_URL');
    expect((await add(through, { INFOLD_NATS_URL: nats.url })).code).toBe(0);
    for (const node of nodes) await until(async () => (await projectsOn(node)).includes(through), PATIENCE);
    expect(await projectsOn(nodes[0]!)).not.toContain(behind);
  });

  test('are restarted one after the other under load: nothing acknowledged is lost, nothing is there twice', async () => {
    const acknowledged: string[] = [];
    const load = fresh('load');
    let isOver = false;
    const write = async (writer: number) => {
      for (let count = 0; !isOver; count++) {
        const name = `${load}-${writer}-${count}`;
        // As a client behind a load balancer does: to whichever node answers.
        for (let tries = writer; ; tries++) {
          const answer = await addProject(nodes[tries % 2]!, name).catch(() => undefined);
          // A second request finds what the first one wrote before its connection was lost.
          if (answer?.ok) break;
          if (answer && answer.status !== 503) throw new Error(await answer.text());
          await wait(20);
        }
        acknowledged.push(name);
        await wait(5);
      }
    };
    const writers = [0, 1].map(write);
    for (const index of [0, 1]) {
      const before = acknowledged.length;
      expect((await nodes[index]!.stop()).code).toBe(0);
      await until(() => acknowledged.length >= before + 10, PATIENCE);
      nodes[index] = await startNode(folders[index]!);
      expect(await getJson(nodes[index]!, '/readyz')).toMatchObject({ status: 'ready' });
    }
    isOver = true;
    await Promise.all(writers);
    for (const node of nodes) {
      await until(async () => {
        const there = new Set(await projectsOn(node));
        return acknowledged.every((name) => there.has(name));
      }, PATIENCE);
    }
    const reports = (await heads()).map(({ stdout }) => JSON.parse(stdout) as { ok: boolean; head: unknown });
    // Each project is one event: a request that was sent again wrote nothing.
    const events = (await projectsOn(nodes[0]!)).length;
    expect(reports[0]).toMatchObject({ ok: true, events, head: reports[1]!.head });
  }, 180_000);

  test('say while they follow what they missed that they are alive and not ready', async () => {
    // A port that stays the same, which an operator's probes know.
    const port = String(nodes[1]!.port);
    await nodes[1]!.stop();
    const args = ['serve', '--port', port, '--data', folders[1]!, '--nats', nats.url];
    const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
    nats.servers[0]!.stop();
    const starting = start(args);
    try {
      await until(async () => (await ask('/healthz'))?.status === 200, PATIENCE);
      const ready = await ask('/readyz');
      expect([ready?.status, await ready?.json()]).toEqual([
        503,
        expect.objectContaining({ status: 'catching up' }),
      ]);
      expect((await ask('/api/projects'))?.status).toBe(503);
      nats.servers[0]!.continue();
      await until(
        () => starting.stdout().includes('listening') || starting.process.exitCode !== null,
        PATIENCE,
      );
    } finally {
      nats.servers[0]!.continue();
      // NATS may have been silent for longer than a start is tried: then it ended, and is started again.
      starting.process.kill('SIGTERM');
      await starting.ended;
      nodes[1] = await startNode(folders[1]!);
    }
    await until(async () => (await ask('/healthz')) === undefined, PATIENCE);
  }, 120_000);

  test('without NATS say where it was looked for, and never as whom; what is only read is still read', async () => {
    const word = ['pass', 'word'].join('-');
    const url = `nats://ada:${word}@127.0.0.1:9`;
    const env = { INFOLD_NATS_URL: url };
    const refused = await run(['serve', '--data', temporaryFolder(), '--port', '0'], { env });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('nats://***@127.0.0.1:9') });
    const read = await run(['verify', '--data', folders[0]!], { env });
    expect(read).toMatchObject({ code: 0, stdout: expect.stringContaining('as it was written') });
    expect(read.stderr).toContain('what the node of this machine has');
    const written = await run(['project', 'add', '--name', 'x', '--data', folders[0]!], { env });
    expect(written).toMatchObject({ code: 1, stderr: expect.stringContaining('No NATS server answers') });
    const shown = await run(['config', '--json'], { env });
    for (const { stdout, stderr } of [refused, read, written, shown])
      expect(stdout + stderr).not.toContain(word);
  });

  test('can be backed up, and the copy is a data folder of its own', async () => {
    const file = join(temporaryFolder(), 'copy.infold');
    expect((await run(['backup', file, '--data', folders[0]!])).code).toBe(0);
    const data = join(temporaryFolder(), 'restored');
    expect((await run(['restore', file, '--data', data])).code).toBe(0);
    const added = await run(['project', 'add', '--name', 'alone', '--data', data]);
    expect(added).toMatchObject({ code: 0 });
    expect(await projectsOn(nodes[0]!)).not.toContain('alone');
  });

  test('that meet an event of a newer version stop following, apply none of its entry, and go on answering reads', async () => {
    const written = fresh('before');
    expect((await addProject(nodes[0]!, written)).ok).toBe(true);
    const { config } = loadConfig({ nats: { url: nats.url } }, {});
    const connection = await connectToNats(config.nats, { name: 'newer' });
    const place = { folder: temporaryFolder(), projections: PROJECTIONS, limits: config.limits };
    const newer = await NatsJournal.open({ ...place, connection });
    const { seq } = newer.head();
    const later = { type: 'future.happened', data: {} } as never;
    await newer.commit({
      stream: accessStream('local'),
      actor: localOwner.actor,
      decide: (database) => {
        const { events } = addNamedProject(database, 'local', 'half', null);
        return { events: [...events, later], answer: null };
      },
    });
    expect(newer.head().seq).toBe(seq + 1);
    await newer.close();
    for (const node of nodes) {
      await until(async () => (await fetch(`${node.url}/readyz`)).status === 503, PATIENCE);
      expect(await getJson(node, '/readyz')).toMatchObject({
        status: 'not ready',
        reason: expect.stringContaining('future.happened'),
        seq,
      });
      expect(await projectsOn(node)).toContain(written);
      expect(await projectsOn(node)).not.toContain('half');
      const refused = await addProject(node, 'too-late');
      expect(refused.ok).toBe(false);
      expect(node.stderr()).toContain('future.happened');
    }
    await until(
      async () => (await status()).nodes.filter(({ state }) => state === 'stopped').length === 2,
      PATIENCE,
    );
    expect((await status()).code).toBe(4);
  });
});

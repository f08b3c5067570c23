import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { NEEDS_NATS, natsServer, startNats, type TestNats } from '../../support/nats.ts';
import { receiverSecret, TestReceiver } from '../../support/receiver.ts';
import { type Server, startServer } from '../support/program.ts';

describe.skipIf(natsServer === undefined)(`a webhook of a cluster ${NEEDS_NATS}`, () => {
  let nats: TestNats;
  let nodes: Server[];
  let receiver: TestReceiver;
  beforeAll(async () => {
    [nats, receiver] = await Promise.all([startNats(), TestReceiver.start()]);
    const webhooks = [{ name: 'ci', url: receiver.url, secret: receiverSecret() }];
    const env = { INFOLD_WEBHOOKS: JSON.stringify(webhooks) };
    const startNode = () => startServer({ args: ['--nats', nats.url], env });
    nodes = await Promise.all([startNode(), startNode()]);
  }, 120_000);
  afterAll(() => nats?.stop());

  const submit = async (node: Server, path: string) => {
    const post = async (route: string, body: object) => {
      const response = await fetch(`${node.url}/api/library/drafts${route}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(response.ok, await response.clone().text()).toBe(true);
      return (await response.json()) as { draft: { id: string } };
    };
    const op = { create: { path, body: '# Style\n\n## A\n\n- b\n' } };
    const { draft } = await post('', { project: '/srv/shop', resource: 'rule', op });
    await post(`/${draft.id}/submit`, {});
  };
  const sentBy = async (node: Server) => {
    const metrics = await (await fetch(`${node.url}/metrics`)).text();
    return Number(/webhook="ci",outcome="delivered"} (\d+)/.exec(metrics)?.[1] ?? 0);
  };
  const paths = () => receiver.received.map(({ payload }) => payload.draft!.path);

  test('is sent to by one node, and by another one when that dies', { timeout: 120_000 }, async () => {
    verifies('LIB-18');
    for (const [index, node] of [...nodes, ...nodes].entries()) await submit(node, `a/${index}.md`);
    await expect.poll(paths, { timeout: 60_000 }).toEqual(['a/0.md', 'a/1.md', 'a/2.md', 'a/3.md']);
    await expect
      .poll(async () => (await Promise.all(nodes.map(sentBy))).sort(), { timeout: 60_000 })
      .toEqual([0, 4]);
    const sender = nodes[(await sentBy(nodes[0]!)) === 4 ? 0 : 1]!;
    const other = nodes.find((node) => node !== sender)!;
    sender.process.kill('SIGKILL');
    await sender.ended;
    await submit(other, 'a/later.md');
    await expect.poll(() => paths().at(-1), { timeout: 60_000 }).toBe('a/later.md');
    expect(receiver.received).toHaveLength(5);
    expect(receiver.received.every(({ signed }) => signed)).toBe(true);
  });
});

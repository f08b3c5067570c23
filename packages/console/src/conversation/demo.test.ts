import { describe, expect, test, vi } from 'vitest';
import { Conversation } from './conversation.ts';
import { Demo } from './demo.ts';
import { hintsOf } from './entries.ts';
import { fakeServer } from './mcp/connection.suite.ts';

const ALL = [
  'get_workflow_step',
  ...Array(3).fill(['search_records', 'store_analysis_memory']).flat(),
  'get_workflow_step',
];

function begin() {
  const conversation = new Conversation();
  const demo = new Demo(conversation, 20);
  const server = fakeServer();
  const status = () => demo.state.read().status;
  const until = (wanted: string) => vi.waitFor(() => expect(status()).toBe(wanted), { timeout: 30_000 });
  return { conversation, demo, server, until, connect: async () => server };
}
const collapsedIn = (conversation: Conversation) =>
  conversation.state
    .read()
    .entries.filter((entry) => entry.kind === 'called' && hintsOf(entry).includes('collapsed'));

describe('the demo', () => {
  test('runs the whole workflow, and every page collapses', async () => {
    const { conversation, demo, server, connect } = begin();
    expect(await demo.start(connect, true)).toEqual({ activities: 45, pages: 3 });
    expect(server.calls).toEqual(ALL);
    expect(demo.state.read()).toMatchObject({ status: 'done', page: 3, pages: 3, activities: 45 });
    // Five of each title a page, all of them filed under AI.
    expect(demo.state.read().moves).toHaveLength(30);
    expect(collapsedIn(conversation)).toHaveLength(3);
    const { entries, turns } = conversation.state.read();
    expect([entries[0], entries.at(-1)]).toMatchObject([{ by: 'user' }, { by: 'model' }]);
    expect(turns).toHaveLength(ALL.length + 1);
  });

  test('makes a call for each step', async () => {
    const { demo, server, connect, until } = begin();
    void demo.start(connect, false);
    await until('waiting');
    expect(server.calls).toHaveLength(1);
    for (let calls = 2; calls <= ALL.length; calls++) {
      demo.step();
      await until(calls < ALL.length ? 'waiting' : 'done');
      expect(server.calls).toHaveLength(calls);
    }
  });

  test('pauses, goes on, and stops', async () => {
    const { conversation, demo, server, connect, until } = begin();
    const ended = demo.start(connect, true);
    await vi.waitFor(() => expect(server.calls.length).toBeGreaterThan(1));
    demo.pause();
    await until('waiting');
    const { length } = server.calls;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(server.calls).toHaveLength(length);
    demo.run();
    await until('running');
    demo.stop();
    expect(await ended).toBeUndefined();
    expect(demo.state.read()).toMatchObject({ status: 'idle', problem: undefined });
    // No call without its result is left for a model to stumble over.
    expect(JSON.stringify(conversation.history.at(-1))).not.toContain('tool_use"');
  });

  test.each(['throw', undefined] as const)(
    'stops where a call fails (%s), and goes on from there',
    async (how) => {
      const { conversation, demo, server, connect, until } = begin();
      void demo.start(connect, false);
      await until('waiting');
      server.fail(2, how);
      demo.run();
      await until('failed');
      expect(demo.state.read().problem).toBe(how ? 'The line is dead' : 'The records are being rebuilt');
      demo.run();
      await until('failed');
      demo.run();
      await until('done');
      expect(collapsedIn(conversation)).toHaveLength(3);
      expect(server.calls).toHaveLength(ALL.length + 2);
    },
  );

  test('says why it could not begin', async () => {
    const { demo } = begin();
    await demo.start(() => Promise.reject(new Error('Nobody answers')), true);
    expect(demo.state.read()).toMatchObject({ status: 'idle', problem: 'Nobody answers' });
  });
});

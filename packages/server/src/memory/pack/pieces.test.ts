import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { FORGETTERS } from '../../cli/services/forgetters.ts';
import type { GiveWay } from '../../kernel/give-way.ts';
import { callTool } from '../../mcp/tools/call.ts';
import { callerNamed, callOf } from '../../testing/fixtures.suite.ts';
import { forget } from '../../trust/forget.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { Turns } from '../../trust/limits/fair-scheduler.ts';
import { compilePack } from '../actions/context.ts';
import { idsOf, MemoryAgent, startMemory } from '../fixture.suite.ts';
import { searchItems } from '../search.ts';

const GOAL = 'what was decided about the retry budget of payments';
const dialogue = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `turn-${index}`,
    content: `The retry budget of payments was decided in meeting ${index}, last Friday.`,
    thread: `thread-${index % 7}`,
    ordinal: index,
    author: index % 2 ? 'Ada' : 'Bo',
  }));

async function fill(count: number) {
  const { agent, services } = await startMemory();
  await agent.import(dialogue(count));
  const pack = (giveWay: GiveWay) => {
    const turns = { giveWay } as unknown as Turns;
    const input = { goal: GOAL, intent: 'general' };
    return new MemoryAgent({ ...services, turns }).act(compilePack, input);
  };
  return { agent, services, pack };
}

describe('a pack that is made in pieces', () => {
  test('lets a short call of somebody else be answered before it is ready', async () => {
    const { services } = await fill(300);
    let now = 0;
    const order: string[] = [];
    const turns = new Turns(() => now);
    const slow = {
      take: turns.take.bind(turns),
      giveWay: (who: typeof localOwner) => {
        // As if every piece were a long one.
        now += 5;
        order.push('piece');
        return turns.giveWay(who);
      },
    };
    const shared = { ...services, turns: slow as Turns };
    const [long, short] = [localOwner, callerNamed('calm', { org: 'one' })];
    await turns.take(long);
    const pack = new MemoryAgent(shared, long)
      .context(GOAL, { layer: 'deep_search' })
      .then(() => order.push('pack'));
    await turns.take(short);
    await callTool(shared, callOf('infold_status', {}, { caller: short }));
    order.push('status');
    await pack;
    expect(order.at(-1)).toBe('pack');
    const after = order.slice(order.indexOf('status'));
    expect(after.length).toBeGreaterThan(10);
  });

  test('is the same as in one piece', async () => {
    const { pack } = await fill(300);
    const whole = await pack(() => undefined);
    let pieces = 0;
    const piecewise = await pack(() => {
      pieces++;
      return new Promise((resolve) => setImmediate(resolve));
    });
    expect(piecewise).toEqual(whole);
    expect(pieces).toBeGreaterThan(20);
  });

  test('leaves out what is forgotten meanwhile, whenever that is', async () => {
    verifies('PACK-06');
    const { services, pack } = await fill(120);
    const { journal } = services;
    let asked = 0;
    await pack(() => void asked++);
    for (let at = 1; at <= asked; at += Math.ceil(asked / 12)) {
      const [best] = await searchItems(journal.database, {
        query: GOAL,
        domain: null,
        limit: 1,
        now: 0,
        reader: { caller: localOwner, projectId: null, agentId: null },
      });
      const gone = { kind: 'item' as const, id: best!.id, org: 'local' };
      let count = 0;
      const made = await pack(() =>
        ++count === at ? forget(journal, localOwner, gone, FORGETTERS).then(() => {}) : undefined,
      );
      expect(made.total_items).toBeGreaterThan(20);
      expect(idsOf(await pack(() => undefined))).not.toContain(best!.id);
    }
  });
});

import type { JournalEntry, WindowDecisionView, WindowTurnView, WindowView } from '@infold/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { runs } from '../../../../../test/support/runs.ts';
import { tellEntry } from '../../../../server/src/call/visible-entries.ts';
import type { Journal } from '../../../../server/src/journal/journal.ts';
import { movableClock, openTestJournal } from '../../../../server/src/testing/fixtures.suite.ts';
import { localOwner } from '../../../../server/src/trust/identity/caller.ts';
import { decisionWith, Talk } from '../../../../server/src/window/fixture.suite.ts';
import {
  conversationById,
  decisionsOf,
  pageOfConversations,
  turnsOf,
} from '../../../../server/src/window/queries.ts';
import { decisionView, turnView, windowView } from '../../../../server/src/window/views.ts';
import { applyToDecisions, applyToTurns, applyToWindow, applyToWindows, lineOf } from './reduce.ts';

/** What the page holds: the list of conversations, and turns and decisions of one of them. */
interface Held {
  windows: WindowView[];
  turns: WindowTurnView[];
  decisions: WindowDecisionView[];
}

function askServer({ database }: Journal, chosen: string): Held {
  const windows = pageOfConversations(database, null, { limit: 200 }).map((one) => windowView(database, one));
  return {
    windows,
    turns: turnsOf(database, chosen, { limit: 1000 }).map(turnView),
    // What was taken out is held, and there is nothing to hold of what came back.
    decisions: decisionsOf(database, chosen).map((one) => decisionView(one, 'text' in one.effect)),
  };
}

function apply(held: Held, chosen: string, entries: readonly JournalEntry[]): Held {
  return entries.reduce(({ windows, turns, decisions }, entry) => {
    const changed = applyToWindows(windows, entry);
    return {
      windows: changed,
      turns: applyToTurns(turns, chosen, entry),
      decisions: applyToDecisions(decisions, lineOf(chosen, changed), entry),
    };
  }, held);
}

/** Something that a host, a provider or a person does; numbers choose among what there is. */
type Deed =
  | { do: 'open'; forks: boolean }
  | {
      do: 'ask';
      talk: number;
      model: string | null;
      asked: number;
      left: number;
      decides: number;
      back: boolean;
    }
  | { do: 'answer'; talk: number; usage: boolean; price: number | null; status: number }
  | { do: 'switch'; talk: number; enabled: boolean };

const talk = fc.nat(5);
const deeds: fc.Arbitrary<Deed[]> = fc.array(
  fc.oneof(
    { weight: 1, arbitrary: fc.record({ do: fc.constant('open' as const), forks: fc.boolean() }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('ask' as const),
        talk,
        model: fc.constantFrom(null, 'claude-sonnet-4-5', 'gpt-5'),
        asked: fc.integer({ min: 1, max: 200_000 }),
        left: fc.nat(1000),
        decides: fc.nat(3),
        back: fc.boolean(),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('answer' as const),
        talk,
        usage: fc.boolean(),
        // Sums of these are exact, in whichever order.
        price: fc.option(fc.integer({ min: 1, max: 64 }).map((price) => price / 64)),
        status: fc.constantFrom(200, 200, 429, 500),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('switch' as const), talk, enabled: fc.boolean() }) },
  ),
  { minLength: 1, maxLength: 40 },
);

async function world() {
  const clock = movableClock();
  const journal = await openTestJournal(clock);
  const entries: JournalEntry[] = [];
  journal.watch((entry) => {
    const sources = { parts: { visible: {} as never }, database: journal.database };
    const told = tellEntry(sources, entry, { caller: localOwner, isBrief: true });
    // As it comes over the wire.
    if (told) entries.push(JSON.parse(JSON.stringify(told)) as JournalEntry);
  });
  const talks = [await Talk.begin(journal)];
  const turns = new Map<string, number>();
  const run = async (deed: Deed): Promise<void> => {
    clock.advance(1000);
    if (deed.do === 'open') {
      const from = deed.forks ? talks.at(-1)!.id : null;
      talks.push(await Talk.begin(journal, { host_session: `s${talks.length}`, forked_from: from }));
      return;
    }
    const one = talks[deed.talk % talks.length]!;
    if (deed.do === 'switch') await one.switch(deed.enabled);
    if (deed.do === 'ask') {
      const { model, asked, left, decides, back } = deed;
      const decisions = Array.from({ length: decides }, (_, place) =>
        decisionWith(back && place === 0 ? { effect: { kind: 'reopen' } } : {}),
      );
      await one.ask({ model, tokens: { asked, sent: Math.max(0, asked - left) } }, decisions);
      turns.set(one.id, (turns.get(one.id) ?? 0) + 1);
    }
    if (deed.do === 'answer' && turns.has(one.id)) {
      const { usage, price, status } = deed;
      await one.answer(turns.get(one.id)!, {
        status,
        ...(!usage && { usage: null }),
        money: usage && price !== null ? { actual: price, untouched: price * 2 } : null,
      });
    }
  };
  return { journal, entries, talks, run };
}

describe('entries of the journal', () => {
  test('make of what the server told what it would tell now, wherever one begins to listen', async () => {
    verifies('CON-02');
    await fc.assert(
      fc.asyncProperty(deeds, fc.nat(39), fc.nat(5), async (all, asked, overlap) => {
        const { journal, entries, talks, run } = await world();
        const place = asked % all.length;
        for (const deed of all.slice(0, place)) await run(deed);
        const chosen = talks.at(-1)!.id;
        const before = askServer(journal, chosen);
        // The answer may hold some of what is heard.
        const from = Math.max(0, entries.length - overlap);
        for (const deed of all.slice(place)) await run(deed);
        const held = apply(before, chosen, entries.slice(from));
        expect(held).toEqual(askServer(journal, chosen));
        // Hearing it all again changes nothing.
        const again = apply(held, chosen, entries.slice(from));
        expect(again.turns).toBe(held.turns);
        expect(again.decisions).toBe(held.decisions);
      }),
      { numRuns: runs(60) },
    );
  });

  test('say nothing of a conversation that is not known, until it begins', async () => {
    const { journal, entries, talks, run } = await world();
    await run({ do: 'ask', talk: 0, model: null, asked: 10, left: 0, decides: 0, back: false });
    const [opened, asked] = entries;
    expect(applyToWindow(undefined, asked!)).toBeUndefined();
    expect(applyToWindows([], asked!)).toEqual([]);
    const view = applyToWindow(applyToWindow(undefined, opened!), asked!);
    expect(view).toEqual(windowView(journal.database, conversationById(journal.database, talks[0]!.id)!));
  });

  test('leave what they are not about as it is, so that nothing is drawn again', async () => {
    const { journal, entries, talks, run } = await world();
    await run({ do: 'open', forks: false });
    const held = askServer(journal, talks[0]!.id);
    await run({ do: 'ask', talk: 1, model: null, asked: 10, left: 0, decides: 1, back: false });
    const after = apply(held, talks[0]!.id, entries.slice(-1));
    expect(after.turns).toBe(held.turns);
    expect(after.decisions).toBe(held.decisions);
    expect(after.windows[1]).toBe(held.windows[1]);
  });
});

import {
  branchOutput,
  expandOutput,
  returnOutput,
  rollbackOutput,
  searchOutput,
  storeFindingsOutput,
} from '@infold/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { HOSTS, histories, requestsOf, type Sent } from './histories.suite.ts';
import { branch, expand, giveBack, rollBack, searchPage, store } from './testing/our-tools.suite.ts';
import { problemsOf, withoutMarks } from './validators.suite.ts';

/** The means of proof are proved themselves: what the hosts send is valid, and goes on from what they sent before. */
const messagesOf = ({ body }: Sent) =>
  (body.messages ?? body.input ?? body.contents) as Record<string, unknown>[];

describe.each(HOSTS.map((host) => [host.name, host] as const))('%s', (_, host) => {
  test('sends requests that its API accepts, with every word that was said', () => {
    fc.assert(
      fc.property(histories({ hosts: [host] }), ({ script }) => {
        for (const sent of requestsOf(script, host)) {
          expect(problemsOf(sent.dialect, sent.body, sent.body)).toEqual([]);
          for (const words of sent.words) expect(sent.text).toContain(JSON.stringify(words).slice(1, -1));
        }
      }),
      { numRuns: runs(60) },
    );
  });

  test('says the same again, but for cache marks, unless it compacts or goes back', () => {
    fc.assert(
      fc.property(histories({ hosts: [host] }), ({ script }) => {
        const isStraight = script.steps.every(
          ({ do: what }) => !['compact', 'rewind', 'fork', 'delegate'].includes(what),
        );
        fc.pre(isStraight);
        let before: string[] = [];
        for (const sent of requestsOf(script, host)) {
          const messages = messagesOf(sent).map(withoutMarks);
          const last = before.length - 1;
          expect(messages.slice(0, Math.max(0, last))).toEqual(before.slice(0, -1));
          // What follows directly may join the last message, behind what is in it.
          expect(messages[last]?.startsWith(before[last]!.slice(0, -2)) ?? last < 0).toBe(true);
          before = messages;
        }
      }),
      { numRuns: runs(60) },
    );
  });

  test('sends the same bytes for the same script', () => {
    const [one] = fc.sample(histories({ hosts: [host] }), { numRuns: 1, seed: 7 });
    const texts = () => requestsOf(one!.script, host).map(({ text }) => text);
    expect(texts()).toEqual(texts());
  });
});

test('our tools answer in the shapes that the protocol gives them', () => {
  const results = [
    [branchOutput, branch('br_1', 'Subtask', 'Find out.')],
    [returnOutput, giveBack('br_1', 'Found it.')],
    [rollbackOutput, rollBack('main', ['br_1'])],
    [searchOutput, searchPage('rs_1', 'activity', 1, 2, [{ id: 1 }])],
    [storeFindingsOutput, store('1', ['Nothing odd.'], ['rs_1'])],
    [expandOutput, expand('rs_1', [{ id: 1 }])],
  ] as const;
  for (const [schema, { outcome }] of results)
    expect(schema.strict().parse(outcome.data)).toEqual(outcome.data);
});

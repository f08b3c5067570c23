import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import {
  HOSTS,
  type Host,
  hostNamed,
  requestsOf,
  type Script,
  type Sent,
  type Step,
} from './histories.suite.ts';
import { MemoryDoor } from './testing/door.suite.ts';
import {
  branch,
  branchId,
  giveBack,
  handleOf,
  rollBack,
  searchPage,
  store,
} from './testing/our-tools.suite.ts';
import { person, read, shell, think, turn, write } from './testing/script.suite.ts';
import type { Rule } from './types.ts';
import { problemsOf } from './validators.suite.ts';

const lines = (word: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${word} line ${index} of what it says`).join('\n');
const FILE = lines('the file', 1200);
const ID = branchId('one');
const OURS = ['context_branch', 'context_return', 'context_rollback', 'context_expand'] as const;
const find: Step = { do: 'find', tools: [...OURS, 'search_records', 'store_analysis_memory'] };
const begin = [person('Do the work.'), find];
/** Turns that save a little each, as long as something is out of the window; after so many they have paid for most things. */
const LONG = 100;
const idly = (turns: number) =>
  Array.from({ length: turns }, (_, index) => turn('Looking.', shell(`ls ${index}`, 'nothing')));
const rows = Array.from({ length: 400 }, (_, id) => ({ id, name: `record ${id}`, amount: id * 17 }));

interface Shown {
  sent: Sent;
  text: string;
  rules: Rule[];
}

function show(host: Host, ...steps: Step[]): Shown[] {
  const script: Script = { name: 'trap', steps, prompt: { system: 'You help.', tool: 'Does something.' } };
  const door = new MemoryDoor();
  return requestsOf(script, host).map((sent) => {
    const { text, taken } = door.ask(sent);
    expect(problemsOf(sent.dialect, JSON.parse(text ?? sent.text), sent.body)).toEqual([]);
    return { sent, text: text ?? sent.text, rules: taken.map(({ decision }) => decision.rule) };
  });
}

const last = (shown: Shown[]) => shown.at(-1)!;
const rulesOf = (shown: Shown[]) => shown.flatMap(({ rules }) => rules);
/** Strings that stand in JSON are told apart from their escapes. */
const has = ({ text }: Shown, words: string) => text.includes(JSON.stringify(words).slice(1, -1));

describe.each(HOSTS.map((host) => [host.name, host] as const))('in %s', (_, host) => {
  const inBranch = (...steps: Step[]): Step[] => [
    ...begin,
    think('A subtask.', branch(ID, 'Look into it', 'Look into it')),
    ...steps,
    think('Enough.', giveBack(ID, 'It was the third line.')),
    turn('Done.', shell('git status', 'clean')),
    person('And now?'),
    turn('Nothing.'),
  ];

  test('a folded branch leaves, its summary stays', () => {
    verifies('WIN-02', 'WIN-03');
    const shown = show(
      host,
      ...inBranch(
        turn('Reading.', read('src/a.ts', FILE)),
        turn('Looking.', shell('make', lines('log', 80))),
      ),
    );
    expect(rulesOf(shown)).toContain('folded');
    expect(has(last(shown), 'It was the third line.')).toBe(true);
    expect(has(last(shown), 'the file line 7 ')).toBe(false);
    expect(has(last(shown), 'git status')).toBe(true);
  });

  test('a branch or return that was called beside others does not fold', () => {
    const shown = show(
      host,
      ...begin,
      turn('Both.', branch(ID, 'Look into it', 'Look'), read('src/a.ts', FILE)),
      turn('More.', read('src/b.ts', lines('another file', 300))),
      turn('Back.', giveBack(ID, 'It was the third line.')),
      turn('Done.', shell('git status', 'clean')),
    );
    expect(rulesOf(shown)).not.toContain('folded');
    expect(has(last(shown), 'the file line 7 ')).toBe(true);
  });

  test('a return that failed folds nothing, nor does one whose branch was compacted away', () => {
    const { outcome, ...call } = giveBack(ID, 'It was the third line.');
    const failed = { ...call, outcome: { text: '{"error":"Branch not active"}', isError: true } };
    const shown = show(
      host,
      ...begin,
      turn('A subtask.', branch(ID, 'Look into it', 'Look')),
      turn('Reading.', read('src/a.ts', FILE)),
      turn('Back.', failed),
      { do: 'compact', summary: 'The branch is open.' },
      turn('Back.', { ...call, outcome }),
      turn('Done.', shell('git status', 'clean')),
    );
    expect(rulesOf(shown)).not.toContain('folded');
  });

  test('what people and the host say in a branch stays, and so does what brings tools', () => {
    verifies('WIN-03');
    const shown = show(
      host,
      ...begin,
      think('A subtask.', branch(ID, 'Look into it', 'Look into it')),
      { do: 'find', tools: ['search_records'] },
      { ...turn('Reading.', read('src/a.ts', FILE)), reminder: 'Remember the style guide.' },
      { do: 'notice', text: 'A new server is there: tracker.' },
      turn('Shall I?'),
      person('Yes, but leave the tests alone.'),
      turn('Reading on.', read('src/b.ts', lines('another file', 300))),
      think('Enough.', giveBack(ID, 'It was the third line.')),
      turn('Done.', shell('git status', 'clean')),
    );
    expect(rulesOf(shown)).toContain('folded');
    const end = last(shown);
    expect(has(end, 'Yes, but leave the tests alone.')).toBe(true);
    expect(has(end, 'Shall I?')).toBe(true);
    for (const words of ['Remember the style guide.', 'A new server is there: tracker.']) {
      expect(has(end, words)).toBe(end.sent.text.includes(words));
    }
    expect(has(end, 'another file line 7 ')).toBe(false);
  });

  test('a file that left with a fold is shown again, or told how to get, where the host says only that it did not change', () => {
    const again = read('src/a.ts', FILE);
    const after = (turns: number) =>
      last(
        show(
          host,
          ...inBranch(turn('Reading.', read('src/a.ts', FILE))),
          ...idly(turns),
          turn('Once more.', { ...again, outcome: { ...again.outcome, unchanged: true } }),
          turn('I see.'),
          person('What does it say?'),
          turn('This.'),
        ),
      );
    const [early, late] = [after(0), after(LONG)];
    for (const shown of [early, late]) expect(shown.text.length).toBeLessThan(shown.sent.text.length);
    expect(has(late, 'the file line 7 ')).toBe(true);
    const isStub = !early.sent.text
      .slice(early.sent.text.lastIndexOf('Once more.'))
      .includes('the file line 7 ');
    expect(has(early, 'left with its branch; context_expand')).toBe(isStub);
  });

  test('what a rollback discarded leaves; a branch that it opens again comes back once that was saved', () => {
    const two = branchId('two');
    const after = (turns: number) =>
      last(
        show(
          host,
          ...inBranch(turn('Reading.', read('src/a.ts', FILE))),
          ...idly(turns),
          turn('Another way.', branch(two, 'Try it', 'Try it')),
          turn('Reading.', read('src/c.ts', lines('a third file', 300))),
          turn('No. Back into the first.', rollBack(ID, [two])),
          turn('Going on.', shell('git status', 'clean')),
          person('Well?'),
          turn('Here.'),
        ),
      );
    for (const [turns, isBack] of [
      [0, false],
      [LONG, true],
    ] as const) {
      const shown = after(turns);
      expect(has(shown, 'a third file line 7 ')).toBe(false);
      expect(has(shown, 'the file line 7 ')).toBe(isBack);
      expect(has(shown, 'It was the third line.')).toBe(true);
    }
  });

  test('records that were used become a line; the newest never do', () => {
    verifies('WIN-02');
    const handle = handleOf('page');
    const shown = show(
      host,
      ...begin,
      turn('A page.', searchPage(handle, 'activity', 1, 3, rows)),
      turn('Noted.', store('one', ['All are well.'], [handle])),
      turn(
        'Next.',
        searchPage(
          handleOf('next'),
          'activity',
          2,
          3,
          rows.map((row) => ({ ...row, id: row.id + 500 })),
        ),
      ),
      turn('So.'),
      person('Go on'),
      turn('I do.'),
    );
    expect(rulesOf(shown)).toContain('consumed');
    expect(has(last(shown), '"name":"record 7"')).toBe(true);
    const [first] = shown.filter(({ rules }) => rules.includes('consumed'));
    expect(first!.sent.text).toContain('All are well.');
    expect(last(shown).text.match(/record 77/g)).toHaveLength(
      (last(shown).sent.text.match(/record 77/g) ?? []).length / 2,
    );
  });

  test('a read that a later read or a write of the whole replaces goes; the last one stays', () => {
    verifies('WIN-02');
    const shown = show(
      host,
      ...begin,
      turn('Reading.', read('src/a.ts', FILE)),
      turn('Writing.', write('src/a.ts', lines('new', 300))),
      turn('Reading another.', read('src/b.ts', lines('old b', 300))),
      turn('Again.', read('src/b.ts', lines('new b', 300))),
      turn('So.'),
      { do: 'idle', milliseconds: 40 * 60 * 60 * 1000 },
      person('Go on'),
      turn('I do.'),
    );
    // Codex writes by patches, which nobody here takes for the whole of a file.
    const isWritten = host.name !== 'codex';
    expect(rulesOf(shown).filter((rule) => rule === 'superseded')).toHaveLength(isWritten ? 2 : 1);
    const end = last(shown);
    expect([has(end, 'the file line 7 '), has(end, 'old b line 7 ')]).toEqual([!isWritten, false]);
    expect([has(end, 'new line 7 '), has(end, 'new b line 7 ')]).toEqual([true, true]);
  });

  test('a result that is there already is a pointer when it comes again', () => {
    const shown = show(
      host,
      ...begin,
      turn('Looking.', shell('cat notes.txt', lines('notes', 60))),
      turn('Again.', shell('cat notes.txt', lines('notes', 60))),
      turn('Well.'),
    );
    expect(rulesOf(shown)).toEqual(['repeated']);
    expect(last(shown).text.match(/notes line 7 /g)).toHaveLength(1);
  });
});

describe('marks for a cache', () => {
  test('move to the new last block where a fold takes the last one away', () => {
    const shown = show(
      hostNamed('claude-code'),
      ...begin,
      think('A subtask.', branch(ID, 'Look into it', 'Look into it')),
      turn('Reading.', read('src/a.ts', FILE)),
      think('Enough.', giveBack(ID, 'It was the third line.')),
      turn('Done.'),
    );
    const { text } = shown.find(({ rules }) => rules.includes('folded'))!;
    const { messages } = JSON.parse(text) as { messages: { content: Record<string, unknown>[] }[] };
    expect(messages.at(-1)!.content.at(-1)).toMatchObject({
      type: 'tool_result',
      cache_control: { type: 'ephemeral' },
    });
  });
});

test('a model that has no tool to get something back is told of none', () => {
  const steps = [
    person('Go.'),
    turn('Looking.', shell('cat notes.txt', lines('notes', 60))),
    turn('Again.', shell('cat notes.txt', lines('notes', 60))),
    turn('So.'),
  ];
  const script: Script = { name: 'bare', steps, prompt: { system: 'You help.', tool: 'Does something.' } };
  const door = new MemoryDoor();
  const [, , sent] = requestsOf(script, hostNamed('opencode-chat'));
  const body = sent!.body as { tools: { function: { name: string } }[] };
  const tools = body.tools.filter(({ function: { name } }) => !name.startsWith('infold_'));
  const { text } = door.ask({
    ...sent!,
    text: JSON.stringify({ ...body, tools }).replaceAll('context_expand', 'something'),
  });
  expect(text).toMatch(/\[infold repeated: [^\]]* above; win_\d+\]/);
});

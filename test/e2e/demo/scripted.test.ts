import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { CATEGORIES } from '../../../packages/demo/src/script/job.ts';
import { activity, RECORDS } from '../../../packages/server/src/cli/samples/material.ts';
import { verifies } from '../../requirements.ts';
import { type Ended, run, start, temporaryFolder, until } from '../support/program.ts';

interface Block {
  type: string;
  id?: string;
  tool_use_id?: string;
  name?: string;
  content?: string;
}
interface Way {
  name: string;
  activities: number;
  pages: number;
  findings: number;
  moved: Record<string, string>;
  folded?: { branches: number; tokens: number };
  turns: number;
  prompts: number[];
  last: number;
  sum: number;
  last_ratio: number;
  sum_ratio: number;
  last_prompt: { role: string; content: string | Block[] }[];
}
interface Answer {
  svg: string | null;
  ways: Way[];
}

const blocksOf = ({ last_prompt }: Way) =>
  last_prompt.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
const resultsOf = (way: Way) => blocksOf(way).flatMap(({ content }) => content ?? []);

/** Its temporary folders go here, so that a test can see that they are gone. */
const temporary = temporaryFolder();
const runDemo = (...args: string[]) => run(['demo', ...args], { env: { TMPDIR: temporary } });

describe('the demo', () => {
  let ended: Ended;
  let answer: Answer;
  let ways: Record<string, Way>;
  const picture = join(temporaryFolder(), 'curves.svg');

  beforeAll(async () => {
    ended = await runDemo('--json', '--svg', picture);
    expect(ended.stderr).toBe('');
    expect(ended.code).toBe(0);
    answer = JSON.parse(ended.stdout) as Answer;
    ways = Object.fromEntries(answer.ways.map((way) => [way.name, way]));
  });

  test('does the whole job in four ways, with the same outcome', () => {
    verifies('TCP-09', 'TCP-17');
    expect(answer.ways.map(({ name }) => name)).toEqual(['none', 'collapsed', 'lean', 'folding']);
    const misfiled = Array.from({ length: RECORDS }, (_, index) => activity(index)).flatMap((record) => {
      const [belongs] = Object.entries(CATEGORIES).find(([, word]) => record.title.includes(word))!;
      return belongs === record.category ? [] : [[String(record.id), belongs]];
    });
    expect(misfiled.length).toBeGreaterThan(20);
    for (const way of answer.ways) {
      expect(way.activities, way.name).toBe(132);
      expect(way.moved, way.name).toEqual(Object.fromEntries(misfiled));
    }
    expect([ways.none, ways.collapsed, ways.folding].map((way) => way!.pages)).toEqual([9, 9, 9]);
    // Rows that nobody reads need no pages.
    expect(ways.lean!.pages).toBe(1);
  });

  test('leaves nine summaries and the findings in the conversation', () => {
    verifies('TCP-13', 'TCP-17');
    const collapsed = ways.collapsed!;
    const results = resultsOf(collapsed);
    const summaries = results.filter((text) => / activity records \(page /.test(text));
    expect(summaries.map((text) => text.split('\n')[0])).toEqual(
      Array.from({ length: 9 }, (_, index) => {
        const first = 72 + index * 15;
        return `${index === 8 ? 12 : 15} activity records (page ${index + 1}/9, IDs: ${first}, ${first + 1}, ${first + 2}…)`;
      }),
    );
    for (const text of summaries) {
      expect(text.split('\n')[1]).toMatch(/^\[collapsed: context_expand rs_[a-z0-9]{20}\]$/);
    }
    const stored = results.filter((text) => /^Stored \d+ analysis finding/.test(text));
    expect(stored).toHaveLength(9);
    const calls = JSON.stringify(collapsed.last_prompt);
    for (const [id, category] of Object.entries(collapsed.moved)) {
      expect(calls).toMatch(new RegExp(`"[\\d, ]*\\b${id}\\b[\\d, ]* to ${category}"`));
    }
    expect(calls).not.toContain('started_at');
    expect(calls).not.toContain('Follow-up');
    expect(JSON.stringify(ways.none!.last_prompt).match(/Follow-up/g)).toHaveLength(132);
  });

  test('shows each page in full once', () => {
    verifies('TCP-12');
    const { prompts } = ways.collapsed!;
    // Turn 3 is the first with a page in it, turn 4 the first after its findings were stored.
    for (let turn = 3; turn <= 19; turn += 2) {
      expect(prompts[turn - 1]! - prompts[turn - 2]!).toBeGreaterThan(1000);
      expect(prompts[turn]! - prompts[turn - 1]!).toBeLessThan(-900);
    }
    expect(prompts.slice(0, 3)).toEqual(ways.none!.prompts.slice(0, 3));
  });

  test('takes at most 0.15 of the tokens at the last turn and 0.35 in all turns', () => {
    verifies('TCP-17');
    const { none, collapsed, lean, folding } = ways;
    for (const way of answer.ways) {
      expect(way.last).toBe(way.prompts.at(-1));
      expect(way.sum).toBe(way.prompts.reduce((sum, tokens) => sum + tokens, 0));
      expect(way.turns).toBe(way.prompts.length);
    }
    expect(collapsed!.turns).toBe(none!.turns);
    expect(collapsed!.last / none!.last).toBeLessThanOrEqual(0.15);
    expect(collapsed!.sum / none!.sum).toBeLessThanOrEqual(0.35);
    expect(collapsed!.last_ratio).toBeCloseTo(collapsed!.last / none!.last, 3);
    expect(collapsed!.sum_ratio).toBeCloseTo(collapsed!.sum / none!.sum, 3);
    expect(lean!.last / none!.last).toBeLessThan(0.1);
    expect(folding!.last / none!.last).toBeLessThan(0.1);
    expect(Math.max(...folding!.prompts) / Math.max(...none!.prompts)).toBeLessThan(0.2);
    // A record has about a hundred tokens.
    expect((none!.last - collapsed!.last) / 132).toBeGreaterThan(80);
    expect((none!.last - collapsed!.last) / 132).toBeLessThan(120);
  });

  test('folds a branch for each page on the server, and keeps its summary alone', () => {
    const folding = ways.folding!;
    expect(folding.folded!.branches).toBe(9);
    // What the server counted in them are at least the pages.
    expect(folding.folded!.tokens).toBeGreaterThan(ways.none!.last - ways.collapsed!.last);
    const names = blocksOf(folding).flatMap(({ name }) => name ?? []);
    expect(names.filter((name) => name === 'context_branch')).toHaveLength(9);
    expect(names.filter((name) => name !== 'context_branch')).toEqual([
      'get_workflow_step',
      'get_workflow_step',
    ]);
    expect(
      resultsOf(folding).filter((text) => /^Page \d\/9: .*Stored\.\n\[folded: /.test(text)),
    ).toHaveLength(9);
  });

  test('every call keeps its result, in every way', () => {
    verifies('TCP-16');
    for (const way of answer.ways) {
      const calls = blocksOf(way).flatMap(({ id }) => id ?? []);
      const results = blocksOf(way).flatMap(({ tool_use_id }) => tool_use_id ?? []);
      expect(results, way.name).toEqual(calls);
      expect(new Set(calls).size).toBe(calls.length);
      expect(way.last_prompt.map(({ role }) => role)).toEqual(
        way.last_prompt.map((_, index) => (index % 2 === 0 ? 'user' : 'assistant')),
      );
    }
  });

  test('gives the same figures every time, in words too, and tells how it goes', async () => {
    const again = await runDemo();
    expect(again.code).toBe(0);
    const grouped = (tokens: number) => tokens.toLocaleString('en-GB');
    const rows = again.stdout.split('\n').flatMap((line) => {
      const [, turn, cells] = /^(\d+) +([\d, ]+)$/.exec(line) ?? [];
      return turn === undefined ? [] : [cells!.trim().split(/ +/)];
    });
    expect(rows).toHaveLength(ways.folding!.turns);
    for (const [turn, cells] of rows.entries()) {
      expect(cells).toEqual(answer.ways.flatMap(({ prompts }) => prompts[turn] ?? []).map(grouped));
    }
    expect(again.stdout).toMatch(
      new RegExp(`last turn +${answer.ways.map(({ last }) => grouped(last)).join(' +')}`),
    );
    expect(again.stdout).toMatch(
      new RegExp(`all turns +${answer.ways.map(({ sum }) => grouped(sum)).join(' +')}`),
    );
    expect(again.stdout).toContain(`× ${ways.collapsed!.last_ratio.toFixed(3)}`);
    expect(again.stderr.match(/\(page \d\/9, IDs: .*\): [\d,]+ → \d+ tokens/g)).toHaveLength(9);
    expect(again.stderr).toContain('folding: 132 activities, ');
  });

  test('draws the four curves', () => {
    expect(answer.svg).toBe(picture);
    const svg = readFileSync(picture, 'utf8');
    const curves = [...svg.matchAll(/<path class="curve"[^>]* d="M([^"]+)"/g)].map((match) =>
      match[1]!.split('L').map((point) => point.split(' ').map(Number)),
    );
    expect(curves.map((points) => points.length)).toEqual(answer.ways.map(({ turns }) => turns));
    // Higher prompts are higher up, by one scale for all.
    const all = answer.ways.flatMap(({ prompts }, index) =>
      prompts.map((tokens, turn) => ({ tokens, y: curves[index]![turn]![1]! })),
    );
    const [low, high] = [all[0]!, all.reduce((most, point) => (point.tokens > most.tokens ? point : most))];
    for (const { tokens, y } of all) {
      const expected = low.y + ((tokens - low.tokens) / (high.tokens - low.tokens)) * (high.y - low.y);
      expect(Math.abs(y - expected)).toBeLessThan(0.2);
    }
  });

  test('is what the README shows', () => {
    const shown = readFileSync(new URL('../../../docs/demo.svg', import.meta.url), 'utf8');
    expect(shown).toBe(readFileSync(picture, 'utf8'));
    const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
    expect(readme).toContain('(docs/demo.svg)');
    const page = readFileSync(new URL('../../../docs/demo.md', import.meta.url), 'utf8');
    for (const { last, sum } of answer.ways) {
      for (const tokens of [last, sum]) expect(page).toContain(tokens.toLocaleString('en-GB'));
    }
  });

  test('leaves nothing behind', () => {
    expect(readdirSync(temporary)).toEqual([]);
  });
});

test('the demo that is stopped halfway leaves nothing behind', async () => {
  const folder = temporaryFolder();
  const running = start(['demo'], { env: { TMPDIR: folder } });
  await until(() => readdirSync(folder).length > 0, 60_000);
  running.process.kill('SIGINT');
  expect((await running.ended).code).toBe(130);
  expect(readdirSync(folder)).toEqual([]);
});

test('neither the settings nor the data folder of the user have a part in it', async () => {
  const data = join(temporaryFolder(), 'data');
  const env = { TMPDIR: temporary, INFOLD_TRANSIENT_THRESHOLD: '1000', INFOLD_TOOLSETS: 'fold' };
  const { code, stdout } = await run(['demo', '--json', '--data', data], { env });
  expect(code).toBe(0);
  expect((JSON.parse(stdout) as Answer).ways[1]!.last_ratio).toBeLessThanOrEqual(0.15);
  expect(existsSync(data)).toBe(false);
});

describe('a picture that cannot be drawn', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'taken.svg'));
  test.each([
    [join(folder, 'nowhere', 'curves.svg'), /There is no folder .*nowhere/],
    [join(folder, 'taken.svg'), /is a folder/],
  ])('is refused before the work: %s', async (path, message) => {
    const { code, stdout, stderr } = await runDemo('--svg', path);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

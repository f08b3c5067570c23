import { LIMITS } from '@infold/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { errorOf } from '../../testing/fixtures.suite.ts';
import { publish, RECLASSIFY, startServer } from '../fixture.suite.ts';
import { checkWorkflow } from './check.ts';

const TOOLS = () => ['search_records', 'store_analysis_memory'];
const check = (content: string, kind = 'workflow') =>
  checkWorkflow({ path: 'workflow/A.md', kind, content }, TOOLS, LIMITS);
const step = (order: number, more = '') =>
  `  - order: ${order}\n    title: T${order}\n    description: D${order}\n${more}`;
const file = (...steps: string[]) => `---\nname: a\nsteps:\n${steps.join('')}---\n\n# A\n`;

describe('a workflow that can be published', () => {
  test.each([
    ['the example', RECLASSIFY.replaceAll('recall_analysis_memories', 'store_analysis_memory')],
    ['one step', file(step(1))],
    ['no steps', '---\ndescription: only text\n---\n# A\n'],
    ['no front matter', '# A\nsteps:\n- none\n'],
    ['front matter that is no YAML, without steps', '---\nglobs: *.ts\n---\n# A\n'],
    ['CRLF', file(step(1), step(2)).replaceAll('\n', '\r\n')],
    [
      'a decision that goes back',
      file(step(1), step(2, '    decision: { question: Q, options: [{ label: again, nextStep: 1 }] }\n')),
    ],
  ])('%s', (_what, content) => {
    expect(check(content)).toEqual([]);
  });

  test('files of other kinds are not looked at', () => {
    expect(check(file(step(7)), 'rule')).toEqual([]);
  });
});

describe('a problem names its line and its field', () => {
  test.each([
    [
      'a gap',
      file(step(1), step(3)),
      'line 7: steps[1].order: steps are numbered 1, 2, 3, …: 2 was expected, not 3',
    ],
    ['a repeat', file(step(1), step(1)), 'line 7: steps[1].order: step 1 is there twice'],
    ['from 2', file(step(2)), 'line 4: steps[0].order: steps are numbered'],
    [
      'a missing title',
      '---\nsteps:\n  - order: 1\n    description: D\n---\n',
      'line 3: steps[0].title: is required',
    ],
    [
      'a typo',
      file(step(1, '    toolargs: {}\n')),
      'line 7: steps[0].toolargs: unknown field; valid are order, title,',
    ],
    ['a wrong type', file(step(1, '    optional: maybe\n')), 'line 7: steps[0].optional: '],
    ['no list', '---\nsteps: none\n---\n', 'line 2: steps: must be a list of steps'],
    ['an empty list', '---\nsteps: []\n---\n', 'line 2: steps: must be a list of steps'],
    ['a broken YAML', '---\nname: a\nsteps:\n  - order: [1\n---\n', 'line 4: '],
    [
      'no such step',
      file(step(1, '    dependsOn: [4]\n')),
      'line 7: steps[0].dependsOn[0]: there is no step 4',
    ],
    ['itself', file(step(1, '    dependsOn: [1]\n')), 'steps[0].dependsOn[0]: step 1 depends on itself'],
    ['later', file(step(1, '    dependsOn: [2]\n'), step(2)), 'step 1 depends on step 2, which comes later'],
    [
      'a circle',
      file(step(1, '    dependsOn: [3]\n'), step(2, '    dependsOn: [1]\n'), step(3, '    dependsOn: [2]\n')),
      'line 7: steps[0].dependsOn: steps depend on each other in a circle: 1 → 3 → 2 → 1',
    ],
    [
      'a consumer that is no tool',
      file(step(1, '    tool: search_records\n    contextHint:\n      consumedBy: store_analysis\n')),
      'line 9: steps[0].contextHint.consumedBy: "store_analysis" is not a tool; tools are search_records, store_analysis_memory',
    ],
    [
      'a hint without a tool',
      file(step(1, '    contextHint: { consumedBy: store_analysis_memory }\n')),
      'line 7: steps[0].contextHint: the step has no tool',
    ],
    [
      'another lifecycle',
      file(
        step(
          1,
          '    tool: search_records\n    contextHint: { lifecycle: forever, consumedBy: search_records }\n',
        ),
      ),
      'steps[0].contextHint.lifecycle: ',
    ],
    [
      'members of a loop apart',
      file(step(1, '    loopGroup: a\n'), step(2), step(3, '    loopGroup: a\n')),
      'line 14: steps[2].loopGroup: the steps of "a" do not stand next to each other',
    ],
    [
      'a decision that leads nowhere',
      file(step(1, '    decision: { question: Q, options: [{ label: on, nextStep: 9 }] }\n')),
      'line 7: steps[0].decision.options[0].nextStep: there is no step 9',
    ],
    [
      'too many',
      file(...Array.from({ length: 201 }, (_, index) => step(index + 1))),
      'has 201 steps; at most 200',
    ],
  ])('%s', (_what, content, problem) => {
    verifies('TCP-05');
    const problems = check(content);
    expect(problems.join('\n')).toContain(problem);
    for (const one of problems) expect(one).toMatch(/^line \d+: /);
  });

  test('whatever the steps are, it answers', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (steps) => {
        expect(Array.isArray(check(`---\nsteps: ${JSON.stringify(steps)}\n---\n`))).toBe(true);
      }),
    );
  });

  test('whatever the front matter is, it answers', () => {
    const text = fc.string({
      unit: fc.constantFrom(
        'a',
        ':',
        ' ',
        '\n',
        '-',
        '*',
        '&',
        '[',
        ']',
        '{',
        '}',
        '"',
        'steps',
        '#',
        '|',
        '\t',
        '?',
        '!',
      ),
    });
    fc.assert(
      fc.property(text, (front) => {
        for (const one of check(`---\n${front}\n---\n`)) expect(one).toMatch(/^line \d+: /);
      }),
      { numRuns: 500 },
    );
  });

  test('dependencies in any circle are found, and only those', () => {
    const graph = fc.integer({ min: 1, max: 7 }).chain((count) =>
      fc.array(fc.subarray(Array.from({ length: count }, (_, index) => index + 1)), {
        minLength: count,
        maxLength: count,
      }),
    );
    fc.assert(
      fc.property(graph, (edges) => {
        const content = file(
          ...edges.map((to, index) => step(index + 1, `    dependsOn: [${to.join(', ')}]\n`)),
        );
        const earlierOnly = edges.every((to, index) => to.every((target) => target <= index));
        expect(check(content).length === 0).toBe(earlierOnly);
      }),
    );
  });
});

test('a library refuses to publish what cannot be walked, and publishes what can', async () => {
  verifies('TCP-05');
  const { services } = await startServer();
  const error = await errorOf(() =>
    publish(
      services,
      'workflow/BAD.md',
      RECLASSIFY.replace('store_analysis_memory\n  - order: 3', 'nobody\n  - order: 3'),
    ),
  );
  expect(error.message).toMatch(
    /workflow\/BAD\.md.*line 21: steps\[1\]\.contextHint\.consumedBy: "nobody" is not a tool/s,
  );
  await publish(services, 'workflow/RECLASSIFY.md', RECLASSIFY);
  const elsewhere = RECLASSIFY.replace(
    'store_analysis_memory\n  - order: 3',
    'mcp__notes__save_note\n  - order: 3',
  );
  await publish(services, 'workflow/NOTES.md', elsewhere);
});

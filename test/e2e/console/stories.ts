import { fileURLToPath } from 'node:url';
import { type Content, contentOf } from '../../../packages/client/src/window/testing/content.suite.ts';
import { branch, branchId, giveBack } from '../../../packages/client/src/window/testing/our-tools.suite.ts';
import {
  edit,
  grep,
  person,
  read,
  type Script,
  shell,
  turn,
} from '../../../packages/client/src/window/testing/script.suite.ts';
import type { Deed, Used } from './sessions.ts';

/** What agents do all day, in the words and with the outputs of real work. `root` is the checkout. */
export const contentHere = (root = fileURLToPath(new URL('../../..', import.meta.url))): Content =>
  contentOf(root);

export const PROJECT = '/home/ada/atlas';

/** A bug that is hunted: files are read, a subtask is folded, tests fail and pass, much of it leaves the prompt. */
export function bugHunt(content: Content, name = 'bug hunt'): Script {
  const policy = content.file('packages/client/src/collapse/policy.ts');
  const ledger = content.file('packages/client/src/collapse/ledger.ts');
  const collapser = content.file('packages/client/src/collapse/create-collapser.ts');
  const tests = (passes: boolean) =>
    shell(
      'npx vitest run --project unit packages/client/src',
      content.output(passes ? 'vitest-pass' : 'vitest-fail'),
      passes ? 0 : 1,
    );
  const look = branchId(`${name} look`);
  return {
    name,
    prompt: {
      system: content.file('docs/operations.md').slice(0, 12_000),
      tool: content.file('docs/promises.md').slice(0, 1_500),
    },
    steps: [
      person(
        'Consumed results stay in the prompt when two servers are connected. Find out why, and mend it.',
      ),
      { do: 'find', tools: ['context_branch', 'context_return', 'context_expand'] },
      turn(
        'I will see what is there.',
        grep('consumed', 'packages', content.output('grep-functions').slice(0, 9_000)),
      ),
      turn(
        'A subtask of its own: how results are matched to what consumed them.',
        branch(
          look,
          'How are results matched to their consumers?',
          'Read the collapser, the ledger and the policy.',
        ),
      ),
      turn('The collapser first.', read('packages/client/src/collapse/create-collapser.ts', collapser)),
      turn('What it keeps.', read('packages/client/src/collapse/ledger.ts', ledger)),
      turn('And when it acts.', read('packages/client/src/collapse/policy.ts', policy)),
      turn('Since when?', shell('git log --stat -25', content.output('git-log'))),
      turn(
        'That is enough.',
        giveBack(
          look,
          'Pairs are kept by the name of a tool alone (ledger.ts, `pairOf`). With two servers the second overwrites the first, so its results are never consumed. Fix: key by server and tool.',
        ),
      ),
      turn('What the tests say today.', tests(false)),
      turn(
        'Let me read it once more before I change it.',
        read('packages/client/src/collapse/ledger.ts', ledger),
      ),
      turn(
        'The key.',
        edit('packages/client/src/collapse/ledger.ts', 'pairs.get(tool)', 'pairs.get(keyOf(server, tool))'),
      ),
      turn('Again.', tests(false)),
      turn(
        'One place was left.',
        edit('packages/client/src/collapse/policy.ts', 'pairOf(tool)', 'pairOf(server, tool)'),
      ),
      turn('And now?', tests(true)),
      turn('What changed.', shell('git diff', content.output('git-diff').slice(0, 12_000))),
      turn('It is mended: pairs are kept by server and tool. All tests pass.'),
      person('Good. Does it type-check everywhere, and is it in the documentation?'),
      turn('I will check.', shell('npm run build', content.output('tsc-fail'), 2)),
      turn(
        'A call with the old signature.',
        edit('packages/client/src/collapse/mcp.ts', 'pairOf(name)', 'pairOf(server, name)'),
      ),
      turn('Once more.', shell('npm run build', content.output('build-pass'))),
      turn('The page about it.', read('docs/promises.md', content.file('docs/promises.md'))),
      turn('Yes to both: it builds, and docs/promises.md said it already.'),
    ],
  };
}

/** Somebody asks about the code; nothing is changed. */
export function codeReview(content: Content, name = 'code review'): Script {
  return {
    name,
    prompt: {
      system: content.file('docs/operations.md').slice(0, 8_000),
      tool: content.file('docs/promises.md').slice(0, 900),
    },
    steps: [
      person('Review what changed since yesterday. Anything that could lose data?'),
      turn('The changes.', shell('git diff main', content.output('git-diff'))),
      turn(
        'In its place.',
        read('packages/server/src/fold/queries.ts', content.file('packages/server/src/fold/queries.ts')),
      ),
      turn(
        'Who calls it.',
        grep('commitToSession', 'packages/server/src', content.output('grep-tokens').slice(0, 6_000)),
      ),
      turn('Nothing that could lose data. Two remarks on names.'),
    ],
  };
}

const used = (tool: string, input: Record<string, unknown>, output: string, collapsesTo?: string): Used => ({
  tool,
  input,
  output,
  ...(collapsesTo !== undefined && { collapsesTo }),
});

/** The same hunt as a session sees it: a tree with folded, discarded, open and collapsed parts. */
export function treeOfWork(content: Content): Deed[] {
  const file = (path: string) => used('Read', { file_path: `${PROJECT}/${path}` }, content.file(path));
  return [
    used('Grep', { pattern: 'consumed', path: 'packages' }, content.output('grep-functions').slice(0, 9_000)),
    {
      description: 'How are results matched to their consumers?',
      prompt: 'Read the collapser, the ledger and the policy, and say where a pair gets lost.',
      deeds: [
        file('packages/client/src/collapse/create-collapser.ts'),
        file('packages/client/src/collapse/ledger.ts'),
        {
          description: 'When did the ledger change last?',
          prompt: 'Find the commit that introduced pairs by name.',
          deeds: [
            used('Bash', { command: 'git log --stat -25' }, content.output('git-log')),
            used('Bash', { command: 'git show 4f2c1d9' }, content.output('git-show').slice(0, 14_000)),
          ],
          folds: 'Since “Pairs by name” three weeks ago: `pairOf` lost its first parameter there.',
        },
        file('packages/client/src/collapse/policy.ts'),
      ],
      folds:
        'Pairs are kept by the name of a tool alone (ledger.ts, `pairOf`). With two servers the second overwrites the first. Fix: key by server and tool.',
    },
    {
      description: 'Try a registry of servers instead',
      prompt: 'Would one registry for all servers be simpler?',
      deeds: [
        file('packages/client/src/collapse/mcp.ts'),
        used(
          'Edit',
          { file_path: `${PROJECT}/packages/client/src/collapse/mcp.ts` },
          'The file has been updated.',
        ),
        used('Bash', { command: 'npm run build' }, content.output('tsc-fail')),
      ],
      isDiscarded: true,
    },
    used(
      'Bash',
      { command: 'npx vitest run packages/client' },
      content.output('vitest-fail'),
      'Tests: 2 failed, 118 passed. Failing: collapser.test.ts “two servers”.',
    ),
    used(
      'Edit',
      { file_path: `${PROJECT}/packages/client/src/collapse/ledger.ts` },
      'The file has been updated.',
    ),
    used(
      'Bash',
      { command: 'npx vitest run packages/client' },
      content.output('vitest-pass'),
      'Tests: 120 passed.',
    ),
    {
      description: 'Is it told in the documentation?',
      prompt: 'Look for what the pages say of two servers, and bring them up to date.',
      deeds: [
        file('docs/promises.md'),
        used('Grep', { pattern: 'servers', path: 'docs' }, content.output('grep-tokens').slice(0, 4_000)),
      ],
    },
  ];
}

/** Small operations of several tools, as many as a branch shows one by one. */
export function manyOperations(count = 50): Used[] {
  return Array.from({ length: count }, (_, index) =>
    used(
      ['Read', 'Bash', 'Grep', 'Edit'][index % 4]!,
      { file_path: `${PROJECT}/src/part-${index}.ts` },
      `export const part${index} = compute(${index});\n`.repeat(1 + (index % 7)),
    ),
  );
}

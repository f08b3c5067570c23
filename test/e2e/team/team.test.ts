import { execFile } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { environment, temporaryFolder, until } from '../support/program.ts';

const EXAMPLE = new URL('../../../examples/team/', import.meta.url);
const PROGRAM = fileURLToPath(new URL('run.mjs', EXAMPLE));

interface Check {
  name: string;
  ok: boolean;
  sources: Record<string, unknown>;
}

interface Message {
  id: string;
  seq: number;
  kind: string;
  from: string;
  correlation_id?: string;
  context?: { id: string; type?: string; parent?: string };
}

interface ContextOfPod {
  id: string;
  type: string;
  parent: string | null;
  state: string;
  messages: number;
  tokens: number;
  summary: string;
}

interface Node {
  tokens: number;
  operations: number;
  children: Node[];
}

/** What the example asked of the system, as far as this test looks at it. */
interface Facts {
  analyst: {
    branches: { id: string; parent: string | null; message: string; fold: { tokens_folded: number } }[];
    reasoning: { id: string; parent: string; payloads: unknown[]; conclusion: string };
    findings: { id: string; text: string }[];
    refs: { constraintId: string }[];
    loaded: { path: string }[];
    figures: {
      results: { collapsed: number; pending: number };
      last_prompt: { sent: number; whole: number };
      all_prompts: { sent: number; whole: number };
    };
  };
  reviewer: { heard: Message[]; answers: { id: string; correlation_id: string }[] };
  person: { replayed: Message[]; missed: Message[]; answered: Record<string, string> };
  next: {
    before: { items: { id: string; also: string[]; content: string; origin: string }[] };
    after: { items: unknown[] };
  };
  now: {
    tree: { main: Node };
    contexts: ContextOfPod[];
    messages: Message[];
    branches: Record<string, { operations: number }>;
    turns: { outcome: string; claimed: { loaded: boolean }[] }[];
    rules: { path: string; state: string; referred: number }[];
  };
  byCommand: { rules: { referred: number }[] };
  rebuilt: { contexts: ContextOfPod[] };
  journal: { verified: { events: number; ok: boolean }; verifiedAtTheEnd: { ok: boolean } };
}

interface Answer {
  ok: boolean;
  seconds: number;
  checks: Check[];
  facts: Facts;
}

/** The example's temporary folders go here, so that the test sees that they are gone. */
const temporary = temporaryFolder();

function startExample(args: readonly string[], folder: string) {
  const options = { env: environment({ TMPDIR: folder }), maxBuffer: 64 * 1024 * 1024 };
  let end: (ended: { code: number | null; stdout: string; stderr: string }) => void;
  const ended = new Promise<Parameters<typeof end>[0]>((resolve) => {
    end = resolve;
  });
  const child = execFile(process.execPath, [PROGRAM, ...args], options, (_error, stdout, stderr) =>
    end({ code: child.exitCode, stdout, stderr }),
  );
  return { child, ended };
}

const runExample = (...args: string[]) => startExample(args, temporary).ended;

describe('two agents and a person in a pod', () => {
  let answer: Answer;
  let facts: Facts;

  beforeAll(async () => {
    const { code, stdout, stderr } = await runExample('--json');
    expect(stderr).toBe('');
    answer = JSON.parse(stdout) as Answer;
    expect(answer.checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(code).toBe(0);
    facts = answer.facts;
  });

  /** The value that all sources of a check agree on, and how many there are. */
  function agreed(name: string): unknown {
    const check = answer.checks.find((one) => one.name === name);
    expect(check, name).toBeDefined();
    const values = Object.values(check!.sources);
    expect(values.length).toBeGreaterThan(1);
    for (const value of values) expect(value, name).toEqual(values[0]);
    return values[0];
  }

  test('agree on everything', () => {
    expect(answer.ok).toBe(true);
    expect(answer.checks.length).toBeGreaterThan(40);
    expect(new Set(answer.checks.map(({ name }) => name)).size).toBe(answer.checks.length);
  });

  test('a branch has the same figures for its agent, in the tree, in the pod and in the journal', () => {
    verifies('SUB-13', 'SUB-04');
    const { branches, reasoning } = facts.analyst;
    const [outer, inner] = branches;
    expect(facts.now.contexts.map(({ id, type, parent }) => ({ id, type, parent }))).toEqual([
      { id: outer!.id, type: 'branch', parent: null },
      { id: inner!.id, type: 'branch', parent: outer!.id },
      { id: reasoning.id, type: 'reasoning', parent: inner!.id },
    ]);
    const [shown] = facts.now.tree.main.children;
    expect(agreed(`"Sort the week's tickets": tokens`)).toBe(shown!.tokens);
    expect(agreed(`"Sort the week's tickets": operations`)).toBe(shown!.operations);
    // Six pages fetched and stored, said once, referred once; a branch below it that came back.
    expect(shown!.operations).toBe(14);
    expect(agreed(`"Sort the week's tickets": messages`)).toBe(1 + 14 + 1 + 1);
    expect(agreed('"Is ERR_COUPON_17 one defect?": tokens')).toBe(shown!.children[0]!.tokens);
    expect(agreed('the session: tokens folded away')).toBe(shown!.tokens + shown!.children[0]!.tokens);
  });

  test('reasoning below a branch concludes by itself, with its conclusion as its summary', () => {
    verifies('SUB-03', 'SUB-11');
    const { id, conclusion, payloads } = facts.analyst.reasoning;
    const context = facts.now.contexts.find((one) => one.id === id)!;
    expect(context).toMatchObject({ state: 'concluded', summary: conclusion, messages: payloads.length });
    expect(agreed(`${id}: tokens`)).toBe(context.tokens);
    expect(context.tokens).toBeGreaterThan(50);
  });

  test('the attestation report tells what was loaded and applied', () => {
    verifies('LIB-13', 'LIB-17');
    expect(agreed('attestation: files loaded')).toBe(3);
    expect(agreed('attestation: constraints applied')).toBe(7);
    expect(facts.analyst.refs.map(({ constraintId }) => constraintId)).toEqual([
      'Queues/1',
      'Queues/2',
      'Queues/3',
      'Queues/4',
      'Findings/1',
      'Patterns/1',
      'Patterns/2',
    ]);
    expect(Object.fromEntries(facts.now.rules.map(({ path, state }) => [path, state]))).toEqual({
      'triage/QUEUES.md': 'referred',
      'triage/EVIDENCE.md': 'referred',
      'context/RELEASES.md': 'loaded',
      'answers/TONE.md': 'never_loaded',
      'workflow/TRIAGE.md': 'never_loaded',
    });
  });

  test('the reviewer hears three conclusions once each, and every answer leads to its context', () => {
    verifies('SUB-05', 'SUB-10');
    const { heard, answers } = facts.reviewer;
    expect(heard.map(({ kind }) => kind)).toEqual(['conclusion', 'conclusion', 'conclusion']);
    const { branches, reasoning } = facts.analyst;
    expect(heard.map(({ context }) => context!.id)).toEqual([reasoning.id, branches[1]!.id, branches[0]!.id]);
    expect(answers.map(({ correlation_id }) => correlation_id)).toEqual(
      heard.map(({ context }) => context!.id),
    );
    expect(agreed('the reviewer: its answers, by what they are about')).toHaveLength(3);
    // Much more was said than it heard.
    expect(facts.now.messages.length).toBeGreaterThan(30);
  });

  test('who comes later replays the same history, without a gap', () => {
    verifies('SUB-09');
    const { replayed, missed } = facts.person;
    const seqs = replayed.map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: facts.now.messages.length }, (_, index) => index + 1));
    const ids = facts.now.messages.map(({ id }) => id);
    expect(replayed.map(({ id }) => id)).toEqual(ids);
    expect(missed.map(({ id }) => id)).toEqual(ids);
    expect(Object.keys(facts.person.answered)).toHaveLength(3);
  });

  test('a new session finds what was learned', () => {
    verifies('FOLD-11', 'PACK-10', 'SUB-11');
    const { branches, reasoning, findings } = facts.analyst;
    const { items } = facts.next.before;
    for (const { id, message } of branches) {
      const item = items.find((each) => each.id === id || each.also.includes(id));
      expect(item).toMatchObject({ content: message });
      // Where the agent reported the same in the same words, one of the two stands for both.
      expect(item).toMatchObject(item?.id === id ? { origin: 'fold' } : { also: [id] });
    }
    const finding = findings.at(-1)!;
    expect(items).toContainEqual(expect.objectContaining({ id: finding.id, content: finding.text }));
    expect(items).toContainEqual(
      expect.objectContaining({ content: reasoning.conclusion, origin: 'gateway' }),
    );
  });

  test('pages collapsed once they were used, and folding dropped the rest', () => {
    verifies('TCP-13');
    const { results, last_prompt, all_prompts } = facts.analyst.figures;
    expect(results).toMatchObject({ collapsed: 7, pending: 0 });
    expect(last_prompt.sent / last_prompt.whole).toBeLessThan(0.25);
    expect(all_prompts.sent / all_prompts.whole).toBeLessThan(0.5);
  });

  test('the journal is as it was written, and everything can be made from it', () => {
    verifies('KERN-03', 'KERN-04');
    expect(facts.journal.verified.ok && facts.journal.verifiedAtTheEnd.ok).toBe(true);
    expect(agreed('the journal: entries and events')).toMatchObject({
      events: facts.journal.verified.events,
    });
    expect(facts.rebuilt).toEqual(facts.now);
    expect(answer.checks.filter(({ name }) => name.startsWith('made anew'))).toHaveLength(10);
  });

  describe('one number that is not right', () => {
    const module = new URL('checks.mjs', EXAMPLE).href;
    const changes: [what: string, change: (facts: Facts) => unknown, failing: RegExp[]][] = [
      [
        "a branch's tokens in the tree",
        ({ now }) => now.tree.main.children[0]!.tokens++,
        [/week's tickets": tokens/, /anew.*: tree/],
      ],
      [
        "the messages of a branch's context",
        ({ now }) => now.contexts[1]!.messages--,
        [/one defect\?": messages/, /contexts of the story/, /anew.*: contexts/],
      ],
      [
        'the tokens of the reasoning',
        ({ now }) => now.contexts[2]!.tokens++,
        [/^why-.*: tokens/, /anew.*: contexts/],
      ],
      ['a file that was loaded', ({ analyst }) => analyst.loaded.pop(), [/files loaded/, /content that was/]],
      [
        'a constraint that was never referred to',
        ({ byCommand }) => byCommand.rules[0]!.referred++,
        [/constraints applied/],
      ],
      [
        'a conclusion that was heard twice',
        ({ reviewer }) => reviewer.heard.push(reviewer.heard[0]!),
        [/what it heard/, /came to something/],
      ],
      [
        'an answer about something else',
        ({ reviewer }) => Object.assign(reviewer.answers[0]!, { correlation_id: 'elsewhere' }),
        [/its answers/],
      ],
      ['a message that was not replayed', ({ person }) => person.replayed.splice(7, 1), [/in its place/]],
      [
        'a pack without the finding',
        ({ next, analyst }) => {
          next.before.items = next.before.items.filter(({ id }) => id !== analyst.findings.at(-1)!.id);
        },
        [/in its pack/],
      ],
      ['an event too many', ({ journal }) => journal.verified.events++, [/entries and events/]],
      [
        'a summary that a rebuild changed',
        ({ rebuilt }) => Object.assign(rebuilt.contexts[0]!, { summary: '' }),
        [/anew.*: contexts/],
      ],
    ];

    test.each(changes)('%s', async (_what, change, failing) => {
      const { checkAll } = (await import(module)) as { checkAll(facts: Facts): Check[] };
      const changed = structuredClone(facts);
      change(changed);
      const failed = checkAll(changed).filter(({ ok }) => !ok);
      expect(failed.map(({ name }) => name)).toEqual(failing.map((name) => expect.stringMatching(name)));
    });

    test('ends the program with exit code 1, and is shown from every source', async () => {
      const file = join(temporaryFolder(), 'run.json');
      writeFileSync(file, JSON.stringify(answer));
      const right = await runExample('--check', file);
      expect(right.code).toBe(0);
      expect(right.stdout).toContain(`All ${answer.checks.length} agree`);
      const changed = structuredClone(answer);
      const { tokens } = changed.facts.now.contexts[2]!;
      changed.facts.now.contexts[2]!.tokens += 1000;
      writeFileSync(file, JSON.stringify(changed));
      const wrong = await runExample('--check', file);
      expect(wrong.code).toBe(1);
      expect(wrong.stdout).toContain('✗ why-ERR_COUPON_17: tokens\n');
      expect(wrong.stdout).toContain(`GET /api/pods/…/contexts: ${tokens + 1000}\n`);
      expect(wrong.stdout).toContain(`infold pod contexts: ${tokens}\n`);
      expect(wrong.stdout).toContain(`2 of ${answer.checks.length} do not agree`);
    });
  });

  test('leave nothing behind', () => {
    expect(readdirSync(temporary)).toEqual([]);
  });
});

test('the example that is stopped halfway leaves nothing behind', async () => {
  const folder = temporaryFolder();
  const { child, ended } = startExample([], folder);
  let told = '';
  child.stdout!.on('data', (text) => {
    told += text;
  });
  await until(() => told.includes('reads page 2'), 60_000);
  expect(readdirSync(folder)).not.toEqual([]);
  child.kill('SIGINT');
  expect((await ended).code).toBe(130);
  expect(readdirSync(folder)).toEqual([]);
});

test('an unknown flag is told what there is', async () => {
  const { code, stdout, stderr } = await runExample('--jsno');
  expect(code).toBe(2);
  expect(stdout).toBe('');
  expect(stderr).toContain('--check FILE');
});

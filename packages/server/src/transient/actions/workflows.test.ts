import { beforeEach, describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { callsOf } from '../../cli/services/calls.ts';
import type { CallResult } from '../../mcp/tools/call.ts';
import { callerNamed, errorOf } from '../../testing/fixtures.suite.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { PROJECT, publish, RECLASSIFY, type Reader, startServer } from '../fixture.suite.ts';
import { listWorkflows, readWorkflow } from './workflows.ts';

let reader: Reader;
let services: Awaited<ReturnType<typeof startServer>>['services'];

beforeEach(async () => {
  ({ reader, services } = await startServer());
  await publish(services, 'workflow/RECLASSIFY.md', RECLASSIFY);
});

const stepOf = (step: number, workflow = 'reclassify') =>
  reader.result('get_workflow_step', { workflow, step });
const hintsOf = (result: CallResult) => result._meta?.contextHints;
const textOf = (result: CallResult) => result.content[0]!.text;
const HINT = { step: 2, tool: 'search_records', lifecycle: 'transient', consumedBy: 'store_analysis_memory' };

describe('get_workflow_step', () => {
  test.each([2, 3])('step %i: the whole loop with its hints', async (step) => {
    verifies('TCP-05', 'TCP-06');
    const result = await stepOf(step);
    expect(hintsOf(result)).toEqual([HINT]);
    const lines = textOf(result).split('\n');
    expect(lines[0]).toBe('## Steps 2–3 — loop (repeat for each page of results)');
    expect(textOf(result)).toContain('### Step 2 of 5: Fetch activities');
    expect(textOf(result)).toContain('Tool: `search_records` with {"model":"activity","per_page":15}');
    expect(textOf(result)).toContain('### Step 3 of 5: Store findings');
    expect(textOf(result)).toContain('- Pass the handle of the page in sources.');
    expect(textOf(result)).toContain('pagination.total_pages');
    expect(textOf(result)).toContain('you MUST call get_workflow_step(workflow: "reclassify", step: 4)');
    expect(result.structuredContent).toMatchObject({
      workflow: { name: 'reclassify', title: 'Reclassify activities', path: 'workflow/RECLASSIFY.md' },
      group: { kind: 'loop', name: 'fetch-analyze', steps: [2, 3] },
      next_step: 4,
      total_steps: 5,
    });
  });

  test.each([1, 4, 5])('step %i: no hints', async (step) => {
    verifies('TCP-05');
    const result = await stepOf(step);
    expect(result._meta).not.toHaveProperty('contextHints');
    expect(result.structuredContent.group).toBeNull();
  });

  test('a decision, the next step and the end are told', async () => {
    verifies('TCP-06');
    const fourth = textOf(await stepOf(4));
    expect(fourth).toContain('Decide: Does the user agree?');
    expect(fourth).toContain('- **Not yet**: look at the pages in question again → step 2');
    expect(fourth).toContain(
      'REQUIRED next action: call get_workflow_step(workflow: "reclassify", step: 5), or the step',
    );
    expect((await stepOf(4)).structuredContent.next_step).toBe(5);
    expect(textOf(await stepOf(5))).toContain('Workflow complete');
    expect((await stepOf(5)).structuredContent.next_step).toBeNull();
  });

  test('parallel steps are told together; a loop wins over them; three are joined', async () => {
    verifies('TCP-06');
    const step = (order: number, more: string) =>
      `  - { order: ${order}, title: T${order}, description: D, ${more} }\n`;
    const steps = [
      step(1, 'parallelGroup: p'),
      step(2, 'parallelGroup: p, optional: true'),
      step(3, 'parallelGroup: alone'),
      ...[4, 5, 6].map((order) => step(order, 'loopGroup: l, parallelGroup: q')),
    ];
    await publish(services, 'workflow/MANY.md', `---\nsteps:\n${steps.join('')}---\n`);
    const first = await stepOf(1, 'many');
    expect(textOf(first)).toContain('## Steps 1–2 — in parallel');
    expect(textOf(first)).toContain('Step 2 of 6: T2 (optional)');
    expect(first.structuredContent).toMatchObject({
      group: { kind: 'parallel', steps: [1, 2] },
      next_step: 3,
    });
    expect((await stepOf(3, 'many')).structuredContent).toMatchObject({ group: null, next_step: 4 });
    const last = await stepOf(5, 'many');
    expect(textOf(last)).toContain('## Steps 4–5–6 — loop');
    expect(textOf(last)).toContain('After the last page the workflow is complete');
  });

  test('by name, title, path, id; in any case', async () => {
    const { id } = services.journal.database.get<{ id: string }>(
      `SELECT id FROM library_file WHERE path = 'workflow/RECLASSIFY.md'`,
    )!;
    for (const name of ['reclassify', 'RECLASSIFY', 'Reclassify activities', 'workflow/RECLASSIFY.md', id]) {
      expect((await stepOf(1, name)).isError, name).toBe(false);
    }
  });

  test('what is not there is named with what is', async () => {
    verifies('TCP-06');
    const step = await stepOf(99);
    expect(step.isError).toBe(true);
    expect(textOf(step)).toBe('Step 99 not found in workflow "reclassify". Valid steps: 1, 2, 3, 4, 5');
    const workflow = await stepOf(1, 'classify');
    expect(workflow.isError).toBe(true);
    expect(textOf(workflow)).toBe('Workflow not found: "classify". Valid workflows: reclassify');
    expect(
      (await reader.refusal('get_workflow_step', { workflow: 'reclassify', step: 1.5 })).error,
    ).toContain('whole');
  });

  test('a workflow of another project is not there; one without steps cannot be walked', async () => {
    await publish(services, 'workflow/TEXT.md', '# Only text\n');
    expect(textOf(await stepOf(1, 'TEXT'))).toContain('Valid workflows: reclassify');
    const elsewhere = await reader.refusal('get_workflow_step', {
      workflow: 'reclassify',
      step: 1,
      project: '/elsewhere',
    });
    expect(elsewhere.error).toContain('There are none with steps');
  });

  test('a newly published revision is what is walked', async () => {
    await publish(
      services,
      'workflow/NEW.md',
      '---\nname: newer\nsteps:\n  - { order: 1, title: A, description: B }\n---\n',
    );
    expect((await stepOf(1, 'newer')).structuredContent).toMatchObject({ total_steps: 1, next_step: null });
  });
});

describe('suggest_workflow', () => {
  const suggest = (input: Record<string, unknown> = {}) => reader.result('suggest_workflow', input);
  const loopFirst = `---
name: triage
description: Triage support tickets by page
tags: [support]
steps:
  - { order: 1, title: Fetch tickets, description: D, tool: search_records, loopGroup: l, contextHint: { consumedBy: store_analysis_memory } }
  - { order: 2, title: Store, description: D, tool: store_analysis_memory, loopGroup: l }
---
`;

  test('the only one is shown with its way and its beginning', async () => {
    verifies('TCP-07');
    const result = await suggest();
    expect(textOf(result)).toContain('# Reclassify activities (reclassify)');
    expect(textOf(result)).toContain('2. Fetch activities (`search_records`, loop fetch-analyze)');
    expect(textOf(result)).toContain('## Step 1 of 5: See what there is');
    expect(result.structuredContent).toMatchObject({
      picked: { workflow: { name: 'reclassify' }, next_step: 2 },
    });
    expect(hintsOf(result)).toBeUndefined();
  });

  test('of several, the one that fits a goal or tag, with the hints of what it shows', async () => {
    verifies('TCP-07');
    await publish(services, 'workflow/TRIAGE.md', loopFirst);
    const all = await suggest();
    expect(all.structuredContent.picked).toBeNull();
    expect(textOf(all)).toContain('- **triage** (2 steps): Triage support tickets by page [support]');
    expect(textOf(all)).toContain('- **reclassify** (5 steps)');
    for (const input of [{ goal: 'triage the support tickets of this week' }, { tag: 'Support' }]) {
      const picked = await suggest(input);
      expect(picked.structuredContent).toMatchObject({
        picked: { workflow: { name: 'triage' }, group: { steps: [1, 2] } },
      });
      expect(hintsOf(picked)).toEqual([{ ...HINT, step: 1 }]);
    }
    const other = await suggest({ goal: 'some activities are in the wrong category' });
    expect(other.structuredContent).toMatchObject({ picked: { workflow: { name: 'reclassify' } } });
    const between = await suggest({ goal: 'classify activities and support tickets by page' });
    expect((between.structuredContent.workflows as unknown[]).length).toBe(2);
  });

  test('nothing that fits: what there is', async () => {
    verifies('TCP-07');
    const result = await suggest({ goal: 'bake bread' });
    expect(result.isError).toBe(false);
    expect(textOf(result)).toContain('No workflow matches that. There are:');
    expect(result.structuredContent).toMatchObject({ workflows: [{ name: 'reclassify' }], picked: null });
    const none = await suggest({ project: '/elsewhere' });
    expect(textOf(none)).toContain('There are no workflows with steps');
  });
});

describe('workflows for people', () => {
  test('are read whole, with their groups and hints', async () => {
    verifies('TCP-05');
    const call = callsOf(services, localOwner);
    const read = (workflow: string, project?: string) => call(readWorkflow, { workflow, project });
    const whole = await read('reclassify', PROJECT);
    expect(whole).toMatchObject({
      ...{ name: 'reclassify', title: 'Reclassify activities', project: 'shop', total_steps: 5 },
      groups: [{ kind: 'loop', name: 'fetch-analyze', steps: [2, 3] }],
      context_hints: [HINT],
    });
    expect(whole.steps.map(({ order }) => order)).toEqual([1, 2, 3, 4, 5]);
    expect(whole.steps[3]!.decision?.options.map(({ nextStep }) => nextStep)).toEqual([5, 2]);
    expect((await read(whole.id, PROJECT)).path).toBe('workflow/RECLASSIFY.md');
    expect((await errorOf(() => read('nothing', PROJECT))).code).toBe('not_found');
  });

  test('are listed from every project that is open to the caller, and from no other', async () => {
    await publish(services, 'workflow/PLAIN.md', '# Only words\n');
    const list = (input: object, caller = localOwner) =>
      callsOf(services, caller)(listWorkflows, { ...input });
    const { workflows } = await list({});
    expect(workflows).toMatchObject([{ name: 'reclassify', project: 'shop' }]);
    const { project_id } = workflows[0]!;
    expect((await list({ project: project_id })).workflows).toEqual(workflows);
    const elsewhere = callerNamed('eve', { projects: ['proj_elsewhere'] });
    expect((await list({}, elsewhere)).workflows).toEqual([]);
    expect((await errorOf(() => list({ project: project_id }, elsewhere))).code).toBe('project_denied');
  });
});

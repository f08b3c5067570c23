import {
  discoverInput,
  discoverOutput,
  draftInput,
  draftOutput,
  loadInput,
  loadOutput,
  okOutput,
  referInput,
  referOutput,
  rejectInput,
  setupInput,
  setupOutput,
  submitInput,
} from '@infold/protocol';
import { defineTool, type ToolDefinition } from '../call/tool.ts';
import { consumedMeta } from '../trust/sources.ts';
import { closeTurn, discover, load, OPT_IN, refer, setUp } from './actions.ts';
import { draftById } from './queries/drafts.ts';
import { libraryPlace } from './session.ts';
import { DRAFT_NAMES, stage } from './staging.ts';

const recorded = { readOnlyHint: false, destructiveHint: false };

/** Every tool of this door records what the agent did, so every one of them writes (LIB-13). */
export function libraryTools(): ToolDefinition[] {
  return [setupTool, discoverTool, loadTool, referTool, submitTool, rejectTool, draftTool];
}

const setupTool = defineTool({
  name: 'memory.setup',
  door: 'library',
  title: 'Begin with the library',
  description:
    'Call first, before rules or workflows. Binds your host session; returns the workspace and its meta prompt.',
  searchHint: 'team rules, guidelines, conventions, project instructions, begin a session',
  input: setupInput,
  output: setupOutput,
  annotations: { ...recorded, idempotentHint: true },
  scope: 'write',
  run: setUp,
});

const discoverTool = defineTool({
  name: 'memory.discover',
  door: 'library',
  title: 'Find rules, workflows and context',
  description:
    'Find rules (standards, conventions, policies), workflows and context for a task, best match first. No content.',
  searchHint: 'which coding guidelines, style guide, best practices, playbook, documentation apply',
  input: discoverInput,
  output: discoverOutput,
  annotations: { ...recorded, idempotentHint: true },
  scope: 'write',
  run: discover,
});

const loadTool = defineTool({
  name: 'memory.load',
  door: 'library',
  title: 'Load content',
  description:
    'Load content and referable constraints of rules, workflows and context. Content is null where your hash is current.',
  searchHint: 'read a rule, guideline, style guide, standard or playbook',
  input: loadInput,
  output: loadOutput,
  annotations: { ...recorded, idempotentHint: true },
  scope: 'write',
  run: load,
});

const referTool = defineTool({
  name: 'memory.refer',
  door: 'library',
  title: 'Declare applied constraints',
  description: 'Declare which loaded constraints shaped your work. All refs are recorded, or none.',
  searchHint: 'cite rules that were followed, compliance, attestation, evidence',
  input: referInput,
  output: referOutput,
  annotations: { ...recorded, idempotentHint: false },
  scope: 'write',
  run: refer,
});

const submitTool = defineTool({
  name: 'memory.submit',
  door: 'library',
  title: 'Close a turn',
  description: 'Close a successful turn: report what was done.',
  searchHint: 'finish, report the work, done, summary of a turn',
  input: submitInput,
  output: okOutput,
  annotations: { ...recorded, idempotentHint: false },
  scope: 'write',
  run: ({ summary }, context) => closeTurn(context, { summary }),
});

const rejectTool = defineTool({
  name: 'memory.reject',
  door: 'library',
  title: 'Close a turn as unsatisfactory',
  description: 'Close a turn whose output did not follow the loaded constraints.',
  searchHint: 'rule was broken, could not comply, unsatisfactory result',
  input: rejectInput,
  output: okOutput,
  annotations: { ...recorded, idempotentHint: false },
  scope: 'write',
  run: ({ reason }, context) => closeTurn(context, { reason: reason ?? null }),
});

const draftTool = defineTool({
  name: 'draft',
  door: 'library',
  title: 'Propose a change',
  description:
    'Stage a change to a rule, workflow, context file or the meta prompt. Nothing is published before review. ' +
    'id: resource id, draft path or temporary id. submit hands your draft in for review; discard drops it; delete ' +
    'proposes deletion.',
  searchHint: 'propose, write, edit or delete a guideline, convention or playbook',
  input: draftInput,
  output: draftOutput,
  annotations: { ...recorded, idempotentHint: false },
  scope: 'write',
  identifiers: DRAFT_NAMES,
  async run({ resource, op, sources }, context) {
    const place = libraryPlace(context);
    const { session, project } = place;
    const { count: secrets } = context.secrets;
    const isOptedIn = place.seenIn === undefined;
    const drafting = { sessionId: session.id, isOptedIn, secrets };
    const { draft_path, draft_id } = await stage(context, project, { resource, op }, drafting);
    if (context.sessionId !== undefined) context.connection.bind(session);
    if (secrets > 0) context.notices.push(`${secrets} secrets in the draft were replaced by placeholders`);
    const draft = draftById(context.database, draft_id);
    if (draft?.live === 1 && !isOptedIn && (draft.op === 'delete' || resource === 'mpf')) {
      context.notices.push(
        'Deletions and drafts of the meta prompt are in force in no session before they are published; ' +
          OPT_IN,
      );
    }
    const status = op.submit ? { status: 'in_review' as const } : {};
    const used = await context.sources(sources);
    return {
      structured: { ok: true as const, draft_path, ...status },
      ...(used && { meta: consumedMeta(used) }),
    };
  },
});

import type { DraftDetails } from '@infold/protocol';
import type { CommitRequest } from '../../journal/journal.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { entryIdForKey } from '../../kernel/ids.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { localOwner, ownerIn } from '../../trust/identity/caller.ts';
import { scrubText } from '../../trust/secrets/scrubbing.ts';
import { hubStream, libraryStream } from '../../trust/streams.ts';
import { commentDraft, decideDraft, discardDraft, type LibraryDecision, STEPS } from '../commands/review.ts';
import { draftNow, reviewStateWithTexts } from '../queries/command-state.ts';
import { draftById } from '../queries/drafts.ts';
import { textByHash } from '../queries/files.ts';
import { type HubLink, type SentDraft, type TravellingDraft, travellingDrafts } from '../queries/hub.ts';
import { type HubClient, oneLine } from './client.ts';
import { hubName } from './credentials.ts';
import type { EdgeWork } from './work.ts';

const MOST_COMMENTS = 200;
const MOST_TEXT = 20_000;

interface SentDrafts {
  /** How many went. */
  count: number;
  problems: string[];
}

/** Submitted drafts go to the hub; those that were changed or dropped since are withdrawn. */
export async function sendDrafts(work: EdgeWork, client: HubClient, link: HubLink): Promise<SentDrafts> {
  const sent: SentDrafts = { count: 0, problems: [] };
  for (const draft of travellingDrafts(work.journal.database, link.workspace_id)) {
    const isSubmitted = draft.status === 'in_review' || draft.status === 'approved';
    const isThere = draft.state === 'submitted' && draft.staged === draft.staged_seq;
    if (isSubmitted && isThere) continue;
    await orTold(draft, sent.problems, async () => {
      if (isSubmitted) await sendDraft(work, client, link, draft);
      else await withdraw(work, client, link, draft);
      sent.count++;
    });
  }
  return sent;
}

/** What is wrong with one draft is told, and holds up nothing else; a hub that is away, or takes nothing, ends it. */
async function orTold(
  { path }: TravellingDraft,
  problems: string[],
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isOfDraft =
      InfoldError.isInstance(error) && !['hub_unreachable', 'hub_refused'].includes(error.code);
    if (!isOfDraft) throw error;
    problems.push(`The draft of ${path}: ${error.message}`);
  }
}

async function sendDraft(
  work: EdgeWork,
  client: HubClient,
  link: HubLink,
  { id, staged_seq }: TravellingDraft,
): Promise<void> {
  const { database } = work.journal;
  const draft = draftById(database, id)!;
  const { resource, op, file_id, path, new_path, base_hash, hash, description } = draft;
  const hasText = op === 'create' || op === 'update';
  const answer = await client.sendDraft({
    ...{ edge: work.edgeId, draft_id: id, project: link.hub_project_id },
    proposal: {
      ...{ resource, op, file_id, path, new_path, base_hash, description },
      body: hasText ? (textByHash(database, hash!) ?? null) : null,
    },
  });
  await noteSent(work, { draft_id: id, hub_draft_id: answer.id, state: 'submitted', staged: staged_seq });
}

async function withdraw(
  work: EdgeWork,
  client: HubClient,
  link: HubLink,
  { id, hub_draft_id, staged_seq }: TravellingDraft,
): Promise<void> {
  await client.sendDraft({ edge: work.edgeId, draft_id: id, project: link.hub_project_id, withdrawn: true });
  await noteSent(work, { draft_id: id, hub_draft_id: hub_draft_id!, state: 'withdrawn', staged: staged_seq });
}

async function noteSent({ journal, edgeId }: EdgeWork, data: SentDraft): Promise<void> {
  await journal.commit({
    stream: hubStream(localOwner.org, edgeId),
    actor: localOwner.actor,
    decide: () => ({ events: [{ type: 'hub.draft_sent', data }], answer: null }),
  });
}

/** How many drafts the hub has not heard of, as they are now. */
export function countUnsentDrafts(database: Database, workspaceId: string): number {
  return travellingDrafts(database, workspaceId).filter(
    ({ status, state, staged, staged_seq }) =>
      ['draft', 'discarded'].includes(status) || state !== 'submitted' || staged !== staged_seq,
  ).length;
}

export interface Reviewed {
  /** How many comments and decisions came back. */
  count: number;
  /** Drafts that the hub has published: its library has them. */
  published: string[];
  problems: string[];
}

/** Comments and decisions of the hub, each written once. */
export async function readReviews(work: EdgeWork, client: HubClient, link: HubLink): Promise<Reviewed> {
  const reviewed: Reviewed = { count: 0, published: [], problems: [] };
  for (const draft of travellingDrafts(work.journal.database, link.workspace_id)) {
    if (draft.live === 0 || draft.state !== 'submitted' || draft.staged !== draft.staged_seq) continue;
    await orTold(draft, reviewed.problems, async () => {
      const there = await client.draft(draft.hub_draft_id!).catch(async (error: unknown) => {
        if (!InfoldError.isInstance(error) || error.code !== 'draft_not_found') throw error;
        // The hub was restored from before it came: it is sent again.
        const { id: draft_id, hub_draft_id, staged_seq: staged } = draft;
        await noteSent(work, { draft_id, hub_draft_id: hub_draft_id!, state: 'withdrawn', staged });
        return undefined;
      });
      if (!there) return;
      reviewed.count += await applyReview(work, link, draft, there);
      if (there.status === 'published') reviewed.published.push(draft.id);
    });
  }
  return reviewed;
}

async function applyReview(
  work: EdgeWork,
  link: HubLink,
  { id, staged_seq }: TravellingDraft,
  there: DraftDetails,
): Promise<number> {
  const say = (text: string) => scrubText(work.scrubber, text.slice(0, MOST_TEXT)).text;
  let count = 0;
  // The newest ones: those before them were read when they were new.
  for (const { at, by, text, line, side, current } of there.comments.slice(-MOST_COMMENTS)) {
    // Not by its place: a hub that was restored has another comment there.
    const key = ['comment', id, at, by, text];
    count += await write(work, link, by, key, (database) => {
      const state = reviewStateWithTexts(database, draftNow(database, id));
      const { hash } = state.draft;
      // A line is the same line only in the same text.
      const isHere =
        current && side === 'draft' && hash !== null && textByHash(database, hash) === there.content;
      return commentDraft(state, { text: say(text), ...(isHere && line !== null ? { line, side } : {}) });
    });
  }
  const step = DECISIONS[there.status];
  if (!step) return count;
  const key = ['decision', id, String(staged_seq), there.status];
  const decide = (database: Database): LibraryDecision<null> => {
    const draft = draftNow(database, id);
    // It was staged anew meanwhile, or is decided already.
    if (!STEPS[step].includes(draft.status) || draft.status === there.status)
      return { events: [], answer: null };
    const note = there.note === null ? null : say(there.note);
    return step === 'discard'
      ? discardDraft(draft, { action: 'discard', sessionId: null })
      : decideDraft(draft, step, note, { principal: '', selfApproval: true });
  };
  return count + (await write(work, link, there.decided_by ?? 'hub', key, decide));
}

const DECISIONS: Partial<Record<DraftDetails['status'], 'approve' | 'decline' | 'discard'>> = {
  approved: 'approve',
  declined: 'decline',
  discarded: 'discard',
};

/** By who did it there. The entry's id follows from what it is, so that it is written once. */
async function write(
  { journal }: EdgeWork,
  link: HubLink,
  by: string,
  key: readonly string[],
  decide: CommitRequest<null>['decide'],
): Promise<number> {
  const { actor } = ownerIn(link.org, `${oneLine(by).slice(0, 64)}@${hubName(link.hub_url)}`);
  try {
    const { entry, replayed } = await journal.commit({
      stream: libraryStream(link.workspace_id),
      actor,
      id: entryIdForKey('hub', link.hub_id, ...key),
      decide,
    });
    return entry && !replayed ? 1 : 0;
  } catch (error) {
    if (InfoldError.isInstance(error) && error.code === 'draft_state') return 0;
    throw error;
  }
}

import { hubApi, type UploadedBatch } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { sleep } from '../../kernel/clock.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { digestHex } from '../../kernel/ids.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { admits } from '../../trust/access/rule.ts';
import type { Caller } from '../../trust/identity/caller.ts';
import { ensureProject } from '../../trust/identity/projects.ts';
import { firstTokenAt, projectById } from '../../trust/identity/queries.ts';
import { hubStream } from '../../trust/streams.ts';
import { type ProposalState, receiveDraft as receive, withdrawDraft } from '../commands/receive-draft.ts';
import { commitToLibrary } from '../commit.ts';
import { invalid } from '../errors.ts';
import { draftById } from '../queries/drafts.ts';
import { historyOf } from '../queries/files.ts';
import { edgeById, publishedText, receivedHashes } from '../queries/hub.ts';
import { partyOf, person } from '../staging.ts';
import { type ReceivingState, receiveBatch } from './commands.ts';
import { scrubEntry } from './scrub-events.ts';

const LOOK = 25;

export const receiveEvents = defineAction(hubApi.receiveEvents, {
  scrubsItself: true,
  async run(given, { journal, caller, scrubber, config }) {
    const batch = { ...given, entries: given.entries.map((entry) => scrubEntry(scrubber, entry)) };
    const bytes = Buffer.byteLength(JSON.stringify(batch.entries));
    const { hubBatchBytes } = config.limits;
    if (bytes > hubBatchBytes) {
      throw new InfoldError(
        'too_large',
        `The batch holds ${bytes} bytes; at most ${hubBatchBytes} are accepted`,
      );
    }
    if (journal.cluster) await hearOf(journal.database, caller.org, batch, config.limits.lockWait);
    const { answer } = await journal.commit({
      stream: hubStream(caller.org, batch.edge),
      actor: caller.actor,
      decide: (database, now) => receiveBatch(stateFor(database, caller, batch), batch, caller, now),
    });
    const { refusal, ...structured } = answer;
    if (refusal) throw refusal;
    return { structured };
  },
});

/** Another node may have taken in the batch before this one, and this node be a moment behind. */
async function hearOf(database: Database, org: string, batch: UploadedBatch, most: number): Promise<void> {
  const deadline = performance.now() + most;
  const isBehind = () => (edgeById(database, org, batch.edge)?.seq ?? batch.after.seq) < batch.after.seq;
  while (isBehind() && performance.now() < deadline) await sleep(LOOK);
}

function stateFor(database: Database, caller: Caller, { edge, entries }: UploadedBatch): ReceivingState {
  const { org, principal } = caller;
  const projects = new Set(entries.map(({ project }) => project));
  const open = [...projects]
    .filter((id) => admits(caller, { kind: 'project', id }).allowed)
    .flatMap((id) => projectById(database, org, id) ?? []);
  return {
    edge: edgeById(database, org, edge),
    known: receivedHashes(
      database,
      caller,
      entries.map(({ id }) => id),
    ),
    workspaces: new Map(open.map(({ id, workspace_id }) => [id, workspace_id])),
    notBefore: firstTokenAt(database, org, principal) ?? 0,
  };
}

/** What this workspace has of a file. A hash opens no text of another one. */
function knownOf(
  database: Database,
  workspaceId: string,
  fileId: string | null,
  baseHash: string | null,
): Pick<ProposalState, 'history' | 'baseText'> {
  return {
    history: fileId === null ? [] : historyOf(database, workspaceId, fileId),
    baseText: baseHash === null ? undefined : publishedText(database, workspaceId, baseHash),
  };
}

/** Its id follows from where it came from: sent twice, it is one draft. */
export const receiveDraft = defineAction(hubApi.receiveDraft, {
  identifiers: [
    ...['edge', 'draft_id', 'project'],
    ...['proposal.path', 'proposal.new_path', 'proposal.file_id', 'proposal.base_hash'],
  ],
  async run({ edge, draft_id, project: spec, withdrawn, proposal }, context) {
    const { journal, caller, config, secrets } = context;
    if ((withdrawn === true) === (proposal !== undefined)) {
      throw invalid('Either the proposal is sent, or that it is withdrawn');
    }
    const project = await ensureProject(journal, caller, context.project(spec));
    const id = `draft_${digestHex(20, 'edge', caller.org, caller.principal, edge, draft_id)}`;
    const party = partyOf(caller, project, config, { ...person, secrets: secrets.count });
    const { status } = await commitToLibrary(context, project.workspace_id, (database) => {
      const before = draftById(database, id);
      if (!proposal) return withdrawDraft(before);
      const { file_id, base_hash } = proposal;
      return receive(
        { before, ...knownOf(database, project.workspace_id, file_id, base_hash) },
        party,
        id,
        proposal,
      );
    });
    return { structured: { id, status } };
  },
});

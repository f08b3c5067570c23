import type { SyncReport } from '@infold/protocol';
import { syncHub } from '../../library/edge/actions.ts';
import { act } from '../act.ts';
import type { Run } from '../command-line.ts';
import { EXIT } from '../output.ts';

export function librarySync(run: Run): Promise<number> {
  return act(run, syncHub, {}, { show: (synced) => syncLines(synced).join('\n'), exitCode: syncExit });
}

export function syncExit({ problems }: SyncReport): number {
  return problems.length > 0 ? EXIT.partly : EXIT.done;
}

export function syncLines({
  projects,
  sent,
  memory,
  drafts,
  reviews,
  restored,
  problems,
}: SyncReport): string[] {
  return [
    ...(restored ? ['The hub was restored from an older backup: everything was compared.'] : []),
    ...projects.map(
      ({ project, revision, changed }) => `${project}: revision ${revision}, ${changed} files changed`,
    ),
    `Sent: ${sent} entries, ${memory} memory items, ${drafts} drafts. Came back: ${reviews} reviews.`,
    ...problems,
  ];
}

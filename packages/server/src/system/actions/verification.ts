import { type OutputOf, systemApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import type { CallContext } from '../../call/context.ts';
import { lastCheckpoint } from '../../journal/integrity/checkpoints.ts';
import { readHead } from '../../journal/rows.ts';
import { isoTime } from '../../kernel/clock.ts';
import { textFor } from '../../trust/access/hide-paths.ts';
import { isLocalOwner } from '../../trust/identity/caller.ts';
import type { Verification } from '../verification.ts';

declare module '../../call/parts.ts' {
  interface Parts {
    verification: Verification;
  }
}

/** It goes on when this is answered; where one is under way already, that is the one. */
export const startVerification = defineAction(systemApi.startVerification, {
  run(_input, context) {
    const isNew = context.parts.verification.start();
    return { structured: verificationView(context), isNew };
  },
});

export const readVerification = defineAction(systemApi.readVerification, {
  run: (_input, context) => ({ structured: verificationView(context) }),
});

/** The journal is that of all organisations: only who owns it learns whose entry is not as it was written. */
function verificationView({
  caller,
  config,
  database,
  parts,
}: CallContext): OutputOf<typeof systemApi.readVerification> {
  const { state, done, total, startedAt, endedAt, report, problem } = parts.verification.state;
  const told = (text: string) => textFor(caller, text, config);
  const first = report?.first && {
    ...report.first,
    problem: told(report.first.problem),
    ...(!isLocalOwner(caller) && { id: null, stream: null }),
  };
  return {
    state,
    done,
    total,
    started_at: startedAt === null ? null : isoTime(startedAt),
    ended_at: endedAt === null ? null : isoTime(endedAt),
    report: report && { ...report, ...(first && { first }) },
    problem: problem === null ? null : told(problem),
    head: readHead(database).seq,
    checkpoint: lastCheckpoint(database)?.seq ?? null,
  };
}

import { writeFileSync } from 'node:fs';
import { isoTime } from '../../kernel/clock.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { goneByRule, pageOfConversations, totals } from '../../window/queries.ts';
import { actInFolder } from '../act.ts';
import type { Run } from '../command-line.ts';

interface Ended {
  startedAt: number;
  command: string[];
  code: number;
}

/** What went through the door while a command ran. */
export interface Receipt {
  command: string;
  started_at: string;
  ended_at: string;
  exit_code: number;
  requests: number;
  conversations: ReturnType<typeof conversationsSince>;
}

const MOST = 100;

/** Of the conversations that were used since a position of the journal. */
export function readReceipt(running: Run, since: number, ended: Ended): Promise<Receipt> {
  return actInFolder(running, {}, async (_call, { journal }) => {
    const conversations = conversationsSince(journal.database, since);
    return {
      command: ended.command[0]!,
      started_at: isoTime(ended.startedAt),
      ended_at: isoTime(Date.now()),
      exit_code: ended.code,
      requests: conversations.reduce((sum, { requests }) => sum + requests, 0),
      conversations,
    };
  });
}

function conversationsSince(database: Database, since: number) {
  return pageOfConversations(database, null, { limit: MOST })
    .filter(({ last_seq }) => last_seq > since)
    .map(({ id, host, upstream, model }) => {
      return { id, host, upstream, model, ...totals(database, id), gone: goneByRule(database, id) };
    });
}

export function writeReceipt(file: string, receipt: Receipt): void {
  writeFileSync(file, `${JSON.stringify(receipt, null, 2)}\n`);
}

const grouped = (value: number) => value.toLocaleString('en-US');

export function showReceipt({ command, requests, conversations }: Receipt): string {
  if (requests === 0) {
    return `infold: no request of ${command} went through the window door, so nothing was saved and nothing is recorded.`;
  }
  const lines = conversations.map(
    ({ id, model, requests: count, asked_tokens, sent_tokens }) =>
      `  ${model ?? 'unknown model'}: ${grouped(count)} requests, ${grouped(sent_tokens)} of ${grouped(asked_tokens)} tokens sent (estimated); infold window receipt ${id}`,
  );
  return [`infold: ${grouped(requests)} requests of ${command} went through the window door.`, ...lines].join(
    '\n',
  );
}

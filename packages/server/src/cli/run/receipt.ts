import { accessSync, constants, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { WindowReceipt } from '@infold/protocol';
import { isoTime } from '../../kernel/clock.ts';
import { InfoldError, messageOf } from '../../kernel/errors.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { readWindowReceipt } from '../../window/actions/read.ts';
import { receiptText } from '../../window/costs/receipts.ts';
import { pageOfConversations } from '../../window/queries.ts';
import { actInFolder } from '../act.ts';
import type { Run } from '../command-line.ts';
import type { Passed } from './server.ts';

/** How a command ended, and through which server it went: one that others use too, or its own. */
export type Ended = { code: number } & ({ shared: string } | { passed: Passed });

type Asked = Ended & { command: string; startedAt: number; since: number };

/** What went through the door while a command ran; nothing of what a conversation had before. */
export interface Receipt {
  command: string;
  started_at: string;
  ended_at: string;
  exit_code: number;
  /** The server that others may have used meanwhile; null for one of its own. */
  shared_server: string | null;
  requests: number;
  /** Passed on without being looked at; known of a server of its own alone. */
  unread: Passed['unread'];
  conversations: WindowReceipt[];
}

export function readReceipt(running: Run, asked: Asked): Promise<Receipt> {
  return actInFolder(running, {}, async (call, { journal }) => {
    const ids = 'passed' in asked ? [...asked.passed.conversations] : usedSince(journal.database, asked);
    const conversations: WindowReceipt[] = [];
    for (const id of ids) {
      const receipt = await call(readWindowReceipt, { id, since: asked.startedAt });
      // An answer alone may have come meanwhile, to what was asked before.
      if (receipt.requests.all > 0) conversations.push(receipt);
    }
    conversations.sort((one, other) => other.requests.all - one.requests.all);
    return {
      command: asked.command,
      started_at: isoTime(asked.startedAt),
      ended_at: isoTime(Date.now()),
      exit_code: asked.code,
      shared_server: 'shared' in asked ? asked.shared : null,
      requests: conversations.reduce((sum, { requests }) => sum + requests.all, 0),
      unread: 'passed' in asked ? asked.passed.unread : [],
      conversations,
    };
  });
}

const MOST = 100;

/** A server that others use too does not tell whose a request was: those that went on meanwhile. */
function usedSince(database: Database, { since }: Asked): string[] {
  return pageOfConversations(database, localOwner, { limit: MOST })
    .filter(({ last_seq }) => last_seq > since)
    .map(({ id }) => id);
}

/** Known before anything runs: afterwards the receipt would be lost. */
export function checkReceiptFile(file: string): void {
  const folder = dirname(file);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    const there = statSync(file, { throwIfNoEntry: false });
    if (there?.isDirectory()) throw new Error('it is a folder');
    if (there) accessSync(file, constants.W_OK);
  } catch (error) {
    throw new InfoldError(
      'invalid_arguments',
      `The receipt cannot be written to ${file} (${messageOf(error)}). Name a file in a folder that exists and that you can write to`,
    );
  }
}

export function writeReceipt(file: string, receipt: Receipt): void {
  writeFileSync(file, `${JSON.stringify(receipt, null, 2)}\n`);
}

/** The larger ones; a host with subagents has many. */
const SHOWN = 3;

export function showReceipt({ command, shared_server, unread, conversations }: Receipt): string {
  const passed = unread.map(({ why, count }) => `${count} (${why})`);
  const aside = passed.length > 0 ? `infold: passed on unread: ${passed.join(', ')}` : undefined;
  if (conversations.length === 0) {
    return (
      aside ?? `infold: no request of ${command} went through the window door: nothing was saved or recorded`
    );
  }
  const more = conversations.length - SHOWN;
  return [
    ...(shared_server ? [`infold: conversations that went through ${shared_server} meanwhile`] : []),
    ...conversations.slice(0, SHOWN).map(receiptText),
    ...(more > 0 ? [`infold: and ${more} more; "infold window" lists them`] : []),
    ...(aside ? [aside] : []),
  ].join('\n');
}

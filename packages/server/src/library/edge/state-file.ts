import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HUB_STATES } from '@infold/protocol';
import { z } from 'zod';
import { replacePrivateFile } from '../../kernel/private-files.ts';

const position = z.object({ seq: z.number(), hash: z.string() });

/** How the last rounds went: for people, and so that processes of one folder take turns. Nothing depends on it. */
const edgeState = z.object({
  state: z.enum(HUB_STATES),
  problem: z.string().nullable(),
  /** Problems that are those of some workspaces alone. */
  concerns: z.array(z.object({ problem: z.string(), workspaces: z.array(z.string()) })).default([]),
  synced_at: z.number().nullable(),
  tried_at: z.number().nullable(),
  /** Rounds in a row that failed. */
  failures: z.number(),
  /** Not before this time, if the hub asked for that. */
  not_before: z.number().nullable().default(null),
  /** Up to where the hub has the journal under the id of this edge, and up to where there is nothing more to send. */
  line: z.string().nullable().default(null),
  position: z.number().nullable(),
  looked: z.number(),
  /** The same of what goes apart from the rest, and why the hub does not take it, if it does not. */
  lines: z
    .record(
      z.string(),
      z.object({ position: z.number(), looked: z.number(), problem: z.string().nullable() }),
    )
    .default({}),
  /** The end of the hub's journal, as it was seen last. */
  head: position.nullable(),
  /** The same for workspaces that could not be compared with it then. */
  heads: z.record(z.string(), position.nullable()).default({}),
  /** The newest word on drafts that was heard, by workspace. */
  news: z.record(z.string(), z.number()),
});
export type EdgeState = z.infer<typeof edgeState>;

export const NO_STATE: EdgeState = {
  ...{ state: 'never', problem: null, concerns: [], synced_at: null, tried_at: null, failures: 0 },
  ...{ not_before: null, line: null, position: null, looked: 0, lines: {}, head: null, heads: {}, news: {} },
};

const fileIn = (data: string) => join(data, 'hub-state.json');

/** What is missing or unreadable is taken for nothing: the next round writes it anew. */
export function readState(data: string): EdgeState {
  try {
    return edgeState.parse(JSON.parse(readFileSync(fileIn(data), 'utf8')));
  } catch {
    return NO_STATE;
  }
}

export function writeState(data: string, state: EdgeState): void {
  // What is lost with the machine is found out anew.
  replacePrivateFile(fileIn(data), `${JSON.stringify(state)}\n`, { durable: false });
}

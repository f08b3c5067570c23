import { LIMITS } from '@infold/protocol';
import { SqliteJournal } from '../../packages/server/dist/journal/sqlite.js';
import { temporaryFolder } from '../support/server-process.mjs';

export const ACTOR = { org: 'local', principal: 'bench' };

/** A small thing to keep: about what a remark of an agent takes. */
export const BODY =
  'A remark of an agent about the work at hand, as long as such remarks tend to be. '.repeat(3);

export const NOTE_TABLE = 'CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;';
export const INSERT_NOTE = 'INSERT INTO note (id, body) VALUES (?, ?)';

/** One table, one row for each event: the least that a projection does. */
export const noteProjection = {
  name: 'note',
  version: 1,
  tables: NOTE_TABLE,
  on: {
    'note.written': (
      /** @type {any} */ database,
      /** @type {any} */ { body },
      /** @type {any} */ { entry },
    ) => {
      database.run(INSERT_NOTE, entry.seq, body);
    },
  },
};

/** @param {import('../../packages/server/dist/journal/projections/projector.js').Projection[]} projections */
export async function openJournal(...projections) {
  return SqliteJournal.open({ folder: temporaryFolder(), projections, limits: LIMITS });
}

/** @param {string} body */
export function noteWritten(body) {
  return { events: [{ type: 'note.written', data: { body } }], answer: undefined };
}

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { actorText, bodyDigest, entryHash } from '../../packages/server/dist/journal/integrity/chain.js';
import { writtenEvents } from '../../packages/server/dist/journal/upcast.js';
import { uuidV7 } from '../../packages/server/dist/kernel/ids.js';
import { bareHash } from '../../packages/server/dist/library/files/hashes.js';
import { checkSessionProof } from '../../packages/server/dist/library/proof/check.js';
import { makeSessionProof } from '../../packages/server/dist/library/proof/make.js';
import { libraryState } from '../../packages/server/dist/library/queries/in-force.js';
import { localOwner } from '../../packages/server/dist/trust/identity/caller.js';
import { sessionStream } from '../../packages/server/dist/trust/streams.js';
import { benchmark, time } from '../harness.mjs';
import { Agent, startServices } from '../support/agent.mjs';
import { temporaryFolder } from '../support/server-process.mjs';
import { importInto, withoutMeter, writeLibrary } from './folder.mjs';

const PROGRAM = fileURLToPath(new URL('../../packages/server/bin/infold.mjs', import.meta.url));
const FIRST = fileURLToPath(new URL('./first-session-verification.mjs', import.meta.url));
const PROJECT = '/bench/library';
const RULES = 500;
const INSERT = `INSERT INTO journal_entry (seq, id, chosen, stream, rev, at, actor, cause, salt, data, digest, hash)
  VALUES (?, ?, 0, ?, ?, ?, ?, NULL, ?, ?, ?, ?)`;
const { org, principal, actor } = localOwner;

/** A long session, spread over a journal that many others wrote to, as far apart as it can be: that costs most. */
export default benchmark({
  target: 'proof of a session of 2,000 entries among 1,000,000: ≤ 3 MB, verified in ≤ 1 s',
  async run({ quick }) {
    const [own, entries] = quick ? [200, 50_000] : [2000, 1_000_000];
    const services = await startServices();
    const { journal } = services;
    const folder = temporaryFolder();
    mkdirSync(folder, { recursive: true });
    writeLibrary(folder, RULES);
    await importInto(services, PROJECT, folder);
    const agent = await new Agent(withoutMeter(services), PROJECT).begin();
    const session = /** @type {NonNullable<typeof agent.session>} */ (agent.session);
    await agent.call('memory.setup', { session_id: session.id });
    fill(journal, session, { own, entries });
    await journal.checkpoint();

    const rounds = quick ? 2 : 5;
    /** @type {{ bytes: number[], make: number[], first: number[], command: number[], warm: number[] }} */
    const taken = { bytes: [], make: [], first: [], command: [], warm: [] };
    for (let round = 0; round < rounds; round++) {
      let text = '';
      taken.make.push(
        await time(async () => {
          ({ text } = await makeSessionProof(journal, session, { content: false }));
        }),
      );
      taken.bytes.push(Buffer.byteLength(text));
      const file = join(folder, `${round}.proof`);
      writeFileSync(file, text);
      taken.first.push(Number(execFileSync(process.execPath, [FIRST, file], { encoding: 'utf8' })));
      const nowhere = join(folder, 'none');
      taken.command.push(
        await time(() =>
          execFileSync(process.execPath, [PROGRAM, '--data', nowhere, '--json', 'attest', 'verify', file], {
            maxBuffer: 100_000_000,
          }),
        ),
      );
      taken.warm.push(
        await time(() => {
          const { evidence, problem } = checkSessionProof(text);
          if (evidence?.session.entries !== own) throw new Error(problem ?? 'Entries are missing');
        }),
      );
    }
    const whole = await time(() => journal.verify());
    await journal.close();

    const allowed = (/** @type {number[]} */ ours, /** @type {number} */ most) => ({
      against: 'the most that is allowed',
      ours,
      floor: ours.map(() => most),
      limit: { ratioAtMost: 1 },
    });
    const what = `a session of ${own.toLocaleString('en')} entries among ${entries.toLocaleString('en')}`;
    return [
      { what: `proof of ${what}`, unit: 'bytes', ...allowed(taken.bytes, 3_000_000) },
      {
        what: 'verifying it, the first work of a process, nothing compiled yet',
        unit: 'ms',
        ...allowed(taken.first, 1000),
      },
      {
        what: '`attest verify` as a command, from its start to its end',
        unit: 'ms',
        ...allowed(taken.command, 1000),
      },
      {
        what: 'verifying it again in the same process',
        unit: 'ms',
        against: 'verifying it first',
        ours: taken.warm,
        floor: taken.first,
      },
      {
        what: `proving ${what}`,
        unit: 'ms',
        against: '`verify` of the whole journal',
        ours: taken.make,
        floor: taken.make.map(() => whole),
      },
    ];
  },
});

/**
 * Writes entries past the tables, chained as they would be: the session's own at equal distances among those of others. It
 * loads and refers to rules, and works with tools.
 *
 * @param {import('../../packages/server/dist/journal/journal.js').Journal} journal
 * @param {import('../../packages/server/dist/trust/sessions/queries.js').Session} session
 * @param {{ own: number, entries: number }} counts
 */
function fill(journal, session, { own, entries }) {
  const { database } = journal;
  const head = journal.head();
  const insert = database.sql(INSERT);
  const rules =
    /** @type {{ id: string, kind: string, path: string, hash: string, workspace_id: string }[]} */ (
      database.all("SELECT * FROM library_file WHERE kind = 'rule' AND id <> path ORDER BY path")
    );
  const workspace_id = rules[0]?.workspace_id ?? '';
  const library = libraryState(database, workspace_id);
  const inSession = { session_id: session.id, workspace_id };
  const rule = (/** @type {number} */ index) =>
    /** @type {(typeof rules)[number]} */ (rules[index % rules.length]);

  /** @param {number} index */
  const eventOf = (index) => {
    const { id, kind, path, hash } = rule(index);
    if (index % 5 < 2) {
      const items = [{ id, kind, path, hash, changed: true, draft: false }];
      return { type: 'attest.load', data: { ...inSession, items, library } };
    }
    if (index % 5 > 2) return operation(session.id, index);
    const text = `What section ${index} says, in a sentence or two.`;
    const claim = {
      rule_id: id,
      path,
      rule_hash: hash,
      claimed_hash: hash,
      constraint_id: `Section/${index}`,
    };
    const told = { constraint_name: 'Section', constraint_text: text, reason: 'It was about that.' };
    const refs = [{ ...claim, ...told, loaded: true, stale: false }];
    return { type: 'attest.refer', data: { ...inSession, refs } };
  };

  database.exec('PRAGMA synchronous = OFF; BEGIN IMMEDIATE');
  /** @type {Uint8Array} */
  let hash = Buffer.from(head.hash, 'hex');
  const others = Array.from({ length: 50 }, (_, index) => ({
    ...{ id: `sess_${bareHash(String(index)).slice(0, 24)}`, rev: 0 },
  }));
  const before = database.get('SELECT max(rev) AS rev FROM journal_entry WHERE stream = ?', session.stream);
  let rev = Number(before?.rev);
  const distance = Math.floor((entries - head.seq) / (own - rev));
  const who = actorText(actor);
  for (let seq = head.seq + 1; seq <= entries; seq++) {
    const isOwn = (seq - head.seq) % distance === 0 && rev < own;
    const other = /** @type {(typeof others)[number]} */ (others[seq % others.length]);
    const stream = isOwn ? session.stream : sessionStream(org, principal, 'proj_bench', other.id);
    const event = isOwn ? eventOf(rev) : operation(other.id, seq);
    const data = JSON.stringify({ events: writtenEvents(/** @type {any} */ ([event])) });
    const salt = Buffer.from(bareHash(`${seq}`).slice(0, 32), 'hex');
    const digest = bodyDigest({ salt, data });
    const header = {
      ...{ seq, id: uuidV7(), stream, rev: isOwn ? ++rev : ++other.rev, at: 1_760_000_000_000 + seq },
      ...{ actor: who, cause: null, digest },
    };
    hash = entryHash(hash, header);
    insert.run(seq, header.id, stream, header.rev, header.at, who, salt, data, digest, hash);
  }
  database.run('UPDATE journal_head SET seq = ?, hash = ? WHERE one = 1', entries, hash);
  database.exec('COMMIT');
  if (rev !== own) throw new Error(`The session has ${rev} entries`);
}

/**
 * @param {string} session_id
 * @param {number} index
 */
function operation(session_id, index) {
  const call = { session_id, branch_id: null, tool: 'Grep', call_id: `call-${index}`, tokens: 60 };
  const said = {
    input: { pattern: '401' },
    output: 'auth failed for user 17',
    secrets: 0,
    source: 'reported',
  };
  return { type: 'operation.completed', data: { ...call, ...said } };
}

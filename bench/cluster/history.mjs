import { Subjects, writeHeads, writeText } from '../../packages/server/dist/journal/cluster/wire.js';
import { actorText, bodyDigest, hexOf } from '../../packages/server/dist/journal/integrity/chain.js';
import { writtenEvents } from '../../packages/server/dist/journal/upcast.js';
import { randomBytesOf, uuidV7 } from '../../packages/server/dist/kernel/ids.js';
import { localOwner } from '../../packages/server/dist/trust/identity/caller.js';
import { sessionStream } from '../../packages/server/dist/trust/streams.js';

const { org, principal, actor } = localOwner;
const PROJECT = 'proj_bench';
/** Operations of a session. */
const SESSION = 500;
const OUTPUT = 'A line of a log that says what was asked of a server and what it answered. '.repeat(3);
/** Messages after which the server is waited for. */
const FLUSH = 1000;

/**
 * Publishes a journal of so many events as nodes would have written it, each an entry of its own, which costs most: sessions
 * that begin and report operations. Nobody waits for acknowledgements, so that it takes seconds.
 *
 * @param {import('@nats-io/transport-node').NatsConnection} connection
 * @param {number} events
 */
export async function publishHistory(connection, events) {
  const subjects = new Subjects('infold');
  for (let index = 0; index < events; index++) {
    const session = `sess_bench${Math.floor(index / SESSION)}`;
    const stream = sessionStream(org, principal, PROJECT, session);
    const rev = (index % SESSION) + 1;
    const { head, text } = entry(stream, rev, rev === 1 ? started(session) : operated(session, index));
    connection.publish(subjects.body(stream), writeText(text));
    connection.publish(subjects.head(stream), writeHeads([head]));
    if (index % FLUSH === FLUSH - 1) await connection.flush();
  }
  await connection.flush();
}

/**
 * @param {string} stream
 * @param {number} rev
 * @param {any} event
 */
function entry(stream, rev, event) {
  const body = { salt: randomBytesOf(16), data: JSON.stringify({ events: writtenEvents([event]) }) };
  const at = Date.now();
  const digest = bodyDigest(body);
  const name = hexOf(digest);
  return {
    head: {
      id: uuidV7(at),
      chosen: false,
      stream,
      rev,
      at,
      actor: actorText(actor),
      cause: null,
      digest,
      name,
    },
    text: { name, ...body, blob: null },
  };
}

/** @param {string} session_id */
function started(session_id) {
  return {
    type: 'session.started',
    data: { session_id, org, principal, project_id: PROJECT, host_id: null },
  };
}

/**
 * @param {string} session_id
 * @param {number} index
 */
function operated(session_id, index) {
  return {
    type: 'operation.completed',
    data: {
      ...{ session_id, branch_id: null, tool: 'Grep', call_id: `call-${index}`, tokens: 60 },
      ...{ input: { pattern: 'ERROR' }, output: OUTPUT, secrets: 0, source: 'reported' },
    },
  };
}

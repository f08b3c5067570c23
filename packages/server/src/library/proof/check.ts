import { createHash } from 'node:crypto';
import {
  type AttestedFact,
  type EntrySet,
  MOST_PROOF_BYTES,
  proofSignatureSchema,
  type SessionProof,
  sessionProofSchema,
} from '@infold/protocol';
import { bytesOf } from '../../journal/integrity/chain.ts';
import { problemOfEntrySet } from '../../journal/integrity/entry-set.ts';
import { isSignedBy } from '../../journal/integrity/keys.ts';
import { libraryStream } from '../../trust/streams.ts';
import { contentHash } from '../files/hashes.ts';
import { Contradiction, collectEvidence, type ProvenEntry, type SessionEvidence } from './evidence.ts';
import { factsOf, type ReadEvent } from './facts.ts';

type CheckedProof = { evidence: SessionEvidence; problem?: never } | { problem: string; evidence?: never };

/** What the second line of the file signs, by the SHA-256 of the first. As text, so that any program can check it. */
export function signedText(hash: string): string {
  return `infold session proof 1\n${hash}\n`;
}

/** What the file comes to, or why it proves nothing. Whose key signed it, the caller must know. Needs no journal. */
export function checkSessionProof(text: string): CheckedProof {
  if (text.length > MOST_PROOF_BYTES) return { problem: 'it is larger than any session proof' };
  const read = readSessionProof(text);
  if (typeof read === 'string') return { problem: read };
  const { proof, line, signature } = read;
  const problem = problemOfEntrySet(proof.set);
  if (problem) return { problem };
  const { public_key } = proof.set.checkpoint.key;
  const hash = createHash('sha256').update(line).digest('hex');
  if (!isSignedBy(Buffer.from(public_key, 'base64'), signedText(hash), bytesOf(signature))) {
    return { problem: 'it is not as it was signed' };
  }
  try {
    const entries = proof.set.entries.map((entry) => readEntry(entry, proof.set));
    checkStreams(proof, entries);
    return { evidence: collectEvidence(proof, entries) };
  } catch (error) {
    if (error instanceof Contradiction) return { problem: error.message };
    throw error;
  }
}

function readSessionProof(text: string): { proof: SessionProof; line: string; signature: string } | string {
  const [line = '', last = '', ...rest] = text.split('\n', 4);
  if (rest.length !== 1 || rest[0] !== '') return 'it is no session proof: that has two lines';
  try {
    const { signature } = proofSignatureSchema.parse(JSON.parse(last), { jitless: true });
    const read = sessionProofSchema.safeParse(JSON.parse(line), { jitless: true });
    if (read.success) return { proof: read.data, line, signature };
    const { path, message } = read.error.issues[0]!;
    return `it is no session proof: ${path.join('.').slice(0, 100) || 'the file'}: ${message.slice(0, 200)}`;
  } catch {
    return 'it is no session proof';
  }
}

function readEntry(entry: EntrySet['entries'][number], { streams, actors }: EntrySet): ProvenEntry {
  const { seq, rev, at, body, says } = entry;
  if (body && says) throw new Contradiction(`entry ${seq} is shown, and something else is said of it`);
  return {
    ...{ seq, rev, at, stream: streams[entry.stream]!, actor: actors[entry.actor]! },
    facts: body ? shownFacts(seq, body.data) : (says ?? []),
    isShown: body !== undefined,
  };
}

function shownFacts(seq: number, data: string): AttestedFact[] {
  const events = eventsIn(data);
  if (!events) throw new Contradiction(`what entry ${seq} shows is no entry`);
  for (const { type, data } of events) if (type === 'library.published') checkTexts(seq, data);
  return factsOf(events);
}

function eventsIn(data: string): ReadEvent[] | undefined {
  try {
    const { events } = JSON.parse(data) as { events: ReadEvent[] };
    const isRead = Array.isArray(events) && events.every((event) => typeof event.type === 'string');
    return isRead ? events : undefined;
  } catch {
    return undefined;
  }
}

/** A publication that is shown has its texts, and a text has its hash. */
function checkTexts(seq: number, data: unknown): void {
  const { changes } = (data ?? {}) as { changes?: unknown };
  if (!Array.isArray(changes)) return;
  for (const change of changes as ({ text?: unknown; hash?: unknown; path?: unknown } | null)[]) {
    if (typeof change?.text !== 'string' || contentHash(change.text) === change.hash) continue;
    throw new Contradiction(`the text of ${change.path} in entry ${seq} has another hash`);
  }
}

/** The session's own entries are all there, from its first one on; besides them there are only publications of its library. */
function checkStreams({ session, library }: SessionProof, entries: readonly ProvenEntry[]): void {
  if (!session.stream.startsWith('session.') || !session.stream.endsWith(`.${session.id}`)) {
    throw new Contradiction(`${session.stream} is not the stream of ${session.id}`);
  }
  const published = library && libraryStream(library.workspace_id);
  let rev = 0;
  for (const entry of entries) {
    const isOwn = entry.stream === session.stream;
    if (!isOwn && entry.stream !== published) {
      throw new Contradiction(`entry ${entry.seq} belongs neither to the session nor to its library`);
    }
    if (isOwn && entry.rev !== ++rev) {
      throw new Contradiction(
        `entry ${entry.seq} is number ${entry.rev} of its session, where ${rev} should be`,
      );
    }
    for (const fact of entry.facts) checkPlace(fact, entry, { session, library });
  }
  if (rev === 0) throw new Contradiction('it holds no entry of the session');
}

/** What an entry says is about the session, or the library, whose stream it is in. */
function checkPlace(
  { type, data }: AttestedFact,
  { seq, stream }: ProvenEntry,
  { session, library }: Pick<SessionProof, 'session' | 'library'>,
): void {
  const isOwn = stream === session.stream;
  const isPlaced =
    isOwn === (type !== 'library.published') &&
    (!isOwn || ('session_id' in data && data.session_id === session.id));
  const isOfLibrary = !('workspace_id' in data) || data.workspace_id === library?.workspace_id;
  if (!isPlaced || !isOfLibrary) {
    throw new Contradiction(`what entry ${seq} says is not about the session or its library`);
  }
}

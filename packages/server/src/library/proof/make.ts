import { createHash } from 'node:crypto';
import { type AttestedFact, type EntrySet, MOST_PROOF_BYTES, type SessionProof } from '@infold/protocol';
import { hexOf } from '../../journal/integrity/chain.ts';
import { tooLarge } from '../../journal/integrity/entry-set.ts';
import type { Entry, Journal, Progress } from '../../journal/journal.ts';
import { giveWay } from '../../kernel/background.ts';
import { InfoldError } from '../../kernel/errors.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { projectById } from '../../trust/identity/queries.ts';
import type { Session } from '../../trust/sessions/queries.ts';
import { libraryStream } from '../../trust/streams.ts';
import { revisionOf } from '../queries/files.ts';
import { filesAt, publicationTimes } from '../queries/in-force.ts';
import { checkSessionProof, signedText } from './check.ts';
import type { SessionEvidence } from './evidence.ts';
import { factsOf, isShown } from './facts.ts';
import { Published } from './published.ts';

export interface SessionProofOptions {
  /** Also show texts: of the rules that the session used, of its reasons and summaries. */
  content: boolean;
  progress?: Progress;
}

const MEANING: SessionProof['meaning'] = {
  proven:
    'The holder of the key has signed a journal that has these entries at these positions, with these times, streams and actors, and with exactly the bodies that are shown. What a shown body says was put on record when the work was done. Where one of them records the digest of the library, the list of files at that revision is proven too.',
  stated:
    'What "says" tells of an entry whose body is not shown, and a list of files that no shown body records the digest of. The holder of the key has signed this file, and with it these words; that the entry says so can be checked when its body is shown: its digest is proven.',
};

/** Small, because an entry may hold 256 KB in its row, and more in a file. */
const PAGE = 20;

interface Told {
  facts: AttestedFact[];
  shown: boolean;
}

/** What anyone can verify without the journal: the file's text, and what it comes to. */
export async function makeSessionProof(
  journal: Journal,
  session: Session,
  { content, progress }: SessionProofOptions,
): Promise<{ text: string; evidence: SessionEvidence }> {
  // What is written from here on is not in it.
  const end = journal.head().seq;
  const told = new Map<number, Told>();
  for await (const entry of entriesIn(journal, session.stream, 0, end))
    told.set(entry.seq, tell(entry, content));
  const [first, last] = [told.keys().next().value, [...told.keys()].at(-1)];
  if (first === undefined || last === undefined) {
    throw new InfoldError('not_found', `Session ${session.id} has no entries`);
  }
  const library = await libraryOf(journal, session, { first, last, told, content });
  const set = await journal.proveSet([...told.keys()], {
    shows: (seq) => told.get(seq)!.shown,
    progress,
  });
  const proof: SessionProof = {
    format: 'infold-session-proof/1',
    meaning: MEANING,
    session: { id: session.id, stream: session.stream },
    library,
    set: { ...set, entries: set.entries.map((entry) => withFacts(entry, told.get(entry.seq)!)) },
  };
  return signed(journal, proof);
}

async function signed(
  journal: Journal,
  proof: SessionProof,
): Promise<{ text: string; evidence: SessionEvidence }> {
  const line = JSON.stringify(proof);
  const key = await journal.keys.current();
  if (key.id !== proof.set.checkpoint.key.id) {
    throw new InfoldError('conflict', 'The signing key was replaced meanwhile; try again', {
      retryable: true,
    });
  }
  const hash = createHash('sha256').update(line).digest('hex');
  const text = `${line}\n${JSON.stringify({ signature: hexOf(key.sign(signedText(hash))) })}\n`;
  if (Buffer.byteLength(text) > MOST_PROOF_BYTES) throw tooLarge();
  const checked = checkSessionProof(text);
  if (checked.evidence) return { text, evidence: checked.evidence };
  throw new InfoldError(
    'storage_invalid',
    `The session cannot be proven: ${checked.problem}. Run "infold verify" to check the journal`,
  );
}

async function* entriesIn(
  journal: Journal,
  stream: string,
  after: number,
  end: number,
): AsyncGenerator<Entry> {
  for (let seq = after; ; ) {
    const page = journal.entriesOf(stream, seq, PAGE);
    for (const entry of page) {
      if (entry.seq > end) return;
      yield entry;
    }
    if (page.length < PAGE) return;
    seq = page.at(-1)!.seq;
    await giveWay();
  }
}

const tell = (entry: Entry, content: boolean): Told => ({
  facts: factsOf(entry.events),
  shown: isShown(entry, content),
});

function withFacts(entry: EntrySet['entries'][number], { facts, shown }: Told): EntrySet['entries'][number] {
  return shown || facts.length === 0 ? entry : { ...entry, says: facts };
}

interface Span {
  first: number;
  last: number;
  /** By position; the publications that matter are added. */
  told: Map<number, Told>;
  content: boolean;
}

/** What was published when the session began, and the publications that it depends on or that came while it went on. */
async function libraryOf(journal: Journal, session: Session, span: Span): Promise<SessionProof['library']> {
  const { database } = journal;
  const { first, last, told, content } = span;
  const sessionFacts = [...told].map(([seq, { facts }]) => ({ seq, facts }));
  const workspaceId = workspaceOf(database, session, sessionFacts);
  if (workspaceId === undefined) return null;
  const stream = libraryStream(workspaceId);

  let began: number | undefined;
  const later: { seq: number; facts: AttestedFact[] }[] = [];
  for await (const entry of entriesIn(journal, stream, first, journal.head().seq)) {
    if (entry.seq > last && began !== undefined) break;
    const facts = factsOf(entry.events);
    const published = facts.find(({ type }) => type === 'library.published');
    if (published?.type !== 'library.published') continue;
    began ??= published.data.revision - 1;
    if (entry.seq > last) break;
    later.push({ seq: entry.seq, facts });
    told.set(entry.seq, tell(entry, content));
  }
  const revision = began ?? revisionOf(database, workspaceId);
  const files = filesAt(database, workspaceId, revision);

  const used = usedRevisions(new Published(workspaceId, revision, files), [...sessionFacts, ...later]);
  const earlier = [...used].filter((one) => one <= revision);
  for (const seq of publicationsOf(journal, workspaceId, earlier, first)) {
    const { facts, shown } = tell(journal.entryAt(seq)!, content);
    told.set(seq, { facts: facts.map(withoutChanges), shown });
  }
  return { workspace_id: workspaceId, revision, files };
}

/** The one that the session worked with: its project may have another one by now. */
function workspaceOf(
  database: Database,
  session: Session,
  entries: readonly { facts: readonly AttestedFact[] }[],
): string | undefined {
  const used = new Set(
    entries.flatMap(({ facts }) =>
      facts.flatMap(({ data }) => ('workspace_id' in data ? [data.workspace_id] : [])),
    ),
  );
  if (used.size > 1) {
    throw new InfoldError(
      'conflict',
      `Session ${session.id} worked with two libraries, because "infold hub join" or "infold hub leave" was run meanwhile; a proof is about one. Single entries can be proven with "infold verify --entry N --proof FILE"`,
    );
  }
  const [workspaceId] = used;
  return workspaceId ?? projectById(database, session.org, session.project_id)?.workspace_id;
}

/** What such a publication left to the session is in the list of files already. */
function withoutChanges(fact: AttestedFact): AttestedFact {
  return fact.type === 'library.published' ? { ...fact, data: { ...fact.data, changes: [] } } : fact;
}

/** In which revisions the files were published that the session loaded or referred to. */
function usedRevisions(
  published: Published,
  entries: readonly { seq: number; facts: readonly AttestedFact[] }[],
): Set<number> {
  const used = new Set<number>();
  const note = (path: string | null, hash: string) => {
    const file = path === null ? undefined : published.file(path);
    if (file?.hash === hash) used.add(file.revision);
  };
  for (const { facts } of [...entries].sort((one, other) => one.seq - other.seq)) {
    for (const { type, data } of facts) {
      if (type === 'library.published') published.apply(data);
      if (type === 'attest.load') for (const { path, hash } of data.items) note(path, hash);
      if (type === 'attest.refer') for (const { path, rule_hash } of data.refs) note(path, rule_hash);
      if (type === 'attest.instructions') note(data.path, data.hash);
    }
  }
  return used;
}

/** Positions of the entries that published these revisions. Tables have their times, and several entries may have one time. */
function publicationsOf(
  journal: Journal,
  workspaceId: string,
  revisions: readonly number[],
  before: number,
): number[] {
  const times = new Set(publicationTimes(journal.database, workspaceId, revisions).values());
  const found: number[] = [];
  for (const { seq, at } of [...journal.positionsOf(libraryStream(workspaceId))]) {
    if (seq >= before) break;
    if (!times.has(at)) continue;
    const isMeant = ({ type, data }: AttestedFact) =>
      type === 'library.published' && revisions.includes(data.revision);
    if (factsOf(journal.entryAt(seq)!.events).some(isMeant)) found.push(seq);
  }
  return found;
}

import type { AttestedFact, PublishedFileFact, SessionProof } from '@infold/protocol';
import type { Actor } from '../../journal/journal.ts';
import { Published } from './published.ts';

/** The file says two things that cannot both be true. */
export class Contradiction extends Error {}

/** An entry whose place, time and actor are proven. */
export interface ProvenEntry {
  seq: number;
  rev: number;
  at: number;
  stream: string;
  actor: Actor;
  facts: readonly AttestedFact[];
  /** Whether the facts are read from its body; else they are only stated. */
  isShown: boolean;
}

/** Where and when something stands in the journal, and whether more than the word of the key's holder speaks for it. */
interface Standing {
  entry: number;
  at: number;
  proven: boolean;
}

/** In which revision a file was published, where it was in force; null for a draft, and for what was not. */
interface InRevision {
  revision: number | null;
  /** Whether what was in force is proven, too. */
  revision_proven: boolean;
}

export interface InForce {
  revision: number;
  /** From this entry on: the session's first one, or a publication. */
  entry: number;
  at: number;
  /** The entry of the session that recorded the digest of just these files, if one is shown. */
  recorded_by: number | null;
  proven: boolean;
  /** How many files are published. */
  count: number;
  /** Of the first one all of them, of later ones those that it published. */
  files: PublishedFileFact[];
  /** Paths that the publication took away. */
  gone: string[];
}

export interface SessionEvidence {
  session: {
    id: string;
    /** The ids that its host knows it by. */
    host_ids: string[];
    actors: Actor[];
    entries: number;
    shown: number;
    first_at: number;
    last_at: number;
  };
  journal: { entries: number; root: string; key: string };
  workspace_id: string | null;
  in_force: InForce[];
  set_up: (Standing & { mpf_hash: string | null; drafts: boolean })[];
  loaded: (Standing &
    InRevision & {
      path: string | null;
      hash: string;
      draft: boolean;
      /** By the agent, or by its host. */
      by: 'agent' | 'host';
    })[];
  declared: (Standing &
    InRevision & {
      path: string;
      rule_hash: string;
      constraint_hash: string;
      loaded: boolean;
      stale: boolean;
    })[];
  turns: (Standing & { outcome: 'submitted' | 'rejected' })[];
  publications: (Standing & { revision: number; actor: Actor })[];
}

/** Files that are hashed for all revisions together: a file that asks for more is made to keep its reader busy. */
const MOST_HASHED = 5_000_000;

/** Goes through the entries in their order, and holds what they say against each other. */
export function collectEvidence(proof: SessionProof, entries: readonly ProvenEntry[]): SessionEvidence {
  const { session, library, set } = proof;
  const own = entries.filter(({ stream }) => stream === session.stream);
  const walk = new Walk(library, own[0]!);
  for (const entry of entries) for (const fact of entry.facts) walk.take(fact, entry);
  walk.finish();
  const actors = new Map(own.map(({ actor }) => [JSON.stringify(actor), actor]));
  return {
    session: {
      id: session.id,
      host_ids: [...walk.hostIds],
      actors: [...actors.values()],
      entries: own.length,
      shown: entries.filter(({ isShown }) => isShown).length,
      first_at: own[0]!.at,
      last_at: own.at(-1)!.at,
    },
    journal: { entries: set.checkpoint.seq, root: set.checkpoint.root, key: set.checkpoint.key.id },
    workspace_id: library?.workspace_id ?? null,
    ...walk.found,
  };
}

class Walk {
  readonly hostIds = new Set<string>();
  readonly found: Pick<
    SessionEvidence,
    'in_force' | 'set_up' | 'loaded' | 'declared' | 'turns' | 'publications'
  > = { in_force: [], set_up: [], loaded: [], declared: [], turns: [], publications: [] };
  readonly #first: ProvenEntry;
  readonly #published: Published | undefined;
  readonly #began: PublishedFileFact[];
  #hashed = 0;

  constructor(library: SessionProof['library'], first: ProvenEntry) {
    this.#first = first;
    this.#began = library?.files ?? [];
    if (!library) return;
    this.#published = new Published(library.workspace_id, library.revision, library.files);
    const isWhole = this.#published.size === library.files.length;
    if (!isWhole || library.files.some(({ revision }) => revision > library.revision)) {
      throw new Contradiction(
        'the list of files in force holds a path twice, or a revision that was not yet',
      );
    }
    this.#isInForce(first, library.files, []);
  }

  take(fact: AttestedFact, entry: ProvenEntry): void {
    const { found } = this;
    const standing = { entry: entry.seq, at: entry.at, proven: entry.isShown };
    switch (fact.type) {
      case 'session.started':
      case 'session.named':
        if (fact.data.host_id !== null) this.hostIds.add(fact.data.host_id);
        return;
      case 'attest.setup':
        this.#hold(fact.data.library, entry);
        found.set_up.push({ ...standing, mpf_hash: fact.data.mpf_hash, drafts: fact.data.drafts });
        return;
      case 'attest.load':
        this.#hold(fact.data.library, entry);
        for (const { path, hash, draft } of fact.data.items) {
          const revision = this.#revisionOf(draft ? null : path, hash);
          found.loaded.push({ ...standing, path, hash, ...revision, draft, by: 'agent' });
        }
        return;
      case 'attest.instructions': {
        const { path, hash } = fact.data;
        const revision = this.#revisionOf(path, hash);
        found.loaded.push({ ...standing, path, hash, ...revision, draft: false, by: 'host' });
        return;
      }
      case 'attest.refer':
        for (const { path, rule_hash, constraint_hash, loaded, stale } of fact.data.refs) {
          const revision = this.#revisionOf(path, rule_hash);
          found.declared.push({ ...standing, path, rule_hash, ...revision, constraint_hash, loaded, stale });
        }
        return;
      case 'attest.agent_report':
      case 'attest.reject':
        found.turns.push({ ...standing, outcome: fact.type === 'attest.reject' ? 'rejected' : 'submitted' });
        return;
      case 'library.published':
        this.#publish(fact.data, entry);
    }
  }

  #isInForce({ seq, at }: ProvenEntry, files: PublishedFileFact[], gone: string[]): void {
    const { revision, size } = this.#published!;
    const place = { revision, entry: seq, at, recorded_by: null, proven: false };
    this.found.in_force.push({ ...place, count: size, files, gone });
  }

  /** Of a publication before the session only what it left to it counts; one that came later changes what is in force. */
  #publish(
    publication: Extract<AttestedFact, { type: 'library.published' }>['data'],
    entry: ProvenEntry,
  ): void {
    const published = this.#published!;
    const { revision, changes } = publication;
    const { seq, at, actor, isShown } = entry;
    this.found.publications.push({ entry: seq, at, proven: isShown, revision, actor });
    if (seq > this.#first.seq) {
      if (revision !== published.revision + 1) {
        throw new Contradiction(
          `entry ${seq} published revision ${revision}, where ${published.revision + 1} should be`,
        );
      }
      published.apply(publication);
      const isThere = ({ path }: { path: string }) => published.file(path)?.revision === revision;
      const files = changes.filter(isThere).map(({ path }) => published.file(path)!);
      const left = changes.map(({ path, previous_path }) => previous_path ?? path);
      this.#isInForce(
        entry,
        files,
        left.filter((path) => !published.file(path)),
      );
      return;
    }
    if (revision > published.revision) {
      throw new Contradiction(
        `entry ${seq} published revision ${revision} before the session, which began with ${published.revision}`,
      );
    }
    if (!isShown) return;
    const changed = new Map(changes.map(({ path, hash, op }) => [path, op === 'delete' ? null : hash]));
    const other = this.#began.find(
      (file) => file.revision === revision && changed.get(file.path) !== file.hash,
    );
    if (other) throw new Contradiction(`entry ${seq} did not publish ${other.path} as it is listed`);
  }

  /** What a session recorded of its library must be what is listed. */
  #hold(recorded: { revision: number; digest: string } | undefined, { seq, isShown }: ProvenEntry): void {
    const published = this.#published;
    if (!recorded || !published) return;
    if (!published.isDigested) this.#hashed += published.size;
    if (this.#hashed > MOST_HASHED) throw new Contradiction('it lists more files than can be verified');
    if (recorded.revision !== published.revision || recorded.digest !== published.digest()) {
      throw new Contradiction(`the files listed as in force are not those that entry ${seq} recorded`);
    }
    const state = this.found.in_force.at(-1)!;
    if (!isShown || state.proven) return;
    state.proven = true;
    state.recorded_by = seq;
  }

  #revisionOf(path: string | null, hash: string): InRevision {
    const file = path === null ? undefined : this.#published?.file(path);
    return { revision: file?.hash === hash ? file.revision : null, revision_proven: false };
  }

  /** What was in force may be recorded later than it was used. */
  finish(): void {
    const { in_force, loaded, declared } = this.found;
    for (const list of [loaded, declared]) {
      let state = 0;
      for (const item of list) {
        while ((in_force[state + 1]?.entry ?? Number.POSITIVE_INFINITY) <= item.entry) state++;
        item.revision_proven = item.revision !== null && item.proven && in_force[state]!.proven;
      }
    }
  }
}

import type { EntryId } from '@infold/protocol';
import { InfoldError } from '../../kernel/errors.ts';
import { type EntryBody, hexOf } from '../integrity/chain.ts';
import type { KeyRow } from '../integrity/keys.ts';
import type { WrittenEntry } from '../local.ts';

/** The version of these messages. A node that does not know it stops following instead of guessing. */
const VERSION = 1;
const SUBJECTS_KNOWN = 10_000;

/** What every node needs of an entry to reach the same head, whether or not its body is still there. */
export interface EntryHead
  extends Pick<WrittenEntry, 'id' | 'chosen' | 'stream' | 'at' | 'actor' | 'cause' | 'digest'> {
  /** The digest in hexadecimal, by which the body is found. */
  name: string;
  /** Where it comes to stand in its stream. Decided on another state, it does not count. */
  rev: number;
  thorough?: boolean | undefined;
  key?: KeyRow | undefined;
}

/** What an entry says, in a message of its own: it can be erased. */
export interface EntryText extends EntryBody {
  /** Of the digest, as its header has it. */
  name: string;
  /** The name of the object that holds the data, where they are large. */
  blob: string | null;
}

/** Tokens of a subject: what they may not hold is written as its bytes. Names of streams need it only in tests. */
function subjectOf(stream: string): string {
  return stream
    .split('.')
    .map((token) => token.replace(/[^\w=:-]/gu, escaped) || '=')
    .join('.');
}

function escaped(character: string): string {
  return [...Buffer.from(character)].map((byte) => `=${byte.toString(16).padStart(2, '0')}`).join('');
}

/** Where messages are published: `infold.session.…` for headers, `infold.body.session` for bodies. */
export class Subjects {
  readonly #prefix: string;
  readonly all: string;
  readonly snapshot: string;
  readonly audit: string;
  readonly #bodies: string;
  readonly #heads = new Map<string, string>();

  constructor(prefix: string) {
    this.#prefix = prefix;
    this.all = `${prefix}.>`;
    this.#bodies = `${prefix}.body.`;
    this.snapshot = `${prefix}.mark.snapshot`;
    this.audit = `${prefix}.mark.audit`;
  }

  head(stream: string): string {
    let subject = this.#heads.get(stream);
    if (subject === undefined) {
      subject = `${this.#prefix}.${subjectOf(stream)}`;
      if (this.#heads.size >= SUBJECTS_KNOWN) this.#heads.clear();
      this.#heads.set(stream, subject);
    }
    return subject;
  }

  body(stream: string): string {
    return `${this.#bodies}${subjectOf(stream.split('.', 1)[0]!)}`;
  }

  kindOf(subject: string): 'body' | 'snapshot' | 'audit' | 'head' {
    if (subject.startsWith(this.#bodies)) return 'body';
    if (subject === this.audit) return 'audit';
    return subject === this.snapshot ? 'snapshot' : 'head';
  }
}

export function writeHeads(entries: readonly EntryHead[]): string {
  return JSON.stringify({
    version: VERSION,
    entries: entries.map(({ id, chosen, stream, rev, at, actor, cause, name, thorough, key }) => ({
      ...{ id, stream, rev, at, actor, cause, digest: name },
      ...(chosen && { chosen }),
      ...(thorough && { thorough }),
      ...(key && {
        key: { ...key, public_key: hexOf(key.public_key), endorsement: hexOrNull(key.endorsement) },
      }),
    })),
  });
}

interface WrittenHead {
  id: EntryId;
  chosen?: boolean;
  stream: string;
  rev: number;
  at: number;
  actor: string;
  cause: EntryId | null;
  digest: string;
  thorough?: boolean;
  key?: Omit<KeyRow, 'public_key' | 'endorsement'> & { public_key: string; endorsement: string | null };
}

export function readHeads(text: string, position: number): EntryHead[] {
  const { version, entries } = JSON.parse(text) as { version: number; entries: WrittenHead[] };
  if (version !== VERSION) {
    throw new InfoldError(
      'storage_newer',
      `Message ${position} of the journal was written by a newer Infold (version ${version}; this one supports ${VERSION}). Upgrade Infold`,
    );
  }
  return entries.map(readHead);
}

/** Field by field: a node that catches up does this for every entry there is. */
function readHead({
  id,
  chosen,
  stream,
  rev,
  at,
  actor,
  cause,
  digest,
  thorough,
  key,
}: WrittenHead): EntryHead {
  return {
    id,
    chosen: chosen ?? false,
    stream,
    rev,
    at,
    actor,
    cause,
    name: digest,
    digest: Buffer.from(digest, 'hex'),
    thorough,
    key: key && {
      ...key,
      public_key: Buffer.from(key.public_key, 'hex'),
      endorsement: key.endorsement === null ? null : Buffer.from(key.endorsement, 'hex'),
    },
  };
}

/** One line of what is needed to read the rest, which is the data as they were hashed. */
export function writeText({ name, salt, data, blob }: EntryText): string {
  return `${JSON.stringify([name, hexOf(salt), blob])}\n${blob === null ? data : ''}`;
}

export function readText(text: string): EntryText {
  const end = text.indexOf('\n');
  const [name, salt, blob] = JSON.parse(text.slice(0, end)) as [string, string, string | null];
  return { name, salt: Buffer.from(salt, 'hex'), blob, data: text.slice(end + 1) };
}

function hexOrNull(bytes: Uint8Array | null): string | null {
  return bytes && hexOf(bytes);
}

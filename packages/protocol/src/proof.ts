import { z } from 'zod';
import { FILE_OPERATIONS } from './library.ts';

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const base64 = z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/);
const position = z.int().min(1);

/**
 * Proves to someone without the journal that one entry is in it: the entry's header, the Merkle path from it to a root over
 * all entries, and a signature of that root. The body is included only on request.
 */
export const proofSchema = z.strictObject({
  format: z.literal('infold-proof/1'),
  entry: z.strictObject({
    seq: position,
    id: z.string(),
    stream: z.string(),
    rev: position,
    at: z.int(),
    actor: z.strictObject({ org: z.string(), principal: z.string(), agent: z.string().exactOptional() }),
    cause: z.string().nullable(),
    /** The salted digest of the body. */
    digest: hash,
  }),
  /** The hash of the entry before it. */
  previous: hash,
  /** From the entry up: within its interval, then from there to the root of the journal. */
  path: z.strictObject({ interval: z.array(hash).max(16), journal: z.array(hash).max(48) }),
  checkpoint: z.strictObject({
    seq: position,
    root: hash,
    /** The hash of the entry at `seq`. */
    hash,
    key: z.strictObject({ id: z.string(), public_key: base64 }),
    signature: z.string().regex(/^[0-9a-f]{128}$/),
  }),
  body: z.strictObject({ salt: z.string().regex(/^[0-9a-f]*$/), data: z.string() }).optional(),
});

export type Proof = z.infer<typeof proofSchema>;

const name = z.string().max(1024);
const contentHash = z.string().regex(/^(sha256:)?[0-9a-f]{64}$/);
/** Hashes of 32 bytes, one after the other. Most of a proof of many entries are these. */
const hashes = z.string().regex(/^[A-Za-z0-9+/]*={0,2}$/);

/** The published files of a workspace at one revision, by the digest of their list. */
export const libraryStateSchema = z.strictObject({ revision: z.int().min(0), digest: hash });

const inSession = { session_id: name, workspace_id: name };
const kind = z.enum(['rule', 'workflow', 'context']);
const library = libraryStateSchema.optional();

/**
 * What an entry says about rules, without any text that somebody wrote: no rule, reason, summary, query or name of a section.
 * A constraint is named by the hash of its text.
 */
export const ATTESTED_FACTS = {
  'session.started': z.strictObject({
    ...{ session_id: name, org: name, principal: name, project_id: name },
    host_id: name.nullable(),
  }),
  'session.named': z.strictObject({ session_id: name, host_id: name }),
  'attest.setup': z.strictObject({
    ...inSession,
    mpf_hash: contentHash.nullable(),
    drafts: z.boolean(),
    library,
  }),
  'attest.load': z.strictObject({
    ...inSession,
    items: z.array(
      z.strictObject({
        ...{ id: name, kind, path: name, hash: contentHash },
        ...{ changed: z.boolean(), draft: z.boolean() },
      }),
    ),
    library,
  }),
  'attest.instructions': z.strictObject({
    ...inSession,
    hash: contentHash,
    rule_id: name.nullable(),
    path: name.nullable(),
  }),
  'attest.refer': z.strictObject({
    ...inSession,
    refs: z.array(
      z.strictObject({
        ...{ rule_id: name, path: name, rule_hash: contentHash, constraint_hash: hash },
        ...{ loaded: z.boolean(), stale: z.boolean() },
      }),
    ),
  }),
  'attest.agent_report': z.strictObject(inSession),
  'attest.reject': z.strictObject(inSession),
  'library.published': z.strictObject({
    workspace_id: name,
    revision: position,
    changes: z.array(
      z.strictObject({
        ...{ op: z.enum(FILE_OPERATIONS), file_id: name, kind, path: name },
        ...{ previous_path: name.nullable(), hash: contentHash },
      }),
    ),
  }),
} as const;

export type AttestedType = keyof typeof ATTESTED_FACTS;
export type AttestedFact = {
  [Type in AttestedType]: { type: Type; data: z.infer<(typeof ATTESTED_FACTS)[Type]> };
}[AttestedType];

const attestedFact = z.discriminatedUnion(
  'type',
  Object.entries(ATTESTED_FACTS).map(([type, data]) =>
    z.strictObject({ type: z.literal(type), data }),
  ) as never,
) as unknown as z.ZodType<AttestedFact>;

/** Proves many entries under one checkpoint: what their paths to its root share is there once. */
export const entrySetSchema = z.strictObject({
  streams: z.array(name).max(1000),
  actors: z.array(proofSchema.shape.entry.shape.actor).max(10_000),
  /** In order. The stream and the actor are places in the lists above. */
  entries: z
    .array(
      z.strictObject({
        ...proofSchema.shape.entry.shape,
        stream: z.int().min(0),
        actor: z.int().min(0),
        /** The hash of the entry before it, where that one is not here too. */
        previous: hash.optional(),
        body: proofSchema.shape.body,
        /** Of an entry whose body is not shown: what the holder of the key says that it holds. */
        says: z.array(attestedFact).max(10_000).optional(),
      }),
    )
    .min(1),
  /**
   * What stands beside the ways from these entries to the root of each interval that has some, and from there to the root of
   * the journal: from left to right, each root of a part of the tree that holds none of them.
   */
  path: z.strictObject({ intervals: z.array(hashes), journal: hashes }),
  checkpoint: proofSchema.shape.checkpoint,
});

export type EntrySet = z.infer<typeof entrySetSchema>;

const publishedFile = z.strictObject({
  path: name,
  kind,
  hash: contentHash,
  /** The revision of the workspace in which it became what it is. */
  revision: position,
});
export type PublishedFileFact = z.infer<typeof publishedFile>;

/**
 * The first line of a session proof. The second line signs it, byte by byte, with the key of the checkpoint: what is proven
 * follows from the entries; what is only stated is at least said by that key.
 */
export const sessionProofSchema = z.strictObject({
  format: z.literal('infold-session-proof/1'),
  /** In words, for who opens the file. */
  meaning: z.strictObject({ proven: z.string().max(2000), stated: z.string().max(2000) }),
  session: z.strictObject({ id: name, stream: name }),
  /** What was published when the session began. Its changes while the session went on are entries. */
  library: z
    .strictObject({
      workspace_id: name,
      revision: z.int().min(0),
      files: z.array(publishedFile),
    })
    .nullable(),
  set: entrySetSchema,
});

export type SessionProof = z.infer<typeof sessionProofSchema>;

export const proofSignatureSchema = z.strictObject({ signature: z.string().regex(/^[0-9a-f]{128}$/) });

/** A larger file is neither made nor read. */
export const MOST_PROOF_BYTES = 64 * 1024 * 1024;

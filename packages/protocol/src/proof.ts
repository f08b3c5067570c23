import { z } from 'zod';

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

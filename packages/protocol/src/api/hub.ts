import { z } from 'zod';
import { DRAFT_RESOURCES, DRAFT_STATUSES, FILE_KINDS, FILE_OPERATIONS } from '../library.ts';
import type { Limits } from '../limits.ts';
import { ROUTES } from '../routes.ts';
import { describeAction, next, pageFields, projectSpec, SCOPES } from './shape.ts';

/** A hub and its edges: the library goes down by revision, evidence and drafts come up. */

const count = z.number().int().min(0);
const time = z.string();
/** Milliseconds since 1970. */
const moment = z.number().int().min(0).max(8_640_000_000_000_000);
const contentHash = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'is "sha256:" and 64 hex digits');
const someHash = z.string().regex(/^(sha256:)?[0-9a-f]{64}$/, 'is 64 hex digits');
const name = z.string().min(1).max(600);
const path = z.string().min(1).max(512);

export const edgeId = z
  .string()
  .regex(/^edge_[a-z2-9]{20}$/, 'is "edge_" and 20 characters, as "infold hub join" makes it');

export const chainPosition = z.strictObject({
  seq: count,
  hash: z.string().regex(/^[0-9a-f]{64}$/, 'is 64 hex digits'),
});

/** A published file of a hub. */
export const manifestFile = z.object({
  id: name,
  path,
  kind: z.enum(FILE_KINDS),
  hash: contentHash,
  /** It was deleted. */
  gone: z.literal(true).optional(),
});
export type ManifestFile = z.infer<typeof manifestFile>;

export const hubManifest = z.object({
  hub: z.object({
    id: z.string().min(1).max(80),
    org: name,
    principal: name,
    scopes: z.array(z.enum(SCOPES)),
    /** The hub's clock. */
    now: moment,
    /** The end of the hub's journal. */
    head: chainPosition,
  }),
  project: z.object({ id: name, name }),
  revision: count,
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  /** What the files are changes to: the revision that was asked for, or 0 where they are all there is. */
  since: count,
  files: z.array(manifestFile),
  /** Grows with every decision about a draft of the caller, and with every comment. */
  news: count,
  /** The hash of the entry that the edge saw at the end of the hub's journal before; another one after a restore. */
  seen: chainPosition.shape.hash.nullable(),
  /** How far the hub has the journal of the edge that asks. */
  position: chainPosition.nullable(),
  next,
});
export type HubManifest = z.infer<typeof hubManifest>;

export const hubTexts = z.object({ files: z.array(z.object({ hash: contentHash, text: z.string() })) });

const flag = z.boolean();
const text = (most: number) => z.string().max(most);
const maybe = (most: number) => text(most).nullable();
const kind = z.enum(FILE_KINDS);

/** What was published at the edge when it was set up or loaded. */
const libraryState = z.strictObject({ revision: count, digest: someHash });

function uploaded<const Type extends string, Shape extends z.ZodRawShape>(type: Type, data: Shape) {
  return z.strictObject({ type: z.literal(type), data: z.strictObject(data) });
}

/** What one event may list. Not a limit of either side: what an edge may write down, its hub takes in. */
const MOST_LISTED = 10_000;

/** Everything that an edge may send. What is not named here is refused: nobody can say who they are, or where they work. */
const uploadedEvent = z.discriminatedUnion('type', [
  uploaded('attest.setup', {
    ...{ mpf_hash: someHash.nullable(), mpf_changed: flag, drafts: flag },
    ...{ library: libraryState.exactOptional(), model: text(256).exactOptional() },
  }),
  uploaded('attest.discover', {
    kind: kind.nullable(),
    group: maybe(256),
    query: maybe(1000),
    result_count: count,
    result_names: z.array(text(600)).max(50),
  }),
  uploaded('attest.load', {
    items: z
      .array(z.strictObject({ id: name, kind, path, hash: someHash, changed: flag, draft: flag }))
      .max(MOST_LISTED),
    library: libraryState.exactOptional(),
  }),
  uploaded('attest.instructions', {
    file: text(4096),
    hash: someHash,
    reason: maybe(200),
    rule_id: name.nullable(),
    path: maybe(512),
  }),
  uploaded('attest.refer', {
    refs: z
      .array(
        z.strictObject({
          rule_id: name,
          path,
          rule_hash: someHash,
          /** As the agent said it. */
          claimed_hash: maybe(80),
          constraint_id: text(2000),
          constraint_name: text(2000),
          constraint_text: text(2000),
          reason: maybe(2000),
          loaded: flag,
          stale: flag,
        }),
      )
      .max(MOST_LISTED),
  }),
  uploaded('attest.agent_report', { summary: text(20_000) }),
  uploaded('attest.reject', { reason: maybe(20_000) }),
]);

/** An entry of an edge's journal, as far as it is sent. */
export const uploadedEntry = z.strictObject({
  id: z.uuid(),
  seq: z.number().int().min(1),
  hash: chainPosition.shape.hash,
  at: moment,
  agent: maybe(256),
  /** Of the hub. */
  project: z.string().min(1).max(128),
  session: z.string().min(1).max(128),
  events: z.array(uploadedEvent).min(1).max(1000),
});
export type UploadedEntry = z.infer<typeof uploadedEntry>;

export function uploadedBatch(limits: Limits) {
  return z.strictObject({
    edge: edgeId,
    /** Where the batch begins and ends in the edge's journal. */
    after: chainPosition,
    upto: chainPosition,
    /** The edge's clock. */
    now: moment,
    entries: z.array(uploadedEntry).max(limits.hubBatchEntries),
  });
}
export type UploadedBatch = z.infer<ReturnType<typeof uploadedBatch>>;

/** What is sent of the work at an edge, besides drafts. */
export const UPLOADS = ['attestation', 'reports', 'memory'] as const;
export type Upload = (typeof UPLOADS)[number];

/** What can be kept back of it, by its name or with the type of event before it: `attest.discover.query`. */
export const UPLOAD_FIELDS = [
  ...['query', 'group', 'result_names', 'file', 'reason', 'summary', 'constraint_text', 'agent', 'model'],
] as const;

/** What of a project may be refused by a hub that takes everything else. */
const HELD_PARTS = ['evidence', 'memory'] as const;

const linkedProject = z.object({
  project: z.string(),
  hub_project: z.string(),
  /** Of the hub; null before the first complete copy. */
  revision: count.nullable(),
  files: count,
});

export const HUB_STATES = ['never', 'current', 'offline', 'refused', 'stopped'] as const;
export type HubState = (typeof HUB_STATES)[number];

/** A data folder as an edge. */
const edgeStatus = z.object({
  id: z.string(),
  url: z.string(),
  org: z.string(),
  principal: z.string(),
  state: z.enum(HUB_STATES),
  /** What is wrong, and what to do. */
  problem: z.string().nullable(),
  synced_at: time.nullable(),
  tried_at: time.nullable(),
  projects: z.array(linkedProject),
  upload: z.object({
    what: z.array(z.enum(UPLOADS)),
    projects: z.array(z.string()).nullable(),
    without: z.array(z.string()),
    /** The last position that the hub has, and how many entries after it wait. */
    position: count.nullable(),
    waiting: count,
    /** Those of them that the hub does not take while it takes the rest, and why. */
    held: z.array(
      z.object({ project: z.string(), what: z.enum(HELD_PARTS), waiting: count, problem: z.string() }),
    ),
  }),
  drafts_waiting: count,
});
export type EdgeStatus = z.infer<typeof edgeStatus>;

/** An edge, as its hub knows it. */
const knownEdge = z.object({
  id: z.string(),
  principal: z.string(),
  position: count,
  entries: count,
  events: count,
  first_at: time,
  last_at: time,
  skew_ms: z.number().int(),
  /** Where it is the line of one project of another edge, which that edge sends apart since it was refused once. */
  part_of: z.object({ edge: z.string(), project: z.string() }).nullable(),
  /** That its history is not what it was, and where. */
  refused: z.object({ reason: z.string(), seq: count, at: time }).nullable(),
});

const synced = z.object({
  projects: z.array(z.object({ project: z.string(), revision: count, changed: count })),
  sent: count,
  memory: count,
  drafts: count,
  reviews: count,
  /** Whether the hub was found to have been restored from an older backup. */
  restored: z.boolean(),
  /** Bytes of all answers of the hub. */
  bytes: count,
  problems: z.array(z.string()),
});
export type SyncReport = z.infer<typeof synced>;

export const hubApi = {
  readHubManifest: describeAction({
    name: 'readHubManifest',
    door: 'library',
    summary: 'What a project’s library holds, or what changed since a revision, for an edge.',
    scope: 'read',
    input: z.object({
      project: projectSpec,
      since: count.default(0).describe('Only what changed after this revision'),
      edge: edgeId.optional().describe('Also how far the journal of this edge was received'),
      seen: count.optional().describe('Also the hash of the entry at this position of the hub’s journal'),
      ...pageFields({ usual: 5000, most: 10_000 }),
    }),
    output: hubManifest,
    route: ROUTES.readHubManifest,
  }),
  readHubFiles: describeAction({
    name: 'readHubFiles',
    door: 'library',
    summary: 'The text of published files, by one hash or several with commas between them.',
    scope: 'read',
    input: ({ hubTextsPerAnswer }: Limits) =>
      z.object({
        project: projectSpec,
        hash: z
          .string()
          .regex(
            /^sha256:[0-9a-f]{64}(,sha256:[0-9a-f]{64})*$/,
            'is one hash, or several with commas between them',
          )
          .refine(
            (hashes) => hashes.split(',').length <= hubTextsPerAnswer,
            `has at most ${hubTextsPerAnswer} hashes`,
          ),
      }),
    output: hubTexts,
    route: ROUTES.readHubFiles,
  }),
  receiveEvents: describeAction({
    name: 'receiveEvents',
    door: 'library',
    summary: 'Take in a batch of an edge’s journal: each entry once, and in order.',
    scope: 'write',
    input: uploadedBatch,
    output: z.object({ accepted: count, duplicates: count, position: chainPosition }),
    route: ROUTES.receiveEvents,
  }),
  receiveDraft: describeAction({
    name: 'receiveDraft',
    door: 'library',
    summary: 'Take in a draft that was submitted at an edge, or withdraw it.',
    scope: 'write',
    input: z.strictObject({
      edge: edgeId,
      draft_id: z.string().min(1).max(128),
      project: projectSpec,
      withdrawn: z.literal(true).optional(),
      proposal: z
        .strictObject({
          resource: z.enum(DRAFT_RESOURCES),
          op: z.enum(FILE_OPERATIONS),
          file_id: name.nullable(),
          path,
          new_path: path.nullable(),
          base_hash: contentHash.nullable(),
          body: z.string().min(1).nullable(),
          description: z.string().max(2000).nullable(),
        })
        .optional(),
    }),
    output: z.object({ id: z.string(), status: z.enum(DRAFT_STATUSES) }),
    route: ROUTES.receiveDraft,
  }),
  readHubStatus: describeAction({
    name: 'readHubStatus',
    door: 'library',
    summary: 'The hub of this data folder and how old its copy is; the edges that this hub knows.',
    scope: 'read',
    input: z.object({}),
    output: z.object({ edge: edgeStatus.nullable(), edges: z.array(knownEdge) }),
    route: ROUTES.readHubStatus,
  }),
  joinHub: describeAction({
    name: 'joinHub',
    door: 'library',
    summary: 'Make this data folder an edge of a hub, and a project’s library that of a project there.',
    scope: 'admin',
    input: z.object({
      url: z.string().min(1).max(2000),
      token: z.string().min(1).max(4096).optional(),
      project: projectSpec,
      to: z.string().min(1).max(256).optional().describe('Id or name of the project at the hub'),
    }),
    output: z.object({ status: edgeStatus, synced, set_aside: count }),
  }),
  leaveHub: describeAction({
    name: 'leaveHub',
    door: 'library',
    summary: 'End being an edge: projects have their own libraries again.',
    scope: 'admin',
    input: z.object({}),
    output: z.object({ url: z.string().nullable(), projects: z.array(z.string()), unsent: count }),
  }),
  syncHub: describeAction({
    name: 'syncHub',
    door: 'library',
    summary: 'Fetch what changed at the hub, and send what waits, now.',
    scope: 'admin',
    input: z.object({}),
    output: synced,
  }),
};

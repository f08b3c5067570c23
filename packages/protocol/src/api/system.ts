import { z } from 'zod';
import { MIRROR_LEVELS } from '../events/access.ts';
import { ROUTES } from '../routes.ts';
import { statusOutput } from '../status.ts';
import { describeAction, next, projectSpec, SCOPES } from './shape.ts';

export const orgName = z
  .string()
  .min(1)
  .max(64)
  .optional()
  .describe('Organisation (default: the caller’s own)');

export const projectView = z.object({
  id: z.string(),
  name: z.string(),
  path: z.string().nullable(),
  hash: z.string(),
  workspace_id: z.string(),
});

const name = z.string().min(1).max(64);
const time = z.string();
const scopes = z.array(z.enum(SCOPES)).min(1);
const capabilities = z.array(z.string().min(1).max(256)).min(1).max(100);

/** Seconds, minutes, hours, days or weeks. */
const DURATION = /^(?!0+\D)\d{1,6}[smhdw]$/;

const tokenFields = {
  id: z.string(),
  name: z.string(),
  org: z.string(),
  /** Ids; null gives access to all projects of the organisation. */
  projects: z.array(z.string()).nullable(),
  scopes,
  capabilities: z.array(z.string()),
  expires_at: time.nullable(),
};

export const clusterView = z.object({
  server: z
    .object({
      name: z.string(),
      version: z.string(),
      clock: z.number().int().describe('Milliseconds by which who asked it is ahead'),
    })
    .describe('The NATS server that was asked'),
  journal: z
    .object({
      stream: z.string(),
      leader: z.string().nullable().describe('Null while none is elected: writes wait'),
      replicas: z.number().int().describe('How many servers keep each entry'),
      servers: z.array(
        z.object({
          name: z.string(),
          leader: z.boolean(),
          state: z.enum(['current', 'behind', 'offline']),
          lag: z.number().int().describe('Messages that it does not have yet'),
        }),
      ),
      messages: z.number().int(),
      bytes: z.number().int(),
      position: z.number().int().describe('Of the newest message'),
    })
    .nullable()
    .describe('Null before the first node has started'),
  snapshot: z
    .object({
      seq: z.number().int().nullable(),
      at: time,
      age: z.number().int().describe('Seconds'),
    })
    .nullable(),
  nodes: z.array(
    z.object({
      node: z.string(),
      version: z.string(),
      state: z.enum(['ready', 'catching up', 'stopped', 'silent']),
      reason: z.string().exactOptional(),
      seq: z.number().int(),
      head: z.string().describe('The hash of its newest entry'),
      lag: z.number().int().describe('Messages that it has not applied yet'),
      forgotten: z
        .number()
        .int()
        .describe('The newest forgetting that it has confirmed: nothing is left there and in NATS'),
      clock: z.number().int().describe('Milliseconds by which it is ahead of the NATS server'),
      seen: z.number().describe('Seconds since its last report'),
    }),
  ),
  agree: z.boolean().describe('False if two nodes have different hashes at one position'),
});
export type ClusterView = z.infer<typeof clusterView>;

export const FORGETTABLE = ['item', 'branch', 'session', 'principal'] as const;

const verified = z.object({
  ok: z.boolean(),
  entries: z.number().int(),
  events: z.number().int(),
  erased: z.number().int(),
  checkpoints: z.number().int(),
  head: z.object({ seq: z.number().int(), hash: z.string() }),
  /** The first damaged or altered entry. */
  first: z
    .object({
      seq: z.number().int(),
      id: z.string().nullable(),
      stream: z.string().nullable(),
      problem: z.string(),
    })
    .exactOptional(),
  /** Tables that differ from what the journal yields. */
  tables: z
    .object({ ok: z.boolean(), tables: z.number().int(), different: z.array(z.string()) })
    .exactOptional(),
});

const verification = z.object({
  state: z.enum(['none', 'running', 'done', 'failed']),
  done: z.number().int().describe('Entries'),
  total: z.number().int(),
  started_at: time.nullable(),
  ended_at: time.nullable(),
  /** Only the owner of the data folder sees which stream and entry it was. */
  report: verified.nullable(),
  problem: z.string().nullable().describe('Why it did not finish'),
  head: z.number().int().describe('Position of the newest entry'),
  checkpoint: z.number().int().nullable().describe('Position of the last signed checkpoint'),
});

export const CONNECTION_KINDS = ['mcp', 'gateway', 'window'] as const;

const connectionView = z.object({
  kind: z.enum(CONNECTION_KINDS),
  name: z
    .string()
    .nullable()
    .describe('The name that the client gives itself, of the participant, or of the host'),
  version: z.string().nullable(),
  org: z.string(),
  principal: z.string(),
  session_id: z.string().nullable(),
  project_id: z.string().nullable(),
  pod: z.string().nullable(),
  conversation: z.string().nullable().describe('With a model'),
  last_at: time,
  is_open: z
    .boolean()
    .describe('Connected now, or active within five minutes for clients that keep no connection'),
});

export const systemApi = {
  infoldStatus: describeAction({
    name: 'infold_status',
    door: 'system',
    summary: 'The project and session that calls belong to, the doors and their tools, and limits.',
    scope: 'read',
    input: z.object({ project: z.string().optional().describe('Id, name or absolute path') }),
    output: statusOutput,
    route: ROUTES.infoldStatus,
  }),
  listProjects: describeAction({
    name: 'listProjects',
    door: 'system',
    summary: 'The projects that the caller may access.',
    scope: 'read',
    input: z.object({ org: orgName }),
    output: z.object({ projects: z.array(projectView), next }),
    route: ROUTES.listProjects,
  }),
  addProject: describeAction({
    name: 'addProject',
    door: 'system',
    summary: 'Add a project, with or without a folder.',
    scope: 'write',
    input: z.object({
      name,
      path: z.string().min(1).max(4096).optional().describe('Its folder, an absolute path'),
      org: orgName,
    }),
    output: projectView,
    route: ROUTES.addProject,
  }),
  setProject: describeAction({
    name: 'setProject',
    door: 'system',
    summary: 'Change the pod settings of a project, or only read them.',
    scope: 'admin',
    input: z.object({
      project: projectSpec.unwrap(),
      mirror: z
        .enum([...MIRROR_LEVELS, 'on', 'default'])
        .optional()
        .describe('What members see of each other’s branches; on means full'),
      remember: z
        .enum(['on', 'off', 'default'])
        .optional()
        .describe('Store conclusions of contexts in its pod as memory'),
      org: orgName,
    }),
    output: z.object({
      id: z.string(),
      name: z.string(),
      /** Null: the configuration decides. */
      mirrorBranches: z.enum(MIRROR_LEVELS).nullable(),
      rememberContexts: z.boolean().nullable(),
    }),
    route: ROUTES.setProject,
  }),
  createToken: describeAction({
    name: 'createToken',
    door: 'system',
    summary: 'Create a token. It is shown once, and grants no more than the caller’s own.',
    scope: 'admin',
    input: z.object({
      name: name.describe('Its holder: the principal, and the participant in pods'),
      org: orgName,
      projects: z
        .array(projectSpec.unwrap())
        .min(1)
        .max(1000)
        .optional()
        .describe('By id, name or path (default: the caller’s)'),
      scopes: scopes.default(['read', 'write']),
      capabilities: capabilities
        .optional()
        .describe('Kinds that it may send in pods (default: the caller’s)'),
      expires: z
        .string()
        .regex(DURATION, 'must be a duration: 30d, 12h, 45m, 90s or 2w')
        .optional()
        .describe('Lifetime, such as 30d (default: never expires)'),
    }),
    output: z.object({ ...tokenFields, token: z.string() }),
    route: ROUTES.createToken,
  }),
  listTokens: describeAction({
    name: 'listTokens',
    door: 'system',
    summary:
      'Tokens of the organisation that give access to the caller’s projects only, without their secrets.',
    scope: 'admin',
    input: z.object({ org: orgName }),
    output: z.object({
      tokens: z.array(
        z.object({
          ...tokenFields,
          created_at: time,
          last_used_at: time.nullable(),
          revoked_at: time.nullable(),
        }),
      ),
      next,
    }),
    route: ROUTES.listTokens,
  }),
  revokeToken: describeAction({
    name: 'revokeToken',
    door: 'system',
    summary: 'Revoke a token at once.',
    scope: 'admin',
    input: z.object({ id: z.string().min(1).max(128) }),
    output: z.object({ id: z.string(), revoked: z.boolean(), already: z.boolean() }),
    route: ROUTES.revokeToken,
  }),
  listDenials: describeAction({
    name: 'listDenials',
    door: 'system',
    summary: 'Denied calls with their counts, newest first.',
    scope: 'admin',
    input: z.object({ org: orgName }),
    output: z.object({
      denials: z.array(
        z.object({
          org: z.string(),
          principal: z.string(),
          action: z.string(),
          resource: z.string(),
          code: z.string(),
          count: z.number().int(),
          first_at: time,
          last_at: time,
        }),
      ),
      next,
    }),
    route: ROUTES.listDenials,
  }),
  listLimits: describeAction({
    name: 'listLimits',
    door: 'system',
    summary: 'Every limit, and where its value comes from.',
    scope: 'read',
    input: z.object({}),
    output: z.object({
      limits: z.array(
        z.object({
          name: z.string(),
          value: z.number(),
          origin: z.string(),
          /** The variable that sets it. */
          environment: z.string(),
        }),
      ),
    }),
    route: ROUTES.listLimits,
  }),
  readConfig: describeAction({
    name: 'readConfig',
    door: 'system',
    summary:
      'The configuration in effect, and where each value comes from. Values that may hold secrets are hidden.',
    scope: 'admin',
    input: z.object({}),
    output: z.object({
      file: z.string().nullable(),
      values: z.record(
        z.string(),
        z.object({ value: z.unknown(), origin: z.string(), environment: z.string() }),
      ),
    }),
    route: ROUTES.readConfig,
  }),
  readCluster: describeAction({
    name: 'readCluster',
    door: 'system',
    summary: 'The nodes of the cluster, the servers that keep its journal, and the newest snapshot.',
    scope: 'admin',
    input: z.object({}),
    output: clusterView,
    route: ROUTES.readCluster,
  }),
  listTools: describeAction({
    name: 'listTools',
    door: 'system',
    summary:
      'The tools of the open doors: the tokens of their definitions, and their use since the server started.',
    scope: 'read',
    input: z.object({}),
    output: z.object({
      tools: z.array(
        z.object({
          name: z.string(),
          title: z.string(),
          door: z.string(),
          tokens: z.number().int().describe('Of its definition, as a model reads it'),
          calls: z.number().int(),
          errors: z.number().int(),
          /** Of the latest calls; null if there were none. */
          seconds: z.object({ median: z.number(), p95: z.number() }).nullable(),
        }),
      ),
      tokens: z.number().int().describe('Of the whole list'),
    }),
    route: ROUTES.listTools,
  }),
  listConnections: describeAction({
    name: 'listConnections',
    door: 'system',
    summary: 'Connected clients and when they were last active; administrators see the whole organisation.',
    scope: 'read',
    input: z.object({}),
    output: z.object({ connections: z.array(connectionView) }),
    route: ROUTES.listConnections,
  }),
  startVerification: describeAction({
    name: 'startVerification',
    door: 'system',
    summary: 'Verify the journal in the background. A verification that is already running continues.',
    scope: 'admin',
    input: z.object({}),
    output: verification,
    route: ROUTES.startVerification,
  }),
  readVerification: describeAction({
    name: 'readVerification',
    door: 'system',
    summary: 'Progress of the verification, or the result of the last one.',
    scope: 'admin',
    input: z.object({}),
    output: verification,
    route: ROUTES.readVerification,
  }),
  loadSamples: describeAction({
    name: 'loadSamples',
    door: 'system',
    summary:
      'Create a sample project with a library, memory, records and an agent’s session. Existing data stays.',
    scope: 'write',
    input: z.object({}),
    output: z.object({
      project: z.object({ id: z.string(), name: z.string() }),
      session_id: z.string().nullable(),
      conversation: z.string().nullable().describe('With a simulated model'),
      records: z.string().describe('Their source: the model argument of record tools'),
      workflow: z.string(),
      items: z.number().int().describe('Memory items'),
      created: z.boolean().describe('False if it already existed'),
    }),
    route: ROUTES.loadSamples,
  }),
  verify: describeAction({
    name: 'verify',
    door: 'system',
    summary: 'Check that no journal entry was altered, and optionally that the tables match the journal.',
    scope: 'admin',
    input: z.object({ tables: z.boolean().default(false) }),
    output: verified,
  }),
  forget: describeAction({
    name: 'forget',
    door: 'system',
    summary: 'Erase the data of an item, a branch, a session or a principal.',
    scope: 'admin',
    input: z.object({ kind: z.enum(FORGETTABLE), id: z.string().min(1).max(256), org: orgName }),
    output: z.object({
      forgotten: z.object({ kind: z.enum(FORGETTABLE), id: z.string(), org: z.string() }),
      entries: z.number().int(),
      results: z.number().int(),
    }),
  }),
};

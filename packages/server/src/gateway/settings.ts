import { HISTORY_MODES, type HistoryMode, POD_NAME } from '@infold/protocol';
import { z } from 'zod';
import { InfoldError } from '../kernel/errors.ts';
import { MIRROR_LEVELS, type MirrorLevel, mirrorLevel } from '../trust/identity/events.ts';
import { missingTypes, Policy, rulesSchema, strict, templatesSchema } from './contexts/policy.ts';

const mode = z.enum(HISTORY_MODES);
const podName = z.string().regex(POD_NAME);
const historySchema = z.union([
  mode,
  z.strictObject({
    mode: mode.default('durable'),
    /** Pods that differ from the rest, by name. */
    pods: z.record(podName, mode).default({}),
    /** Retention. Absent: everything is kept. */
    days: z.number().positive().optional(),
    count: z.number().int().positive().optional(),
  }),
]);

const schema = strict({
  idleMs: z
    .number()
    .int()
    .min(50)
    .default(5 * 60_000),
  history: historySchema.default('durable'),
  templates: templatesSchema.default({}),
  rules: rulesSchema.default([]),
  /** What is shown of branches in their project's pod, where the project does not say. */
  mirrorBranches: z.union([z.boolean(), z.enum(MIRROR_LEVELS)]).optional(),
  /** Pods whose contexts leave their summaries as memory, where the project or the template does not say. */
  remember: z.union([z.boolean(), z.array(podName)]).default(false),
});

export interface GatewaySettings {
  /** A context without messages for this long is concluded. */
  idleMs: number;
  historyOf(pod: string): HistoryMode;
  retention: { days: number | undefined; count: number | undefined };
  policy: Policy;
  mirrorBranches: MirrorLevel | undefined;
  remembers(pod: string): boolean;
}

/** The configuration's `gateway`, or an error that names the key. */
export function parseGatewaySettings(config: Record<string, unknown> | undefined): GatewaySettings {
  const parsed = schema.safeParse(config ?? {});
  if (!parsed.success) {
    const issue = deepest(parsed.error.issues[0]!);
    throw badSetting(['gateway', ...issue.path], issue.message);
  }
  const { idleMs, history, templates, rules, mirrorBranches, remember } = parsed.data;
  const [missing] = missingTypes(templates, rules);
  if (missing) {
    const known = Object.keys(templates);
    throw badSetting(
      ['gateway', 'rules', missing.rule, 'context', missing.key],
      `no template is named "${missing.type}"${known.length > 0 ? ` (there are ${known.join(', ')})` : ''}; ` +
        `an empty one will do: "templates": {"${missing.type}": {}}`,
    );
  }
  const full = typeof history === 'string' ? { mode: history, pods: {} } : history;
  const pods = new Map(Object.entries(full.pods));
  return {
    idleMs,
    historyOf: (pod) => pods.get(pod) ?? full.mode,
    retention: {
      days: 'days' in full ? full.days : undefined,
      count: 'count' in full ? full.count : undefined,
    },
    policy: new Policy(templates, rules),
    mirrorBranches: mirrorBranches === undefined ? undefined : mirrorLevel(mirrorBranches),
    remembers: (pod) => (typeof remember === 'boolean' ? remember : remember.includes(pod)),
  };
}

type Issue = z.core.$ZodIssue;

/** Of a choice between forms, what is wrong with the form that was meant: the one that got furthest. */
function deepest(issue: Issue, path: PropertyKey[] = []): { path: PropertyKey[]; message: string } {
  const here = [...path, ...issue.path];
  if (issue.code === 'invalid_union') {
    const inner = issue.errors
      .map((issues) => issues[0])
      .filter(
        (one): one is Issue =>
          one !== undefined && one.code !== 'invalid_value' && one.code !== 'invalid_type',
      );
    if (inner[0]) return deepest(inner[0], here);
  }
  return { path: here, message: issue.message };
}

function badSetting(path: PropertyKey[], message: string): InfoldError {
  return new InfoldError('invalid_arguments', `Bad configuration: "${path.join('.')}": ${message}`);
}

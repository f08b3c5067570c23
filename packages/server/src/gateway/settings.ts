import { HISTORY_MODES, type HistoryMode, POD_NAME } from '@infold/protocol';
import { z } from 'zod';
import { InfoldError } from '../kernel/errors.ts';

const mode = z.enum(HISTORY_MODES);
const historySchema = z.union([
  mode,
  z.strictObject({
    mode: mode.default('durable'),
    /** Pods that differ from the rest, by name. */
    pods: z.record(z.string().regex(POD_NAME), mode).default({}),
    /** Retention. Absent: everything is kept. */
    days: z.number().positive().optional(),
    count: z.number().int().positive().optional(),
  }),
]);

const schema = z.strictObject({
  idleMs: z
    .number()
    .int()
    .min(50)
    .default(5 * 60_000),
  history: historySchema.default('durable'),
  templates: z.unknown().optional(),
  rules: z.unknown().optional(),
  mirrorBranches: z.boolean().optional(),
});

export interface GatewaySettings {
  /** A context without messages for this long is concluded. */
  idleMs: number;
  historyOf(pod: string): HistoryMode;
  retention: { days: number | undefined; count: number | undefined };
}

/** The configuration's `gateway`, or an error that names the key. */
export function parseGatewaySettings(config: Record<string, unknown> | undefined): GatewaySettings {
  const parsed = schema.safeParse(config ?? {});
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    const where = ['gateway', ...issue.path].join('.');
    throw new InfoldError('invalid_arguments', `Bad configuration: "${where}": ${issue.message}`);
  }
  const { idleMs, history } = parsed.data;
  const full = typeof history === 'string' ? { mode: history, pods: {} } : history;
  const pods = new Map(Object.entries(full.pods));
  return {
    idleMs,
    historyOf: (pod) => pods.get(pod) ?? full.mode,
    retention: {
      days: 'days' in full ? full.days : undefined,
      count: 'count' in full ? full.count : undefined,
    },
  };
}

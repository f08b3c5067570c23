import { z } from 'zod';
import { defineAction } from '../../call/action.ts';
import type { CallContext } from '../../call/context.ts';
import { countTokensOf } from '../../kernel/tokens/count.ts';
import { findSession, isLive, lifetimeIn, type Session } from '../../trust/sessions/queries.ts';
import { cleanText } from '../check-text.ts';
import type { Fold } from '../commands/return.ts';
import { returnLateTo } from '../late-return.ts';
import { branchOfAgent, openAgents } from '../queries.ts';
import { commitToSession } from '../session.ts';
import { beginAgent, foldAgent, foldLeftAgents, type NewAgent } from '../subagents.ts';
import { taskOf } from '../trajectory/pages.ts';

/** What hooks of hosts do in a session. They are asked for by no tool and no route. */

const name = z.string().min(1).max(256);
/** When it happened. */
const at = z.number().int().nonnegative();
const nothing = z.object({});

/** The host's session, which may be over. */
function knownSession(context: CallContext): Session | undefined {
  const { database, caller, hostSession } = context;
  return hostSession === undefined
    ? undefined
    : findSession(database, caller, hostSession, context.project().id);
}

/** After each tool. */
export const meterTool = defineAction(
  {
    ...{ name: 'meterTool', door: 'fold', scope: 'write', output: nothing },
    summary: 'Count a call of a host’s tool, as its hook tells it.',
    input: z.object({
      tool: name,
      call_id: name.optional(),
      agent: name.optional(),
      input: z.unknown(),
      output: z.string().optional(),
      original: z.string().optional(),
      kept: z.string().optional(),
      own: z.boolean(),
      at,
      /** It was spooled: others may have acted since. */
      late: z.boolean(),
    }),
  },
  {
    identifiers: ['tool', 'call_id', 'agent'],
    scrubsItself: true,
    async run({ tool, call_id, agent, own, at, late, ...seen }, context) {
      const session = await context.sessionOrNew();
      const call = { tool, callId: call_id, agent, ...seen, at, isLate: late, isOwn: own };
      await context.parts.meter.hooked({ caller: context.caller, session, ...call });
      return { structured: {} };
    },
  },
);

export const startSubagent = defineAction(
  {
    ...{ name: 'startSubagent', door: 'fold', scope: 'write', output: nothing },
    summary: 'A host’s subagent begins: a branch beside the active one.',
    input: z.object({
      agent: name,
      started_by: name.optional(),
      type: z.string().max(256).optional(),
      task: z.string().optional(),
      at,
    }),
  },
  {
    identifiers: ['agent', 'started_by'],
    async run({ agent, started_by: startedBy, type, task, at: startedAt }, context) {
      const session = await context.sessionOrNew();
      const given = task === undefined ? taskOf(context.journal, session.id, agent) : { task };
      const tokens = await countTokensOf(given?.task ?? '');
      const secrets = context.secrets.count;
      await commitToSession(context.journal, context.caller, session, (database, state) => {
        const last = branchOfAgent(database, session.id, agent);
        // It may be told twice. One that was done may be asked to go on, later.
        const isTold = last !== undefined && (last.ended_at === null || startedAt <= last.ended_at);
        const started = { agent, type, ...given, tokens, secrets, startedBy };
        return {
          events: isTold ? [] : [beginAgent(database, state, session, started)],
          answer: undefined,
        };
      });
      return { structured: {} };
    },
  },
);

export const stopSubagent = defineAction(
  {
    ...{ name: 'stopSubagent', door: 'fold', scope: 'write', output: nothing },
    summary: 'A host’s subagent is done: its branch is folded with what it said last.',
    input: z.object({
      agent: name,
      type: z.string().max(256).optional(),
      message: z.string(),
    }),
  },
  {
    identifiers: ['agent'],
    async run({ agent, type, message }, context) {
      const summary = cleanText(message, context.config.limits.summaryBytes);
      const fold = {
        summary,
        summaryTokens: await countTokensOf(summary),
        secrets: context.secrets.count,
        redacted: context.secrets.fields.includes('message'),
      };
      const session = knownSession(context);
      if (session && !isLive(session, lifetimeIn(context))) await foldEnded(context, session, agent, fold);
      else if (session || (type && summary !== '')) await foldSubagent(context, { agent, type }, fold);
      return { structured: {} };
    },
  },
);

async function foldSubagent(context: CallContext, { agent, type }: NewAgent, fold: Fold): Promise<void> {
  const { journal, caller, parts } = context;
  const session = await context.sessionOrNew();
  // What it did last may still be counted.
  await parts.meter.settled(session.id);
  await commitToSession(journal, caller, session, (database, state) => {
    const branch = branchOfAgent(database, session.id, agent);
    if (branch?.status === 'active') {
      return { events: foldAgent(branch, openAgents(database, session.id), fold), answer: undefined };
    }
    // Of one that nobody saw start and that did nothing, what it said is all there is. Hosts have nameless ones of their own.
    if (branch || !type || fold.summary === '') return { events: [], answer: undefined };
    const created = beginAgent(database, state, session, { agent, type });
    const begun = { ...created.data, id: created.data.branch_id };
    return { events: [created, ...foldAgent(begun, [], fold)], answer: undefined };
  });
}

/** Its session ended before it did: what it came to is kept, once. */
async function foldEnded(context: CallContext, session: Session, agent: string, fold: Fold): Promise<void> {
  const branch = branchOfAgent(context.database, session.id, agent);
  const isLeft = branch?.status === 'active' || branch?.status === 'expired';
  if (!isLeft || branch.summary !== null || fold.summary === '') return;
  await returnLateTo(context, { branch, session }, fold);
}

/** The host closes its session. It may resume it under the same name, so its own branches stay open. */
export const closeHostSession = defineAction(
  {
    ...{ name: 'closeHostSession', door: 'fold', scope: 'write', output: nothing },
    summary: 'A host’s session ends: subagents that nobody saw stop are folded.',
    input: z.object({}),
  },
  {
    async run(_input, context) {
      const session = knownSession(context);
      if (!session || !isLive(session, lifetimeIn(context))) return { structured: {} };
      await context.parts.meter.settled(session.id);
      await commitToSession(context.journal, context.caller, session, (database) => ({
        events: foldLeftAgents(openAgents(database, session.id)),
        answer: undefined,
      }));
      return { structured: {} };
    },
  },
);

import { type Scope, systemApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import type { CallContext } from '../../call/context.ts';
import { isoTime } from '../../kernel/clock.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { type Caller, isLocalOwner } from '../../trust/identity/caller.ts';
import * as commands from '../../trust/identity/commands.ts';
import { ensureProject, resolveProject } from '../../trust/identity/projects.ts';
import { listTokens as allTokens, tokenById } from '../../trust/identity/queries.ts';
import { tokenUses } from '../../trust/identity/token-use.ts';
import { isPrincipal } from '../../trust/sessions/queries.ts';
import { accessStream } from '../../trust/streams.ts';
import { callerIn, isWithin, orgOrAll } from '../org.ts';

export const createToken = defineAction(systemApi.createToken, {
  identifiers: ['name', 'org', 'projects', 'capabilities'],
  async run(input, context) {
    const { journal } = context;
    const maker = callerIn(context.caller, input.org);
    const wanted = {
      name: input.name,
      org: maker.org,
      projects: await projectsFor(context, maker, input.projects),
      scopes: [...new Set(input.scopes)],
      capabilities: input.capabilities ?? [...maker.capabilities],
    };
    refuseMore(maker, wanted);
    if (!isLocalOwner(context.caller)) refuseOthersName(context, maker, input.name);
    const lifetime = input.expires === undefined ? null : millisecondsOf(input.expires);
    const { answer } = await journal.commit({
      stream: accessStream(maker.org),
      actor: maker.actor,
      decide: (_database, now) => {
        const expiresAt = lifetime === null ? null : now + lifetime;
        const { events, answer: made } = commands.createToken(now, { ...wanted, expiresAt });
        return { events, answer: { ...made, expires_at: expiresAt === null ? null : isoTime(expiresAt) } };
      },
    });
    return { structured: { ...answer, ...wanted }, isNew: true };
  },
});

/** Those of who makes the token, where none are named. */
async function projectsFor(
  { journal, database }: CallContext,
  maker: Caller,
  specs: readonly string[] = [],
): Promise<string[] | null> {
  if (specs.length === 0) return maker.projects && [...maker.projects];
  const ids: string[] = [];
  for (const spec of specs) {
    ids.push((await ensureProject(journal, maker, resolveProject(database, maker, spec))).id);
  }
  return ids;
}

/** Nobody can give what they do not have. Projects are those of the maker already. */
function refuseMore(maker: Caller, wanted: { scopes: Scope[]; capabilities: string[] }): void {
  const scopes = wanted.scopes.filter((scope) => !maker.scopes.includes(scope));
  if (scopes.length > 0) throw cannotGive('scope', scopes, maker.scopes);
  // Whether one pattern allows no more than another is not asked: what is given is a part of the list, or the list is everything.
  const denied = maker.capabilities.filter((capability) => capability.startsWith('!'));
  const isFree = maker.capabilities.includes('*') && denied.length === 0;
  const further = wanted.capabilities.filter(
    (one) => !one.startsWith('!') && !maker.capabilities.includes(one),
  );
  const keepsDenials = denied.every((one) => wanted.capabilities.includes(one));
  const onlyDenies = wanted.capabilities.every((one) => one.startsWith('!'));
  if (!isFree && (further.length > 0 || !keepsDenials || onlyDenies)) {
    throw cannotGive('capability', further.length > 0 ? further : wanted.capabilities, maker.capabilities);
  }
}

/** A token's name is its principal: with the name of somebody else it would open what is theirs alone. */
function refuseOthersName({ database }: CallContext, { org, principal }: Caller, name: string): void {
  if (name === principal || !isPrincipal(database, org, name)) return;
  throw new InfoldError('forbidden', `"${name}" is already a principal; choose another name for a new one`);
}

function cannotGive(what: string, wanted: readonly string[], own: readonly string[]): InfoldError {
  const message = `A token cannot grant more than it has: it lacks the ${what} ${wanted.join(', ')}, and has ${own.join(', ')}`;
  return new InfoldError('forbidden', message);
}

const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** "30d", "12h", "45m", "90s", "2w": the schema has looked at it. */
function millisecondsOf(duration: string): number {
  return Number(duration.slice(0, -1)) * UNITS[duration.at(-1)!]!;
}

export const listTokens = defineAction(systemApi.listTokens, {
  run({ org: wanted }, { database, caller }) {
    const org = orgOrAll(caller, wanted);
    const uses = tokenUses(database);
    const tokens = allTokens(database)
      .filter((token) => (org === undefined || token.org === org) && isWithin(caller, token))
      .map((token) => ({
        ...token,
        created_at: isoTime(token.created_at),
        last_used_at: timeOrNull(uses.get(token.id)),
        expires_at: timeOrNull(token.expires_at),
        revoked_at: timeOrNull(token.revoked_at),
      }));
    return { structured: { tokens, next: null } };
  },
});

export const revokeToken = defineAction(systemApi.revokeToken, {
  identifiers: ['id'],
  async run({ id }, { journal, database, caller }) {
    const token = tokenById(database, id);
    if (!token || !isWithin(caller, token) || !(isLocalOwner(caller) || token.org === caller.org)) {
      throw commands.tokenNotFound(id);
    }
    const { answer } = await journal.commit({
      stream: accessStream(token.org),
      actor: caller.actor,
      decide: (current) => commands.revokeToken(current, id),
    });
    return { structured: { id, revoked: true, already: answer.already } };
  },
});

function timeOrNull(time: number | null | undefined): string | null {
  return typeof time === 'number' ? isoTime(time) : null;
}

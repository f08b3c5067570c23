import type { Journal } from '../journal/journal.ts';
import { isoTime } from '../kernel/clock.ts';
import type { Config } from '../kernel/config.ts';
import { InfoldError } from '../kernel/errors.ts';
import { LOCAL_ORG, localOwner } from '../trust/caller.ts';
import { createToken, type NewToken, parseScopes, revokeToken } from '../trust/identity/commands.ts';
import { listDenials, listTokens, tokenById } from '../trust/identity/queries.ts';
import { ensureProject, resolveProject } from '../trust/projects.ts';
import { accessStream } from '../trust/streams.ts';
import { tokenUses } from '../trust/token-use.ts';
import { type Output, table } from './output.ts';
import { openExistingJournal, openJournal } from './services.ts';

export interface TokenFlags {
  name: string;
  org?: string;
  project?: string[];
  scope: string;
  capability?: string[];
  expires?: string;
}

export async function tokenCreate(config: Config, output: Output, flags: TokenFlags): Promise<void> {
  const journal = await openJournal(config);
  try {
    const org = flags.org ?? LOCAL_ORG;
    const caller = { ...localOwner, org, actor: { ...localOwner.actor, org } };
    const projects: string[] = [];
    for (const spec of flags.project ?? []) {
      const project = resolveProject(journal.database, caller, spec);
      projects.push((await ensureProject(journal, caller, project)).id);
    }
    const scopes = parseScopes(flags.scope);
    const capabilities = flags.capability?.flatMap((text) => text.split(',')).map((text) => text.trim()) ?? [
      '*',
    ];
    const lifetime = flags.expires === undefined ? null : parseDuration(flags.expires);
    const wanted = {
      name: flags.name,
      org,
      projects: projects.length === 0 ? null : projects,
      scopes,
      capabilities,
    };
    const { expiresAt, ...made } = await makeToken(journal, wanted, lifetime);
    const shown = { ...made, ...wanted, expires_at: expiresAt === null ? null : isoTime(expiresAt) };
    output.answer(shown, () => `${made.token}\n\nThis is shown once. ${made.id} opens ${describe(shown)}.`);
  } finally {
    await journal.close();
  }
}

/** Lasts for `lifetime` milliseconds, or until it is revoked. */
export async function makeToken(
  journal: Journal,
  wanted: Omit<NewToken, 'expiresAt'>,
  lifetime: number | null = null,
): Promise<{ id: string; token: string; expiresAt: number | null }> {
  let expiresAt: number | null = null;
  const { answer } = await journal.commit({
    stream: accessStream(wanted.org),
    actor: { ...localOwner.actor, org: wanted.org },
    decide: (_database, now) => {
      expiresAt = lifetime === null ? null : now + lifetime;
      return createToken(now, { ...wanted, expiresAt });
    },
  });
  return { ...answer, expiresAt };
}

export async function tokenList(config: Config, output: Output): Promise<void> {
  const journal = await openExistingJournal(config);
  try {
    const uses = tokenUses(journal.database);
    const tokens = listTokens(journal.database).map((token) => ({
      ...token,
      created_at: isoTime(token.created_at),
      last_used_at: uses.has(token.id) ? isoTime(uses.get(token.id)!) : null,
      expires_at: token.expires_at === null ? null : isoTime(token.expires_at),
      revoked_at: token.revoked_at === null ? null : isoTime(token.revoked_at),
    }));
    output.answer({ tokens }, () => {
      if (tokens.length === 0) return 'No tokens. HTTP callers on this machine are the local owner.';
      const rows = tokens.map((token) => [
        token.id,
        token.name,
        token.org,
        token.scopes.join(','),
        token.projects?.join(',') ?? 'all',
        token.capabilities.join(','),
        token.last_used_at ?? 'never',
        token.revoked_at
          ? 'revoked'
          : token.expires_at && token.expires_at <= isoTime(Date.now())
            ? 'expired'
            : 'active',
      ]);
      return table(rows, ['ID', 'NAME', 'ORG', 'SCOPES', 'PROJECTS', 'CAPABILITIES', 'LAST USED', 'STATE']);
    });
  } finally {
    await journal.close();
  }
}

export async function tokenRevoke(config: Config, output: Output, id: string): Promise<void> {
  const journal = await openExistingJournal(config);
  try {
    const org = tokenById(journal.database, id)?.org ?? LOCAL_ORG;
    const { answer } = await journal.commit({
      stream: accessStream(org),
      actor: localOwner.actor,
      decide: (database) => revokeToken(database, id),
    });
    output.answer({ id, revoked: true }, () =>
      answer.already ? `${id} was revoked before.` : `${id} is revoked.`,
    );
  } finally {
    await journal.close();
  }
}

const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** "30d", "12h", "45m", "90s", "2w". */
export function parseDuration(text: string): number {
  const match = /^(\d{1,6})([smhdw])$/.exec(text.trim());
  const duration = match ? Number(match[1]) * UNITS[match[2]!]! : 0;
  if (duration === 0) {
    throw new InfoldError('invalid_arguments', `"${text}" is not a duration: write 30d, 12h, 45m, 90s or 2w`);
  }
  return duration;
}

function describe(token: {
  org: string;
  projects: string[] | null;
  scopes: string[];
  capabilities: string[];
}): string {
  const projects = token.projects === null ? 'all projects' : token.projects.join(', ');
  const says = token.capabilities.includes('*')
    ? ''
    : `; in pods it may send ${token.capabilities.join(', ')}`;
  return `${projects} of "${token.org}" for ${token.scopes.join(', ')}${says}`;
}

export async function denials(config: Config, output: Output): Promise<void> {
  const journal = await openExistingJournal(config);
  try {
    const found = listDenials(journal.database, 500).map((denial) => ({
      ...denial,
      first_at: isoTime(denial.first_at),
      last_at: isoTime(denial.last_at),
    }));
    output.answer({ denials: found }, () => {
      if (found.length === 0) return 'Nobody was refused anything.';
      const rows = found.map((one) => [
        one.principal,
        one.org,
        one.action,
        one.resource,
        one.code,
        String(one.count),
        one.last_at,
      ]);
      return table(rows, ['WHO', 'ORG', 'ACTION', 'ON', 'WHY', 'TIMES', 'LAST']);
    });
  } finally {
    await journal.close();
  }
}

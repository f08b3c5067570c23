import { isoTime } from '../../kernel/clock.ts';
import { createToken, listTokens, revokeToken } from '../../system/actions/tokens.ts';
import { act } from '../act.ts';
import type { Run } from '../command-line.ts';
import { table } from '../output.ts';

export interface TokenFlags {
  name: string;
  org?: string;
  project?: string[];
  scope: string;
  capability?: string[];
  expires?: string;
}

export function tokenCreate(run: Run, flags: TokenFlags): Promise<number> {
  const { name, org, project: projects, scope: scopes, expires } = flags;
  const capabilities = flags.capability?.flatMap((text) => text.split(',')).map((text) => text.trim());
  return act(
    run,
    createToken,
    { name, org, projects, scopes, capabilities, expires },
    {
      makesFolder: true,
      show: (made) => `${made.token}\n\nThis is shown once. ${made.id} opens ${describe(made)}.`,
    },
  );
}

export function tokenList(run: Run): Promise<number> {
  return act(
    run,
    listTokens,
    {},
    {
      show: ({ tokens }) => {
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
      },
    },
  );
}

export function tokenRevoke(run: Run, id: string): Promise<number> {
  return act(
    run,
    revokeToken,
    { id },
    { show: ({ already }) => (already ? `${id} was already revoked.` : `${id} is revoked.`) },
  );
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

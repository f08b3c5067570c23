import { InfoldError } from '../../kernel/errors.ts';
import type { Caller } from '../identity/caller.ts';
import type { Scope } from '../identity/events.ts';

/** What a caller may want to touch. Everything below an organisation belongs to one of its projects. */
export type Resource =
  | { kind: 'organisation' }
  | { kind: 'project'; id: string }
  | { kind: 'session'; org: string; principal: string; project_id: string }
  | { kind: 'diary'; org: string; owner: string };

export type Verdict =
  | { allowed: true }
  | { allowed: false; code: 'forbidden' | 'project_denied' | 'hidden'; message: string };

const ALLOWED: Verdict = { allowed: true };
/** What is hidden is answered as if it were not there: its existence is nobody else's business. */
const HIDDEN: Verdict = { allowed: false, code: 'hidden', message: 'There is no such thing' };

/** The one access rule of every door: the token's scope, then the resource's organisation, project and owner. */
export function decide(caller: Caller, action: Scope, resource: Resource): Verdict {
  if (!caller.scopes.includes(action)) {
    const has = caller.scopes.join(', ') || 'none';
    const message = `This needs the scope "${action}"; the token has ${has}`;
    return { allowed: false, code: 'forbidden', message };
  }
  return admits(caller, resource);
}

/** The part of the rule that does not depend on what is to be done. */
export function admits(caller: Caller, resource: Resource): Verdict {
  switch (resource.kind) {
    case 'organisation':
      return ALLOWED;
    case 'project':
      if (isOpen(caller, resource.id)) return ALLOWED;
      return { allowed: false, code: 'project_denied', message: `Project access denied: ${resource.id}` };
    case 'session': {
      const own = resource.org === caller.org && resource.principal === caller.principal;
      return own && isOpen(caller, resource.project_id) ? ALLOWED : HIDDEN;
    }
    case 'diary':
      return resource.org === caller.org && resource.owner === caller.principal ? ALLOWED : HIDDEN;
  }
}

/** Throws what the caller is answered. */
export function authorise(caller: Caller, action: Scope, resource: Resource): void {
  enforce(decide(caller, action, resource));
}

export function enforce(verdict: Verdict): void {
  if (verdict.allowed) return;
  throw new InfoldError(verdict.code === 'hidden' ? 'not_found' : verdict.code, verdict.message);
}

export function requireScope(caller: Caller, scope: Scope): void {
  authorise(caller, scope, { kind: 'organisation' });
}

function isOpen(caller: Caller, projectId: string): boolean {
  return caller.projects === null || caller.projects.includes(projectId);
}

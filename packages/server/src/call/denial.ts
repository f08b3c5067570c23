import type { InfoldError } from '../kernel/errors.ts';
import type { DenialLog } from '../trust/access/denials.ts';

const DENIALS = new Set(['forbidden', 'project_denied', 'organization_required', 'unauthenticated']);

/** Who was refused what goes on record; what the request held does not. */
export function noteDenial(
  services: { denials: DenialLog },
  who: { org: string; principal: string },
  action: string,
  resource: string,
  { code }: InfoldError,
): void {
  if (DENIALS.has(code)) {
    services.denials.record({ org: who.org, principal: who.principal, action, resource, code });
  }
}

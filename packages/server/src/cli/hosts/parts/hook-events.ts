import type { HostName } from '@infold/protocol';
import type { HostEvent } from '../../../hooks/dialects/dialect.ts';
import { DIALECTS } from '../../../hooks/dialects/index.ts';

export type { HostEvent };

/** What is registered with a host. */
export function eventsOf(host: HostName): readonly HostEvent[] {
  return DIALECTS[host]?.events ?? [];
}

import type { Entry } from '../journal/journal.ts';
import type { Database } from '../kernel/sqlite.ts';
import type { CallContext } from './context.ts';

/** A family of things that can be read, and watched, under `infold://…`. */
export interface ResourceDefinition {
  /** With one `{id}` (or `{path}`, which may hold slashes): `infold://branch/{id}`. */
  template: string;
  name: string;
  title: string;
  description: string;
  mimeType: string;
  /** Undefined when it is not there or not the caller's: both look the same. */
  read(id: string, context: CallContext): { text: string } | { blob: string } | undefined;
  /** Addresses that a host may want to show: the caller's own, the newest first. */
  list(context: CallContext): { id: string; title: string }[];
  /** What may stand in the template for what somebody has typed so far; those that are listed, where it is absent. */
  complete?(typed: string, context: CallContext): string[];
  /** How the streams begin whose entries can change it: no other entry is shown to it. */
  streams: string;
  /** Ids of the resources that an entry changed. */
  changedBy(entry: Entry, database: Database): string[];
  /** Whether an entry may have changed what is listed to a caller. Where it is absent, nothing does. */
  relistedBy?(entry: Entry, contextOf: () => CallContext): boolean;
}

export function resourceUri(resource: ResourceDefinition, id: string): string {
  return resource.template.replace(/\{\w+\}/, id);
}

/** The id in an address of this family, or undefined. */
export function resourceId(resource: ResourceDefinition, uri: string): string | undefined {
  const [before = '', after = ''] = resource.template.split(/\{\w+\}/);
  if (!uri.startsWith(before) || !uri.endsWith(after)) return undefined;
  const id = uri.slice(before.length, uri.length - after.length);
  const mayHoldSlashes = resource.template.includes('{path}');
  return id === '' || (!mayHoldSlashes && id.includes('/')) ? undefined : id;
}

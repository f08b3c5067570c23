import type { ContextStateHeader } from '@infold/protocol';
import type { ClientLog } from '../../call/context.ts';
import type { Spelling } from '../../kernel/config.ts';
import type { ClientIdentity } from '../../trust/clients/client.ts';
import type { Caller } from '../../trust/identity/caller.ts';
import type { Connection } from '../../trust/sessions/resolve.ts';

/** What a transport knows about one exchange. Over HTTP each request has its own. */
export interface Exchange {
  caller: Caller;
  connection: Connection;
  spelling: Spelling;
  /** Who is at the other end: told once in the 2025 era, with every request in the 2026 era. */
  client?: ClientIdentity | undefined;
  /** Where messages of a call go that has a protocol instance of its own, beside its connection's. */
  log?: ClientLog | undefined;
  /** Of the HTTP request, where there is one: hosts may tell their session in them. */
  headers?: Headers | undefined;
  /** Of the process that serves a host on stdio: hosts may tell their session in it. */
  environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** The process that started ours: the host, or what it runs servers by. */
  parentProcess?: number | undefined;
  /** Its messages came at once, and have their turns one by one. */
  isBatch?: boolean;
  /** Left here by a call that belongs to a session, for the response header. */
  state?: ContextStateHeader;
}

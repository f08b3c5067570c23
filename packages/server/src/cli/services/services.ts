import type { Action } from '../../call/action.ts';
import type { Meter } from '../../fold/metering.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import type { McpServices } from '../../mcp/tools/call.ts';
import type { Records } from '../../transient/records/index.ts';
import type { Prepare } from '../../window/requests/prepare.ts';

/** Everything that a call needs, on an open journal. */
export interface Services extends McpServices {
  /** What can be done over HTTP besides the tools, in whichever door. */
  actions: readonly Action[];
  meter: Meter;
  records: Records;
  /** What becomes of a conversation on its way to a model. */
  prepare: Prepare;
  /**
   * Begins with the first who asks for it, who says whether this process serves pods; one that only speaks MCP may never
   * need it.
   */
  openGateway(serves?: boolean): Gateway;
  /** Lets everything that is under way come to its end. */
  settle(): Promise<void>;
}

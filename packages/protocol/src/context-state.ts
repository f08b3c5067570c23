import { z } from 'zod';

/** What the `X-Context-State` header and `_meta["infold/contextState"]` carry. */
export const contextStateHeader = z.object({
  session_id: z.string(),
  active_branch_id: z.string().nullable(),
  branch_depth: z.number().int(),
  total_tokens: z.number().int(),
  folded_tokens: z.number().int(),
  context_usage: z.number(),
});
export type ContextStateHeader = z.infer<typeof contextStateHeader>;

/** The text that replaces a collapsed result. */
export function collapsedText(summary: string, handle: string, expandTool = 'context_expand'): string {
  return `${summary}\n[collapsed: ${expandTool} ${handle}]`;
}

export const META = {
  contextState: 'infold/contextState',
  seq: 'infold/seq',
  /** On a request: nothing is read before the journal has come to this position here. */
  minSeq: 'infold/min_seq',
  notices: 'infold/notices',
  handle: 'infold/handle',
  consumes: 'infold/consumes',
  /** On a request: the session that the call belongs to, set by a host whose model does not know it. */
  session: 'infold/session',
} as const;

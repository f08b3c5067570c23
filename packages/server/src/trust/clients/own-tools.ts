/** As hosts write the tools of this server, of its plugin too: with its name before theirs. */
const NAMED = /^(?:mcp__?)?(?:plugin_infold_)?infold(?:__?|[.:/])/i;
/** The fold door's, which some hosts show under the bare name. They cost nothing. */
const FOLD = /(?:^|[_.])context[._](?:branch|return|branch[._]status|list[._]branches|rollback|expand)$/;

/** A tool that this server counts itself, or for good reason does not. */
export function isOwnTool(name: string): boolean {
  return NAMED.test(name) || FOLD.test(name);
}

/** Hosts write a server's name into a tool's name, each in its own way. */

/** `mcp__infold__search_records`: the one spelling that tells by itself where the server's name ends. */
const QUALIFIED = /^mcp__(.+?)__(.+)$/;

/** As hosts write it, a character for a character. */
function serverName(server: string): string {
  return server.toLowerCase().replaceAll(/[^a-z0-9]/g, '_');
}

/**
 * A server's own name for a tool of its. Both spellings, `memory.load` and `memory_load`, are one tool, and so are
 * `mcp__infold__memory_load`, `mcp_infold_memory_load` and `infold_memory_load` where the server is called infold.
 */
export function toolName(name: string, server: string): string {
  const plain = name.replaceAll('.', '_');
  const qualified = QUALIFIED.exec(plain);
  if (qualified) return qualified[2]!;
  const own = serverName(server);
  const prefix = [`mcp_${own}_`, `${own}__`, `${own}_`].find(
    (start) => plain.length > start.length && serverName(plain).startsWith(start),
  );
  return prefix === undefined ? plain : plain.slice(prefix.length);
}

/** A consumer as a server's hint names it: a tool of its own, or, written out in full, of another server. */
export function consumerName(name: string, publisher: string): string {
  const qualified = QUALIFIED.exec(name.replaceAll('.', '_'));
  if (!qualified || serverName(qualified[1]!) === serverName(publisher)) return toolName(name, publisher);
  return consumerOf(qualified[1]!, qualified[2]!);
}

/** How a hint of another server names a tool of this one. */
export function consumerOf(server: string, tool: string): string {
  return `mcp__${serverName(server)}__${tool}`;
}

const PORTABLE = /^[a-zA-Z0-9_-]{1,128}$/;

/** What to say about tool names that model APIs refuse; undefined when all are fine. */
export function badNames(names: readonly string[]): string | undefined {
  const bad = names.filter((name) => !PORTABLE.test(name));
  if (bad.length === 0) return undefined;
  const shown = bad.slice(0, 3).join(', ');
  return (
    `model APIs such as Anthropic's refuse tool names like ${shown}${bad.length > 3 ? ', …' : ''}: they take letters, ` +
    'digits, "_" and "-". Connect to Infold at /mcp?names=portable, or map the names'
  );
}

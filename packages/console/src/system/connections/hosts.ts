import type { ConnectionView, Way } from '../queries.ts';

export interface Host {
  name: string;
  /** The best first; all but the address are for who can start the program. */
  ways: Way[];
  /** When one of its kind was last heard of; undefined: not as far as the server remembers; null: it has no name to know it by. */
  lastAt: string | undefined | null;
}

/** How programs name themselves to MCP servers and in `User-Agent`. By their own account: good enough to say what was seen. */
const NAMES: Record<string, RegExp> = {
  'Claude Code': /^claude[-_ ]?(code|cli)/i,
  Codex: /^codex/i,
  'Gemini CLI': /^gemini/i,
  OpenCode: /^opencode/i,
  'Qwen Code': /^qwen/i,
  Cursor: /^cursor/i,
  'VS Code': /^(visual studio code|vs ?code)/i,
};

export function isHost(host: string, name: string | null): boolean {
  return name !== null && NAMES[host]?.test(name) === true;
}

/** Every host that can be connected, in the order of the server, with when it was last heard of. */
export function hostsOf(ways: readonly Way[], connections: readonly ConnectionView[]): Host[] {
  const names = [...new Set(ways.map(({ host }) => host))];
  return names.map((name) => ({
    name,
    ways: ways.filter(({ host }) => host === name),
    lastAt: name in NAMES ? latest(connections.filter((one) => isHost(name, one.name))) : null,
  }));
}

function latest(connections: readonly ConnectionView[]): string | undefined {
  return connections
    .map(({ last_at }) => last_at)
    .toSorted()
    .at(-1);
}

import type { ToolView } from '../queries.ts';

export interface Door {
  name: string;
  tools: number;
  tokens: number;
  calls: number;
}

/** What each door adds to the list, the dearest first. */
export function doorsOf(tools: readonly Pick<ToolView, 'door' | 'tokens' | 'calls'>[]): Door[] {
  const doors = new Map<string, Door>();
  for (const { door, tokens, calls } of tools) {
    const known = doors.get(door) ?? { name: door, tools: 0, tokens: 0, calls: 0 };
    doors.set(door, {
      name: door,
      tools: known.tools + 1,
      tokens: known.tokens + tokens,
      calls: known.calls + calls,
    });
  }
  return [...doors.values()].sort((one, other) => other.tokens - one.tokens);
}

/** What `toolsets` could be: the doors that were used; all of them where nothing was called yet. */
export function worthKeeping(doors: readonly Door[]): string {
  // Its tool is always there.
  const closable = doors.filter(({ name }) => name !== 'system');
  const used = closable.filter(({ calls }) => calls > 0);
  return (used.length > 0 ? used : closable).map(({ name }) => name).join(',');
}

/** The program at the other end of a connection, by its own account. Never a reason to trust it. */
export interface ClientIdentity {
  name: string;
  version: string;
}

/**
 * What of a result a client shows its model: the text, the data (`structuredContent`), or both unless they are the
 * same. Seen in the programs themselves; who is not in the list is taken for one that shows the text.
 */
export type ShownHalf = 'text' | 'data' | 'both';

const SHOWN: readonly [name: RegExp, half: ShownHalf][] = [
  [/^claude-code\b/i, 'data'],
  [/^codex\b/i, 'data'],
  [/^qwen-(cli|code)\b/i, 'both'],
];

export function shownHalf(client: ClientIdentity | undefined): ShownHalf {
  return SHOWN.find(([name]) => client && name.test(client.name))?.[1] ?? 'text';
}

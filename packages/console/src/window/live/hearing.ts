import type { JournalEntry } from '@infold/protocol';

/** Entries that come while something is asked for: nobody knows whether the answer holds them. */
const hearing = new Set<JournalEntry[]>();

export function hear(entries: readonly JournalEntry[]): void {
  for (const heard of hearing) heard.push(...entries);
}

/** Asks for something, and applies to the answer what happened meanwhile; applying what it holds already changes nothing. */
export async function heardDuring<Answer>(
  ask: () => Promise<Answer>,
  apply: (answer: Answer, entry: JournalEntry) => Answer,
): Promise<Answer> {
  const heard: JournalEntry[] = [];
  hearing.add(heard);
  try {
    const answer = await ask();
    return heard.reduce(apply, answer);
  } finally {
    hearing.delete(heard);
  }
}

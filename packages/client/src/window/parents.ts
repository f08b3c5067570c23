/** A request that was sent before and that a new one begins like. */
export interface EarlierTurn {
  messages: number;
  /** Milliseconds since the epoch. */
  at: number;
  /** What stood before its messages: the model, the system prompt, the tools. */
  prompt: string;
}

/** What a provider may hold of a new request, from those that were asked with one prompt. */
export interface Parent {
  /** Of the longest. */
  messages: number;
  /** Milliseconds since it was sent. */
  age: number;
  isSamePrompt: boolean;
  /** Where requests ended, the longest first, when they were sent, and how long ago the provider last came by there. */
  ends: readonly { messages: number; at: number; age: number }[];
}

/** One for each prompt, the longest first. `lifetime` is for how long a provider surely holds something. */
export function parentsFrom(
  turns: readonly EarlierTurn[],
  prompt: string,
  { now, lifetime }: { now: number; lifetime: number },
): Parent[] {
  const byPrompt = new Map<string, EarlierTurn[]>();
  for (const turn of turns) byPrompt.set(turn.prompt, [...(byPrompt.get(turn.prompt) ?? []), turn]);
  const parents = [...byPrompt].map(([asked, all]): Parent => {
    const longest = all.toSorted((one, other) => other.messages - one.messages || other.at - one.at);
    return {
      messages: longest[0]!.messages,
      age: now - longest[0]!.at,
      isSamePrompt: asked === prompt,
      // The next one read up to here, unless it came so late that it had to write everything again.
      ends: longest.map(({ messages, at }, place) => {
        const next = longest[place - 1]?.at ?? at;
        return { messages, at, age: now - (next > at && next - at <= lifetime ? next : at) };
      }),
    };
  });
  return parents.sort((one, other) => other.messages - one.messages || one.age - other.age);
}

import { z } from 'zod';

const schema = z.object({
  vocab: z.array(z.tuple([z.string(), z.number()])).min(1),
  unk_id: z.number().int().nonnegative().nullish(),
  byte_fallback: z.boolean().default(false),
});

/** How much worse than the worst token a character is that no token holds. */
const UNKNOWN_PENALTY = 10;

/** The tokens that make up a word with the highest probability together. */
export function unigram(model: unknown): (word: string) => readonly number[] {
  const { vocab, unk_id, byte_fallback } = schema.parse(model);
  const tokens = new Map<string, number>();
  const scores = new Float64Array(vocab.length);
  let longest = 1;
  let worst = 0;
  for (const [id, [token, score]] of vocab.entries()) {
    scores[id] = score;
    if (id === unk_id || token === '') continue;
    tokens.set(token, id);
    longest = Math.max(longest, token.length);
    worst = Math.min(worst, score);
  }
  const bytes = byte_fallback ? byteTokens(tokens) : undefined;

  return (word) => {
    const best = new Float64Array(word.length + 1).fill(Number.NEGATIVE_INFINITY);
    const from = new Int32Array(word.length + 1);
    best[0] = 0;
    for (let begin = 0; begin < word.length; ) {
      const next = begin + (word.codePointAt(begin)! > 0xffff ? 2 : 1);
      let isCovered = false;
      for (let end = begin + 1; end <= Math.min(word.length, begin + longest); end++) {
        const id = tokens.get(word.slice(begin, end));
        if (id === undefined) continue;
        if (end === next) isCovered = true;
        improve(end, best[begin]! + scores[id]!, begin);
      }
      if (!isCovered) improve(next, best[begin]! + worst - UNKNOWN_PENALTY, begin);
      begin = next;
    }
    const found: number[] = [];
    for (let end = word.length; end > 0; end = from[end]!) {
      const part = word.slice(from[end], end);
      const id = tokens.get(part);
      if (id !== undefined) found.push(id);
      else if (bytes) for (const byte of Buffer.from(part).reverse()) found.push(bytes[byte]!);
    }
    return found.reverse();

    function improve(end: number, score: number, begin: number): void {
      if (score <= best[end]!) return;
      best[end] = score;
      from[end] = begin;
    }
  };
}

/** The tokens that stand for single bytes, where all of them are there. */
function byteTokens(tokens: ReadonlyMap<string, number>): number[] | undefined {
  const found = Array.from({ length: 256 }, (_, byte) =>
    tokens.get(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`),
  );
  return found.every((id): id is number => id !== undefined) ? found : undefined;
}

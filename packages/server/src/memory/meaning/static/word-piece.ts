import { z } from 'zod';

const schema = z.object({
  vocab: z.record(z.string(), z.number().int().nonnegative()),
  unk_token: z.string().default('[UNK]'),
  continuing_subword_prefix: z.string().default('##'),
  max_input_chars_per_word: z.number().int().positive().default(100),
});

/** A word is the longest beginning that is known, then the longest that is known of the rest, and so on to its end. */
export function wordPiece(model: unknown): (word: string) => readonly number[] {
  const { vocab, unk_token, continuing_subword_prefix: prefix, ...options } = schema.parse(model);
  const tokens = new Map(Object.entries(vocab));
  tokens.delete(unk_token);
  const longest = [...tokens.keys()].reduce((most, token) => Math.max(most, token.length), 0);
  return (word) => {
    const found: number[] = [];
    if (word.length > options.max_input_chars_per_word) return found;
    let begin = 0;
    while (begin < word.length) {
      let end = Math.min(word.length, begin + longest);
      let token: number | undefined;
      for (; end > begin; end--) {
        const part = word.slice(begin, end);
        token = tokens.get(begin === 0 ? part : prefix + part);
        if (token !== undefined) break;
      }
      // A word of which a part is not known is not known as a whole.
      if (token === undefined) return [];
      found.push(token);
      begin = end;
    }
    return found;
  };
}

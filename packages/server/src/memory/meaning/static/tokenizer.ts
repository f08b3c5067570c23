import { z } from 'zod';
import { Cache } from '../../../kernel/cache.ts';
import { messageOf } from '../../../kernel/errors.ts';
import { unusableModel } from '../errors.ts';
import { normalizerFrom } from './normalizers.ts';
import { splitterFrom } from './splitters.ts';
import { unigram } from './unigram.ts';
import { wordPiece } from './word-piece.ts';

/** Numbers of the tokens of one word, less those that are not known. */
export type WordTokenizer = (word: string) => readonly number[];

const fileSchema = z.looseObject({
  model: z.looseObject({ type: z.string().optional() }),
  normalizer: z.unknown().optional(),
  pre_tokenizer: z.unknown().optional(),
});

/** Words come again; what they are made of is kept, up to so many bytes. */
const KEPT_WORDS = 4 * 1024 * 1024;
const LONGEST_KEPT = 40;

/** Takes a text apart into the tokens that a model has vectors for. */
export class Tokenizer {
  readonly #normalize: (text: string) => string;
  readonly #split: (text: string) => string[];
  readonly #tokens: WordTokenizer;
  readonly #known = new Cache<readonly number[]>(KEPT_WORDS);

  /** From the content of a `tokenizer.json` of the Hugging Face form. */
  constructor(content: unknown) {
    try {
      const { model, normalizer, pre_tokenizer } = fileSchema.parse(content);
      this.#normalize = normalizerFrom(normalizer);
      this.#split = splitterFrom(pre_tokenizer);
      this.#tokens = modelFrom(model);
    } catch (error) {
      if (error instanceof z.ZodError) {
        const [issue] = error.issues;
        const where = issue!.path.join('.');
        throw unusableModel(`tokenizer.json is not what it should be at "${where}": ${issue!.message}`);
      }
      throw error;
    }
  }

  static parse(text: string): Tokenizer {
    let content: unknown;
    try {
      content = JSON.parse(text);
    } catch (error) {
      throw unusableModel(`tokenizer.json is no JSON (${messageOf(error)})`);
    }
    return new Tokenizer(content);
  }

  /** The numbers of at most so many tokens. */
  encode(text: string, most: number): number[] {
    const tokens: number[] = [];
    for (const word of this.#split(this.#normalize(text))) {
      for (const token of this.#tokensOf(word)) {
        if (tokens.push(token) >= most) return tokens;
      }
    }
    return tokens;
  }

  #tokensOf(word: string): readonly number[] {
    if (word.length > LONGEST_KEPT) return this.#tokens(word);
    const known = this.#known.get(word);
    if (known) return known;
    const tokens = this.#tokens(word);
    this.#known.set(word, tokens, tokens.length * 8);
    return tokens;
  }
}

function modelFrom(model: { type?: string | undefined }): WordTokenizer {
  switch (model.type) {
    case 'WordPiece':
      return wordPiece(model);
    case 'Unigram':
      return unigram(model);
    default:
      throw unusableModel(
        `tokenizer.json has a model of the type "${String(model.type).slice(0, 100)}"; WordPiece and Unigram are known here`,
      );
  }
}

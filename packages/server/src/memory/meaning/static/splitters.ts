import { z } from 'zod';
import { unusableModel } from '../errors.ts';

export type Splitter = (text: string) => string[];

const typed = z.looseObject({ type: z.string() });
const sequence = z.object({ pretokenizers: z.array(z.unknown()) });
const metaspace = z.object({
  replacement: z.string().default('▁'),
  prepend_scheme: z.enum(['always', 'never', 'first']).optional(),
  add_prefix_space: z.boolean().default(true),
  split: z.boolean().default(true),
});
const digits = z.object({ individual_digits: z.boolean().default(false) });
const punctuation = z.object({ behavior: z.string().default('Isolated') });

/** ASCII symbols such as "$" count as punctuation. */
const WORD_OR_MARK = /[!-/:-@[-`{-~\p{P}]|[^\s!-/:-@[-`{-~\p{P}]+/gu;
const MARK_OR_REST = /[!-/:-@[-`{-~\p{P}]|[^!-/:-@[-`{-~\p{P}]+/gu;
const WORD_OR_OTHER = /[\p{L}\p{M}\p{N}\p{Pc}]+|[^\p{L}\p{M}\p{N}\p{Pc}\s]+/gu;
const SOLID = /\S+/gu;
const NUMBER_OR_REST = /\p{N}+|\P{N}+/gu;
const DIGIT_OR_REST = /\p{N}|\P{N}+/gu;

const matches =
  (expression: RegExp): Splitter =>
  (text) =>
    text.match(expression) ?? [];

/** How a tokenizer of the Hugging Face form takes a text apart into words; refuses what is not known here. */
export function splitterFrom(description: unknown): Splitter {
  if (description === null || description === undefined) return (text) => [text];
  const { type } = typed.parse(description);
  switch (type) {
    case 'Sequence': {
      const steps = sequence.parse(description).pretokenizers.map(splitterFrom);
      return (text) => steps.reduce((parts, step) => parts.flatMap(step), [text]);
    }
    case 'BertPreTokenizer':
      return matches(WORD_OR_MARK);
    case 'Whitespace':
      return matches(WORD_OR_OTHER);
    case 'WhitespaceSplit':
      return matches(SOLID);
    case 'Digits':
      return matches(digits.parse(description).individual_digits ? DIGIT_OR_REST : NUMBER_OR_REST);
    case 'Punctuation':
      if (punctuation.parse(description).behavior !== 'Isolated') throw unknown('Punctuation');
      return matches(MARK_OR_REST);
    case 'Metaspace':
      return metaspaceSplitter(metaspace.parse(description));
    default:
      throw unknown(type);
  }
}

function metaspaceSplitter(options: z.output<typeof metaspace>): Splitter {
  const { replacement, split, add_prefix_space } = options;
  const begins = options.prepend_scheme ?? (add_prefix_space ? 'always' : 'never');
  return (text) => {
    if (text === '') return [];
    const marked = text.replaceAll(' ', () => replacement);
    const whole = begins === 'never' || marked.startsWith(replacement) ? marked : replacement + marked;
    if (!split || replacement === '') return [whole];
    const [first = '', ...rest] = whole.split(replacement);
    const words = rest.map((word) => replacement + word);
    return first === '' ? words : [first, ...words];
  };
}

function unknown(type: string) {
  return unusableModel(
    `tokenizer.json has the pre-tokenizer "${type.slice(0, 100)}", which is not known here`,
  );
}

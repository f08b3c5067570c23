import { z } from 'zod';
import { unusableModel } from '../errors.ts';
import { charactersMap } from './characters-map.ts';

export type Normalizer = (text: string) => string;

const typed = z.looseObject({ type: z.string() });
const sequence = z.object({ normalizers: z.array(z.unknown()) });
const bert = z.object({
  clean_text: z.boolean().default(true),
  handle_chinese_chars: z.boolean().default(true),
  strip_accents: z.boolean().nullish(),
  lowercase: z.boolean().default(true),
});
const strip = z.object({ strip_left: z.boolean().default(true), strip_right: z.boolean().default(true) });
const replace = z.object({
  pattern: z.union([z.object({ String: z.string() }), z.object({ Regex: z.string() })]),
  content: z.string(),
});
const precompiled = z.object({ precompiled_charsmap: z.string().nullish() });

const ACCENTS = /\p{Mn}/gu;
const SPACES = /\s/gu;
/** Everything that cannot be seen, less what is a space. */
const INVISIBLE = /\0|\ufffd|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cn}]/gu;
const HAN =
  /[\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff]|[\u{20000}-\u{2a6df}\u{2a700}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu;

/** How a tokenizer of the Hugging Face form changes a text before it is taken apart; refuses what is not known here. */
export function normalizerFrom(description: unknown): Normalizer {
  if (description === null || description === undefined) return (text) => text;
  const { type } = typed.parse(description);
  switch (type) {
    case 'Sequence': {
      const steps = sequence.parse(description).normalizers.map(normalizerFrom);
      return (text) => steps.reduce((changed, step) => step(changed), text);
    }
    case 'BertNormalizer':
      return bertNormalizer(bert.parse(description));
    case 'Lowercase':
      return (text) => text.toLowerCase();
    case 'StripAccents':
      return (text) => text.replaceAll(ACCENTS, '');
    case 'NFC':
    case 'NFD':
    case 'NFKC':
    case 'NFKD':
      return (text) => text.normalize(type);
    case 'Strip': {
      const { strip_left, strip_right } = strip.parse(description);
      const left: Normalizer = strip_left ? (text) => text.trimStart() : (text) => text;
      return strip_right ? (text) => left(text).trimEnd() : left;
    }
    case 'Replace': {
      const { pattern, content } = replace.parse(description);
      const wanted = 'String' in pattern ? pattern.String : expression(pattern.Regex);
      return (text) => text.replaceAll(wanted, () => content);
    }
    case 'Precompiled': {
      const { precompiled_charsmap } = precompiled.parse(description);
      return charactersMap(precompiled_charsmap ?? '');
    }
    default:
      throw unusableModel(
        `tokenizer.json has the normalizer "${type.slice(0, 100)}", which is not known here`,
      );
  }
}

function expression(source: string): RegExp {
  try {
    return new RegExp(source, 'gu');
  } catch (error) {
    throw unusableModel('tokenizer.json replaces by an expression that is not known here', error);
  }
}

function bertNormalizer(options: z.output<typeof bert>): Normalizer {
  const { clean_text, handle_chinese_chars, lowercase } = options;
  const strips = options.strip_accents ?? lowercase;
  return (text) => {
    let changed = text;
    if (clean_text) changed = changed.replaceAll(INVISIBLE, '').replaceAll(SPACES, ' ');
    if (handle_chinese_chars) changed = changed.replaceAll(HAN, ' $& ');
    if (strips) changed = changed.normalize('NFD').replaceAll(ACCENTS, '');
    return lowercase ? changed.toLowerCase() : changed;
  };
}

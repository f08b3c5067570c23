/** Letters that taking marks away does not make plain. */
const PLAIN: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ł: 'l',
  ı: 'i',
  þ: 'th',
  ð: 'd',
};
const OTHER_LETTER = /[ßæœøđłıþð]/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII begins with them
export const ASCII = /^[\x00-\x7f]*$/;

/** A lower-case word without accents. Taking compatibility characters apart can bring signs that are no letters. */
export function fold(word: string): string {
  if (ASCII.test(word)) return word;
  return word
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]|[^\p{L}\p{M}\p{N}']/gu, '')
    .replace(OTHER_LETTER, (letter) => PLAIN[letter]!);
}

const ACCENTED = /[\u00c0-\u024fёЁ]/g;
const MARKS = /[\u0300-\u036f]/g;

/** The text without accents, each character where it was. */
export function withoutAccents(text: string): string {
  return text.replace(ACCENTED, (letter) => {
    const plain = letter.normalize('NFD').replace(MARKS, '');
    return plain.length === 1 ? plain : letter;
  });
}

/** The text without accents and sharp s, for expressions whose place does not matter. */
export function plainText(text: string): string {
  return withoutAccents(text).replaceAll('ß', 'ss');
}

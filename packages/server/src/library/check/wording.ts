/** Words that two readers would take for two different things. Code and quotations are not read. */
const VAGUE = [
  'if possible',
  'where possible',
  'when possible',
  'as needed',
  'as necessary',
  'when necessary',
  'as appropriate',
  'where appropriate',
  'try to',
  'and so on',
  'etc',
  'best practices?',
  'be careful',
  'appropriate(?:ly)?',
  'reasonabl[ey]',
  'adequate(?:ly)?',
  'sufficient(?:ly)?',
  'proper(?:ly)?',
  'usually',
  'generally',
  'normally',
  'sometimes',
  'perhaps',
  'maybe',
  'probably',
  'wenn möglich',
  'in der Regel',
  'nach Möglichkeit',
  'möglichst',
  'angemessen(?:e[nrms]?)?',
  'sinnvoll(?:e[nrms]?)?',
  'gegebenenfalls',
  'eventuell',
  'usw',
];
const PATTERN = new RegExp(`(?<![\\p{L}\\p{N}-])(?:${VAGUE.join('|')})(?![\\p{L}\\p{N}-])`, 'giu');
const NOT_PROSE = /```[\s\S]*?(?:```|$)|~~~[\s\S]*?(?:~~~|$)|`[^`\n]*`|"[^"\n]*"|“[^”\n]*”|\]\([^)\n]*\)/g;

/** The text with what is not prose blanked out, so that places stay the same. */
export function proseOf(text: string): string {
  return text.replaceAll(NOT_PROSE, (match) => match.replaceAll(/[^\n]/g, ' '));
}

/** The vague words of a text, each once with the line of the text that it first stands in, from 0. */
export function vagueWords(text: string): { word: string; line: number }[] {
  const prose = proseOf(text);
  const found = new Map<string, number>();
  for (const { 0: word, index } of prose.matchAll(PATTERN)) {
    const spelt = word.toLowerCase();
    if (!found.has(spelt)) found.set(spelt, prose.slice(0, index).split('\n').length - 1);
  }
  return [...found].map(([word, line]) => ({ word, line }));
}

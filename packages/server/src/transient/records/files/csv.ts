export type CsvCells = { cells: string[] } | { open: true } | { problem: string };

/**
 * One record of a CSV file (RFC 4180). `open` when a quoted value goes on in the next line. A quote that does not begin
 * a value is a character like any other: `5" pipe`.
 */
export function splitCsv(text: string, delimiter: string): CsvCells {
  if (!text.includes('"')) return { cells: text.split(delimiter) };
  const cells: string[] = [];
  let at = 0;
  for (;;) {
    if (text[at] !== '"') {
      const end = text.indexOf(delimiter, at);
      cells.push(end < 0 ? text.slice(at) : text.slice(at, end));
      if (end < 0) return { cells };
      at = end + 1;
      continue;
    }
    const closing = closingQuote(text, at + 1);
    if (closing < 0) return { open: true };
    cells.push(text.slice(at + 1, closing).replaceAll('""', '"'));
    if (closing + 1 === text.length) return { cells };
    if (text[closing + 1] !== delimiter) return { problem: 'text follows a closing quote' };
    at = closing + 2;
  }
}

function closingQuote(text: string, from: number): number {
  let at = from;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0 || text[quote + 1] !== '"') return quote;
    at = quote + 2;
  }
}

const DELIMITERS = [',', ';', '\t', '|'];

/** The one that occurs most in the header; a comma where there is but one column. */
export function detectDelimiter(header: string): string {
  const outside = header.replaceAll(/"(?:[^"]|"")*"/g, '');
  const counted = DELIMITERS.map((delimiter) => ({ delimiter, count: outside.split(delimiter).length - 1 }));
  return counted.sort((a, b) => b.count - a.count)[0]!.delimiter;
}

/** Names of columns: trimmed, and each once. */
export function headerNames(cells: readonly string[]): string[] {
  const seen = new Set<string>();
  return cells.map((cell, index) => {
    const base = cell.trim() === '' ? `column_${index + 1}` : cell.trim();
    let name = base;
    for (let count = 2; seen.has(name); count++) name = `${base}_${count}`;
    seen.add(name);
    return name;
  });
}

/** A record whose last value goes on in the next line. */
export interface OpenRecord {
  cells: string[];
  /** The lines of that value so far. */
  lines: string[];
}

export type CsvCells = { cells: string[] } | { open: OpenRecord } | { problem: string };

/**
 * One record of a CSV file (RFC 4180), or the next line of one that is open: each line is looked at once, however many
 * a value has. A quote that does not begin a value is a character like any other: `5" pipe`. Our own: `csv-parse` takes
 * 5 times as long, and a stray quote would cost it the rest of the file (docs/benchmarks.md).
 */
export function splitCsv(line: string, delimiter: string, before?: OpenRecord): CsvCells {
  if (!before && !line.includes('"')) return { cells: line.split(delimiter) };
  const cells = before?.cells ?? [];
  let lines = before?.lines;
  let at = 0;
  for (;;) {
    if (!lines && line[at] !== '"') {
      const end = line.indexOf(delimiter, at);
      cells.push(end < 0 ? line.slice(at) : line.slice(at, end));
      if (end < 0) return { cells };
      at = end + 1;
      continue;
    }
    const from = lines ? at : at + 1;
    const closing = closingQuote(line, from);
    const held: string[] = lines ?? [];
    held.push(closing < 0 ? line.slice(from) : line.slice(from, closing));
    if (closing < 0) return { open: { cells, lines: held } };
    cells.push(held.join('\n').replaceAll('""', '"'));
    lines = undefined;
    if (closing + 1 === line.length) return { cells };
    if (line[closing + 1] !== delimiter) return { problem: 'text follows a closing quote' };
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

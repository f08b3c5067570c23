import type { Row } from './rows.ts';

/** The next row, from where one is and around, whose name begins like this. With one letter it goes on to the next. */
export function rowNamed(rows: readonly Row[], at: number, typed: string): number {
  const text = typed.toLowerCase();
  const from = text.length > 1 ? at : at + 1;
  for (let step = 0; step < rows.length; step++) {
    const index = (from + step) % rows.length;
    if (nameOf(rows[index]!).toLowerCase().startsWith(text)) return index;
  }
  return at;
}

export function nameOf(row: Row): string {
  switch (row.kind) {
    case 'branch':
      return row.branch.parent === null ? 'Main thread' : row.branch.description;
    case 'operation':
      return row.operation.tool;
    case 'mark':
      return row.mark.text;
    case 'group':
      return `${row.group.count} operations`;
    case 'earlier':
      return `${row.branch.earlier} earlier operations`;
  }
}

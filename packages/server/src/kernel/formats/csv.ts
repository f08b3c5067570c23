export type CsvValue = string | number | boolean | null | undefined;

/** A spreadsheet would take such a text for a formula, whatever blanks and marks that nobody sees stand before it. */
const FORMULA = /^[\s\p{Cc}\p{Cf}]*[=+\-@\uff0b\uff0d\uff1d\uff20]|^[\t\r\n]/u;

/** One line by RFC 4180, with its end. Texts that look like formulas are marked as texts, numbers stay numbers. */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(cell).join(',')}\r\n`;
}

function cell(value: CsvValue): string {
  if (value === null || value === undefined) return '';
  const plain = String(value);
  const text = typeof value === 'string' && FORMULA.test(plain) ? `'${plain}` : plain;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

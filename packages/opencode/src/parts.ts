import { randomBytes } from 'node:crypto';

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM = 14;
/** Behind every other part of the same millisecond: the host sorts parts by their ids. */
const LAST = 0xfffn;

/** An id as the host makes them: it refuses others. */
export function partId(now: number = Date.now()): string {
  const time = ((BigInt(now) << 12n) | LAST) & 0xffff_ffff_ffffn;
  const random = [...randomBytes(RANDOM)].map((byte) => LETTERS[byte % LETTERS.length]).join('');
  return `prt_${time.toString(16).padStart(12, '0')}${random}`;
}

/** What the model sees of a result: of the host's own tools, or of an MCP server's. */
export function textOfResult(result: unknown): string {
  const { output, content } = (result ?? {}) as { output?: unknown; content?: unknown };
  if (typeof output === 'string') return output;
  if (!Array.isArray(content)) return '';
  return content
    .flatMap(({ text }: { text?: unknown }) => (typeof text === 'string' ? [text] : []))
    .join('\n');
}

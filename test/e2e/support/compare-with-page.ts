type Hides = (value: unknown) => boolean;

const text: Hides = (value) => typeof value === 'string';
/** Of pages on which `…` also stands for a list or a number. */
export const anything: Hides = (value) => value !== undefined;

/** Puts `…` wherever the page has it, so that the rest can be compared exactly. */
export function veiled(actual: unknown, expected: unknown, hides: Hides = text): unknown {
  if (expected === '…') return hides(actual) ? '…' : actual;
  if (Array.isArray(expected) && Array.isArray(actual)) {
    return actual.map((value, index) => veiled(value, expected[index], hides));
  }
  if (isRecord(expected) && isRecord(actual)) {
    const known = new Set(Object.keys(expected));
    return Object.fromEntries(
      Object.entries(actual).map(([key, value]) => {
        const name = !known.has(key) && known.has('…') ? '…' : key;
        return [name, veiled(value, expected[name], hides)];
      }),
    );
  }
  return actual;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

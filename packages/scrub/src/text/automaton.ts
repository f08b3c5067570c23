/**
 * Finds every literal of a set in one pass (Aho–Corasick), without regard to the case of ASCII letters.
 * The cost is one table look-up a character whatever the number of literals, which is what lets clean text
 * pass at hundreds of megabytes a second.
 */

const CLASS_BITS = 6;
const CLASS_LIMIT = 1 << CLASS_BITS;

/** Called at each literal that ends before `end`; returns where to read on (`end`, or further to skip). */
export type Visit<Payload> = (hits: readonly Hit<Payload>[], end: number) => number;

export interface Hit<Payload> {
  length: number;
  payload: Payload;
}

/** Text is read as bytes in pieces of this size: an array is indexed far faster than a string. */
const PIECE = 1 << 15;
/** One array for each text that is being read: a detector may read a decoded text meanwhile. */
const arrays: Buffer[] = [];
let reading = 0;

export interface Automaton<Payload> {
  scan(text: string, visit: Visit<Payload>): void;
}

/** Names are shorter. */
const SHORT = 256;
/** So many texts are looked through without it. */
const FEW = 32;

/**
 * Built for the first text that may hold a literal, or that is long: a process that starts with a name or two would wait for it
 * longer than it takes to look for each literal in them.
 */
export function lazyAutomaton<Payload>(literals: ReadonlyMap<string, Payload>): Automaton<Payload> {
  let built: Automaton<Payload> | undefined;
  let looks = 0;
  return {
    scan(text, visit) {
      if (!built && text.length <= SHORT && looks++ < FEW && !holdsAny(text, literals.keys())) return;
      built ??= buildAutomaton(literals);
      built.scan(text, visit);
    },
  };
}

/** As the automaton reads: a byte for each character. */
function holdsAny(text: string, literals: Iterable<string>): boolean {
  const folded = Buffer.from(text, 'latin1').toString('latin1').toLowerCase();
  for (const literal of literals) if (folded.includes(literal)) return true;
  return false;
}

export function buildAutomaton<Payload>(literals: ReadonlyMap<string, Payload>): Automaton<Payload> {
  const classes = new Uint8Array(256);
  let classCount = 1;
  const classOf = (code: number): number => {
    const folded = code >= 65 && code <= 90 ? code + 32 : code;
    if (folded > 127) throw new Error('A keyword must be ASCII.');
    if (classes[folded] === 0) {
      if (classCount === CLASS_LIMIT) throw new Error('Too many different characters in keywords.');
      classes[folded] = classCount;
      if (folded >= 97 && folded <= 122) classes[folded - 32] = classCount;
      classCount += 1;
    }
    return classes[folded]!;
  };

  // The trie grows straight into the table that is read later; 0 means "no child", as the root is nobody's child.
  let capacity = 1;
  for (const literal of literals.keys()) capacity += literal.length;
  const children = new Uint16Array(capacity << CLASS_BITS);
  const found: Hit<Payload>[][] = [[]];
  for (const [literal, payload] of literals) {
    let current = 0;
    for (let index = 0; index < literal.length; index++) {
      const place = (current << CLASS_BITS) | classOf(literal.charCodeAt(index));
      current = children[place]!;
      if (current === 0) {
        current = found.push([]) - 1;
        children[place] = current;
      }
    }
    found[current]!.push({ length: literal.length, payload });
  }
  const count = found.length;
  if (count > 0xffff) throw new Error('Too many keywords.');

  // Breadth first: when a state's row is completed, that of its failure state (the longest suffix that is also
  // a beginning) already is, so missing steps are copied from there.
  const failures = new Uint16Array(count);
  const order = new Uint16Array(count);
  let filled = 1;
  for (let index = 0; index < filled; index++) {
    const state = order[index]!;
    const row = state << CLASS_BITS;
    const failureRow = failures[state]! << CLASS_BITS;
    if (state !== 0 && found[failures[state]!]!.length > 0) found[state]!.push(...found[failures[state]!]!);
    for (let symbol = 0; symbol < classCount; symbol++) {
      const child = children[row + symbol]!;
      const fallback = state === 0 ? 0 : children[failureRow + symbol]!;
      if (child === 0) children[row + symbol] = fallback;
      else {
        failures[child] = fallback;
        order[filled++] = child;
      }
    }
  }

  // States are renumbered in that order, which keeps the busy ones close together, and so that all accepting
  // ones come last: the hot loop then tests with one comparison.
  const numbers = new Uint16Array(count);
  let next = 0;
  for (const state of order) if (found[state]!.length === 0) numbers[state] = next++;
  const firstAccepting = next;
  const hits: Hit<Payload>[][] = [];
  for (const state of order) {
    if (found[state]!.length === 0) continue;
    numbers[state] = next++;
    hits.push(found[state]!);
  }
  const table = new Uint16Array(count << CLASS_BITS);
  for (let state = 0; state < count; state++) {
    const from = state << CLASS_BITS;
    const to = numbers[state]! << CLASS_BITS;
    for (let symbol = 0; symbol < classCount; symbol++)
      table[to + symbol] = numbers[children[from + symbol]!]!;
  }

  return {
    scan(text, visit) {
      const length = text.length;
      const bytes = arrays[reading] ?? Buffer.alloc(PIECE);
      arrays[reading] = bytes;
      reading += 1;
      try {
        read(text, length, bytes, visit);
      } finally {
        reading -= 1;
      }
    },
  };

  function read(text: string, length: number, bytes: Buffer, visit: Visit<Payload>): void {
    let state = 0;
    let position = 0;
    while (position < length) {
      const base = position;
      const end = Math.min(length, base + PIECE);
      // One byte a character: what is beyond Latin-1 is cut to its low byte, which at worst leads to a
      // detector that finds nothing there.
      bytes.write(base === 0 && end === length ? text : text.slice(base, end), 0, 'latin1');
      while (position < end) {
        state = table[(state << CLASS_BITS) | classes[bytes[position - base]!]!]!;
        position += 1;
        if (state < firstAccepting) continue;
        const resume = visit(hits[state - firstAccepting]!, position);
        if (resume > position) {
          position = resume;
          state = 0;
        }
      }
    }
  }
}

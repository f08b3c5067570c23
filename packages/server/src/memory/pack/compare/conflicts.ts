import { sentenceStarts } from '../../text/sentences.ts';
import { termsOf } from '../../text/terms.ts';

/** An item as it is compared with others: what it says, and when. */
export interface DatedText {
  id: string;
  content: string;
  at: number;
}

/** The same thing said with another value, or the opposite wanted. */
export interface OtherValue {
  id: string;
  at: number;
  /** The sentence that says it. */
  says: string;
  /** The values alone. */
  values?: readonly string[];
  /** Of two wishes, which holds. */
  change?: 'replaces' | 'replaced_by';
}

/** Numbers, versions, amounts, times, days and names in code: what an attribute is changed to. */
const VALUE = /[$€£]?\d[\d.,:%/-]*\d|[$€£]?\d%?|`[^`\n]+`|v\d[\w.-]*/gu;
const SHORTEST = 12;
const LONGEST = 400;
const MOST_SENTENCES = 40;
/** Characters of an item that may hold them. */
const MOST_READ = 6000;
/** So much of their other words two sentences share that are about one thing. */
const ALIKE = 0.6;
const LEAST_SHARED = 2;
/** What has more values than this is not one thing that changed, but many that are counted: "invoices of kind 7". */
const MOST_VALUES = 5;

interface Claim {
  words: Set<string>;
  values: Set<string>;
  says: string;
}

/**
 * Conflicting values of one attribute, found by how alike the sentences are but for their numbers. Only sentences that hold a word of
 * the goal are compared. For each item that conflicts, what the others say, newest first.
 */
export function conflictsAmong(
  statements: readonly DatedText[],
  terms: ReadonlySet<string>,
): Map<string, OtherValue[]> {
  const claims = statements.map((statement) => ({ statement, all: claimsIn(statement.content, terms) }));
  const found = new Map<string, OtherValue[]>();
  const note = (id: string, other: DatedText, { says, values }: Claim) => {
    const known = found.get(id) ?? [];
    if (!known.some((each) => each.id === other.id)) {
      known.push({ id: other.id, at: other.at, says, values: [...values] });
    }
    found.set(id, known);
  };
  for (const [index, one] of claims.entries()) {
    for (const other of claims.slice(index + 1)) {
      if (one.statement.at === other.statement.at) continue;
      for (const here of one.all) {
        for (const there of other.all) {
          if (!differ(here, there)) continue;
          note(one.statement.id, other.statement, there);
          note(other.statement.id, one.statement, here);
        }
      }
    }
  }
  for (const [id, others] of found) {
    if (others.length > MOST_VALUES) found.delete(id);
    else others.sort((one, other) => other.at - one.at);
  }
  return found;
}

function claimsIn(content: string, terms: ReadonlySet<string>): Claim[] {
  const starts = sentenceStarts(content, 0, Math.min(content.length, MOST_READ));
  const claims: Claim[] = [];
  for (const [index, start] of starts.slice(0, MOST_SENTENCES).entries()) {
    const says = content
      .slice(start, starts[index + 1] ?? Math.min(content.length, start + LONGEST + 1))
      .trim();
    if (says.length < SHORTEST || says.length > LONGEST || /[?？]$/u.test(says)) continue;
    const values = new Set(says.match(VALUE) ?? []);
    if (values.size === 0) continue;
    const words = new Set(termsOf(says.replace(VALUE, ' ')));
    if ([...words].some((word) => terms.has(word))) claims.push({ words, values, says });
  }
  return claims;
}

function differ(one: Claim, other: Claim): boolean {
  for (const value of one.values) if (other.values.has(value)) return false;
  let shared = 0;
  for (const word of one.words) if (other.words.has(word)) shared++;
  return shared >= LEAST_SHARED && shared / Math.max(one.words.size, other.words.size) >= ALIKE;
}

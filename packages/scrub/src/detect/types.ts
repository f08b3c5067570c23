/** A token that carries its own mark: a literal prefix followed by a fixed alphabet and length. */
export interface TokenRule {
  kind: string;
  /** Literal beginnings of the token (or of the URL that holds it), compared with their case. */
  keywords: readonly string[];
  /** What follows the keyword: the source of a regular expression whose every quantifier is bounded. */
  pattern: string;
  /** Replace only this group of `pattern`; without it keyword and match go together. */
  group?: number;
  /** Least Shannon entropy, in bits a character, of what `pattern` matched. */
  entropy?: number;
  /** What must not stand before the keyword. `word` (default): a letter or digit; `strict`: also `_` and `-`; `blob`: also `+` and `/`; `none`: nothing is refused. */
  left?: 'word' | 'strict' | 'blob' | 'none';
  /** What must not stand after the match; same words, `word` by default. */
  right?: 'word' | 'strict' | 'blob' | 'none';
  /** Compare keyword and pattern without their case. */
  ignoreCase?: boolean;
  /** The keyword stands inside the token: how many characters of which set come before it. */
  lead?: { characters: string; least: number; most: number; begins?: string };
  /** Least length at which the match must also look drawn at random; for keywords that words begin with too. */
  random?: number;
  /** A person chose the value, and its place says so: judged as a password instead of by its entropy. */
  chosen?: boolean;
  /** The kind is only a guess: a rule that knows the provider names the finding. */
  guess?: boolean;
}

/** A token without a mark of its own: it is known by the provider's name standing before it. */
export interface ContextRule {
  kind: string;
  /** Lower-case words of which one stands in the name, such as `algolia` in `ALGOLIA_ADMIN_KEY`. */
  names: readonly string[];
  /** The whole value: the source of a regular expression whose every quantifier is bounded. */
  value: string;
  entropy?: number;
  ignoreCase?: boolean;
  /** Least length at which the value must look drawn at random: 10 by default, 0 for values that do not. */
  random?: number;
}

export interface RuleFamily {
  tokens?: readonly TokenRule[];
  contexts?: readonly ContextRule[];
}

/** How sure a finding's kind is: a guess from a name, a provider's context, or a format of its own. */
export const Rank = { guess: 0, context: 1, format: 2 } as const;

/** A part of the text to replace. It holds positions only, never the secret. */
export interface Finding {
  start: number;
  end: number;
  kind: string;
  rank: number;
}

/** Languages whose words are led back to a stem. English is what everything else is read as. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'ru'] as const;
export type LanguageCode = (typeof LANGUAGES)[number];

/** What a goal asks for, by how it asks. */
export interface WantedShapes {
  time: RegExp;
  number: RegExp;
  duration: RegExp;
  name: RegExp;
}

/** What the ranking knows of a language besides its stemmer. Words are apart by spaces. */
export interface Language {
  /** Words that carry structure, not content: neither indexed nor searched for, and what a language is told by. */
  stopwords: string;
  /** Words that questions and requests are made of. */
  asking: string;
  /** "I", "we", "my", and "you", "your". */
  self: string;
  other: string;
  wanted: WantedShapes;
  /** A passage holds a number, or says how long. */
  number: RegExp;
  duration: RegExp;
  times: TimeWords;
}

/**
 * How days are said. Each is the source of a regular expression over text without accents (`withoutAccents`): names
 * of months have no other sign, and people leave them out.
 */
export interface TimeWords {
  /** From January, from Sunday, from spring. */
  months: string[];
  weekdays: string[];
  seasons: string[];
  day: string;
  week: string;
  weekend: string;
  month: string;
  year: string;
  /** One to twelve. */
  numbers: string[];
  few: string;
  couple: string;
  beforeYesterday: string;
  yesterday: string;
  today: string;
  tomorrow: string;
  afterTomorrow: string;
  recently: string;
  /** Before or after what they belong to. */
  last: string;
  this: string;
  next: string;
  early: string;
  middle: string;
  late: string;
  /** Before a number of units, or after it; empty where the language has none. */
  agoBefore: string;
  agoAfter: string;
  laterBefore: string;
  laterAfter: string;
  /** "In the last", before a number of units. */
  within: string;
  /** Between a day, its month and its year. */
  of: string;
  /** Before a month without more. */
  in: string;
  /** Between the first and the last day of a range. */
  until: string;
  easter: string;
  easterSunday: string;
  easterMonday: string;
  goodFriday: string;
  pentecost: string;
  christmas: string;
  newYearsEve: string;
  newYear: string;
}

/** Whole words, whatever the letter case; accents must be gone from the text. */
export function wordsLike(source: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${source})(?![\\p{L}\\p{N}])`, 'iu');
}

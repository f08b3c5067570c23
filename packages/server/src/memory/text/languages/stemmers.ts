import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stem } from '../stem.ts';
import { fold } from './accents.ts';
import type { LanguageCode } from './language.ts';

type Stemmer = (word: string) => string;

/** "Ue" for "ü", but not in "neue", "Bauer" or "Quelle". */
const GERMAN_DIGRAPH = /(?<![aeoq])([aou])e/g;
/** "L'eau", "dell'acqua": what stands before the apostrophe is a word of its own. */
const ELISION = /^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|dell|all|nell|sull|dall|quell|quest|un|gli)'(?=.)/;

/** Endings that the rules know by their accents, as people write them without. */
const STEMMERS: Record<Exclude<LanguageCode, 'en'>, Stemmer> = {
  de: (word) => fold(german(fold(word.normalize('NFC').replaceAll("'", '')).replace(GERMAN_DIGRAPH, '$1'))),
  fr: (word) => fold(french(word.replace(ELISION, '').replaceAll("'", ''))),
  es: (word) => fold(spanish(word.replace(/([cs])ion$/, '$1ión'))),
  pt: (word) =>
    fold(
      portuguese(
        word
          .replace(/([cs])ao$/, (_all, letter) => `${letter === 'c' ? 'ç' : 's'}ão`)
          .replace(/coes$/, 'ções'),
      ),
    ),
  it: (word) => fold(italian(word.replace(ELISION, '').replaceAll("'", ''))),
  nl: (word) => fold(dutch(word)),
  ru: (word) => fold(russian(word)),
};

const MOST_KEPT = 20_000;
/** Longer ones are no words, and do not come back. */
const LONGEST = 64;
const kept = new Map<LanguageCode, Map<string, string>>();

/** The stem of a lower-case word with its accents, without accents. */
export function stemIn(code: LanguageCode, word: string): string {
  if (code === 'en') return stem(fold(word));
  let stems = kept.get(code);
  if (!stems) {
    stems = new Map();
    kept.set(code, stems);
  }
  let found = stems.get(word);
  if (found === undefined) {
    found = STEMMERS[code](word);
    if (word.length > LONGEST) return found;
    if (stems.size >= MOST_KEPT) stems.clear();
    stems.set(word, found);
  }
  return found;
}

import type { LanguageCode } from '../languages/language.ts';
import { stemIn } from '../languages/stemmers.ts';
import { ENGLISH_THESAURUS } from './english.ts';
import { GERMAN_THESAURUS } from './german.ts';
import type { Thesaurus } from './thesaurus.ts';

const THESAURI: Partial<Record<LanguageCode, Thesaurus>> = { en: ENGLISH_THESAURUS, de: GERMAN_THESAURUS };

type Related = ReadonlyMap<string, ReadonlySet<string>>;

/** Made at the first question: a server that starts must not wait for it. */
const synonyms = new Map<LanguageCode, Related>();
const members = new Map<LanguageCode, Related>();

/** Terms that may stand where this one does. */
export function synonymsOf(term: string, language: LanguageCode = 'en'): readonly string[] {
  return relatedTo(term, language, synonyms, relatedByGroup);
}

/** Terms that a general word covers. */
export function membersOf(term: string, language: LanguageCode = 'en'): readonly string[] {
  return relatedTo(term, language, members, membersByClass);
}

function relatedTo(
  term: string,
  language: LanguageCode,
  known: Map<LanguageCode, Related>,
  make: (thesaurus: Thesaurus, stem: (word: string) => string) => Related,
): readonly string[] {
  const thesaurus = THESAURI[language];
  if (!thesaurus) return [];
  let related = known.get(language);
  if (!related) {
    related = make(thesaurus, (word) => stemIn(language, word.replaceAll('-', '')));
    known.set(language, related);
  }
  return [...(related.get(term) ?? [])];
}

function relatedByGroup({ groups }: Thesaurus, stem: (word: string) => string): Related {
  const made = new Map<string, Set<string>>();
  for (const group of groups.split(/[|\n]/)) {
    const words = group.trim().split(/\s+/);
    if (words.length < 2) continue;
    const stems = new Set(words.map(stem));
    for (const one of stems) addAll(made, one, stems);
  }
  return made;
}

function membersByClass({ classes }: Thesaurus, stem: (word: string) => string): Related {
  const made = new Map<string, Set<string>>();
  for (const line of classes.split('\n')) {
    const [names, list] = line.split(':');
    if (names === undefined || list === undefined) continue;
    const covered = list.trim().split(/\s+/).map(stem);
    for (const name of names.trim().split(/\s+/).map(stem)) addAll(made, name, covered);
  }
  return made;
}

function addAll(made: Map<string, Set<string>>, term: string, others: Iterable<string>): void {
  const known = made.get(term) ?? new Set();
  for (const other of others) if (other !== term) known.add(other);
  made.set(term, known);
}

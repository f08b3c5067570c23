import type { LanguageCode } from '../languages/language.ts';
import { readText, termOf, tokensOf } from '../terms.ts';

/**
 * Words of English, German, French, Spanish, Portuguese, Italian, Dutch and Russian together: what a sentence denies is told by few
 * words, and hardly one of them means something else in another of these languages.
 */
const words = (list: string) => new Set(list.trim().split(/\s+/));
/** However often it is said, a sentence is denied once: "никогда не", "no uses nunca". */
export const DENYING = words(`
  not never no none nothing neither nor cannot dont wont
  nicht nie niemals kein keine keinen keiner keines keinem keinesfalls
  pas jamais aucun aucune rien nunca jamás jamas ningún ninguno ninguna não nenhum nenhuma non nessun nessuno nessuna
  niet nooit geen не никогда ни нет`);
/** Turn round what they stand with, each of them. */
export const TURNING = words(`
  without avoid avoids avoiding stop skip omit forget hate dislike loathe detest refrain
  ohne vermeide vermeiden hasse sans évite éviter évitez déteste sin evita evitar evito odio detesto
  sem evite odeio senza zonder vermijd haat без избегай избегаю ненавижу`);
/** What wishes are made of, whatever they are about: how strongly, from when, and that something is given or done. */
const FRAME = words(`
  always never please only also now just really still ever strictly instead future prefer preference like love enjoy want rather
  would could can may
  give add include show list mention provide write put tell print use name state make keep do
  immer bitte nur auch jetzt künftig stets lieber mag möchte will gib zeig zeige schreib schreibe nenne nutze verwende
  toujours préfère donne écris utilise siempre prefiero usa escribe da sempre prefiro preferisco use escreve scrivi
  altijd liever graag geef gebruik schrijf всегда предпочитаю пиши используй давай`);
/** How the occasion of a wish is told, and that it is one. */
const OCCASION = words(`
  when whenever if every each time times ask asked asking need remember mind rule rules default wish request preferably
  favor favour using generally usually sure thing things want wants
  wenn jedes jedesmal mal frage regel wunsch grundsätzlich generell künftig zukunft bevorzuge brauche
  quand chaque fois règle désormais cuando cada vez regla quando vez regra regola volta wanneer keer regel voortaan
  когда каждый раз правило впредь`);

export const isFrame = (token: string) =>
  FRAME.has(token) || DENYING.has(token) || TURNING.has(token) || token.endsWith("n't");

/** What a wish is about, as terms of its language: what all wishes are made of makes no two of them one matter. */
export function matterTerms(sentence: string, usual: LanguageCode): string[] {
  const { language } = readText(sentence, usual);
  const told = tokensOf(sentence).filter((token) => !isFrame(token) && !OCCASION.has(token));
  return [...new Set(told.flatMap((token) => termOf(token, language) ?? []))];
}

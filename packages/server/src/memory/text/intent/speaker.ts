import { fold } from '../languages/accents.ts';
import { ASIAN_OTHER, ASIAN_SELF } from '../languages/asian.ts';
import { wordsIn } from '../languages/index.ts';
import type { LanguageCode } from '../languages/language.ts';
import { tokensOf } from '../terms.ts';
import type { Role } from './roles.ts';
import { signs } from './signs.ts';

/** Ask what the assistant said or did: "did you", "your suggestion", and verbs that say "you" by their ending. */
const ASKED_OF_YOU = signs(`
  did-you had-you have-you you've you-had were-you according-to-you do-you-remember-saying
  you-said you-told you-suggested you-recommended you-proposed you-advised you-mentioned you-gave you-explained you-wrote
  you-showed you-listed you-named you-warned you-answered you-replied you-offered you-described you-drafted you-estimated
  your-(?:\\p{L}+-)?(?:answers?|repl(?:y|ies)|suggestions?|recommendations?|advice|proposals?|explanations?|drafts?|estimates?|warnings?|opinion|reasoning|verdict)
  the-assistant-(?:say|said|suggest(?:ed)?|recommend(?:ed)?|tell|told|propose[d]?)
  hast-du hattest-du warst-du du-mir du-uns du-damals sagtest-du du-sagtest empfahlst-du rietest-du schlugst-du nanntest-du meintest-du
  schriebst-du dein(?:e[nmr]?)?-(?:\\p{L}+-)?(?:antwort|vorschlag|vorschläge|empfehlung(?:en)?|rat|tipps?|erklärung|entwurf|schätzung|warnung|meinung)
  as-tu avais-tu m'as-tu m'avez-vous avez-vous tu-as tu-m'as tu-m'avais vous-m'avez
  (?:ta|ton|tes|votre|vos)-(?:réponses?|suggestions?|conseils?|propositions?|explications?|avis|recommandations?)
  dijiste recomendaste sugeriste propusiste aconsejaste explicaste mencionaste escribiste nombraste diste has-dicho has-sugerido
  has-recomendado has-propuesto tu-(?:respuesta|sugerencia|recomendación|consejo|propuesta|explicación)
  disseste sugeriste recomendaste propuseste aconselhaste explicaste você-(?:disse|sugeriu|recomendou|propôs|aconselhou|explicou)
  (?:tua|sua)-(?:resposta|sugestão|recomendação|proposta|explicação)
  hai-detto hai-consigliato hai-suggerito hai-proposto hai-spiegato mi-hai ci-hai (?:tua|tuo|tuoi)-(?:risposta|proposta|consiglio|consigli|spiegazione)
  heb-je heb-jij had-je zei-je je-zei raadde-je stelde-je (?:je|jouw)-(?:antwoord|voorstel|advies|uitleg|aanbeveling)
  ты-(?:\\p{L}+-)?(?:сказал|советовал|посоветовал|предложил|объяснил|упомянул|написал)а?
  вы-(?:\\p{L}+-)?(?:сказали|советовали|посоветовали|предложили|объяснили|упомянули|написали) (?:твой|твоё|твоя|ваш|ваше)-(?:ответ|совет|предложение)`);

/** The person as who did or said something, not as who was told. */
const PERSON_ACTS = signs(`i i've we we've ich wir je j'ai nous yo nosotros eu nós io noi ik wij we я мы`);

/** Asks for something to be done: "you" is then only who is asked. */
const REQUESTED = signs(
  `can-you could-you would-you will-you please kannst-du könntest-du würdest-du bitte peux-tu pouvez-vous pourrais-tu puedes podrías podes pode puoi potresti kun-je kunt-u zou-je можешь`,
);

/** Tell what somebody needs: "how do I", "should we". Who needs something has not said it, and the answer may be anybody's. */
const NEEDED = signs(`
  how-(?:do|can|could|would|might)-(?:i|we) (?:can|should|could|must|may|shall)-(?:i|we)
  do-(?:i|we)-(?:need|have-to|get|set|make|run|call|pass|write|add|install|configure|do) i-need we-need i-have-to we-have-to
  (?:kann|muss|soll|sollte|könnte|darf|brauche|bekomme)-ich (?:können|müssen|sollen|sollten|könnten|dürfen|brauchen)-wir
  wie-(?:mache|komme|bekomme|schreibe|baue)-ich wie-(?:machen|kommen|bekommen|schreiben|bauen)-wir
  (?:puis|dois|devrais|peux)-je (?:pouvons|devons|devrions)-nous puedo debo debería podemos debemos deberíamos necesito
  posso devo deveria devemos preciso dovrei possiamo dobbiamo dovremmo (?:kan|moet|zal|mag)-ik (?:kunnen|moeten|zullen|mogen)-we
  (?:мне|нам)-(?:нужно|надо|стоит)`);

/** What is somebody's own, or was said or done by them, by language: "mi" is mine in one, and me in another. */
const OWN: Record<LanguageCode, RegExp> = {
  en: signs(
    `my our mine ours (?:did|had|have|was|were|am)-(?:i|we) (?:i|we)-(?:had|was|were|said|told|did|have-(?!to))`,
  ),
  de: signs(`mein(?:e[nmrs]?)? unser(?:e[nmrs]?)? (?:habe|hatte|war|bin)-ich (?:haben|hatten|waren|sind)-wir
    ich-(?:habe|hatte|war) wir-(?:haben|hatten|waren)`),
  fr: signs(`mon ma mes notre nos ai-je avons-nous j'ai nous-avons`),
  es: signs('mi mis nuestr[oa]s? he hemos'),
  pt: signs('meus? minhas? nossos? nossas?'),
  it: signs('mi[oae] miei nostr[oaei] ho abbiamo'),
  nl: signs('mijn ons onze heb-ik hebben-we ik-heb we-hebben'),
  ru: signs('мо(?:й|я|ё|и|его|ей|их) наш(?:а|е|и|его|ей|их)?'),
};

/** Whether a goal asks what the assistant said or did, in whichever language. */
export function isAskedOfAssistant(goal: string): boolean {
  return ASKED_OF_YOU.test(goal);
}

/**
 * Whose words a goal is about: "my" means the person, "you" the assistant, unless it is only asked to do something; nobody's where
 * somebody only says what they need.
 */
export function speakerIn(goal: string, language: LanguageCode): Role | undefined {
  if (isAskedOfAssistant(goal)) return 'assistant';
  const { self, other } = wordsIn(language);
  const words = tokensOf(goal).flatMap((word) => fold(word).split("'"));
  const isOfOther = words.some((word) => other.has(word)) || ASIAN_OTHER.test(goal);
  const acts = PERSON_ACTS.test(goal) || ASIAN_SELF.test(goal);
  if (isOfOther && !acts && !REQUESTED.test(goal)) return 'assistant';
  if (NEEDED.test(goal) && !OWN[language].test(goal)) return undefined;
  return acts || words.some((word) => self.has(word)) ? 'person' : undefined;
}

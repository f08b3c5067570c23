import type { LanguageCode } from '../languages/language.ts';
import { languageOf } from '../terms.ts';
import { signs } from './signs.ts';
import { isAskedOfAssistant } from './speaker.ts';

/** Whether somebody wants to know what was, or what to do now. */
export type Purpose = 'recall' | 'act';

/** Ask for something to be done or advised, in English, German, French, Spanish, Portuguese, Italian, Dutch and Russian. */
const ACTING = signs(`
  should shall could-you can-you would-you suggest recommend propose
  how-do-i how-do-we how-can-i how-can-we how-should what-do-i what-do-we help-me give-me show-me find-me find-a put-together make-me
  make-us tell-them please let's suits best-way which-one next-week next-month tomorrow
  soll sollen sollte sollten schreib schreibe mach mache stell stelle plane gib zeig zeige erklär erkläre empfiehl
  empfiehlst könnte könnten könntest kannst wie-komme wie-kommen wie-kann wie-können wie-mache wie-machen hilf
  such entwirf baue bau nächste nächsten nächstes müssen-wir brauche-ich brauchen-wir würdest bitte wird-uns
  écris rédige propose recommande devrais devrait peux-tu pouvez-vous comment-faire aide-moi donne-moi montre-moi explique
  escribe redacta recomienda recomiendas debería deberíamos puedes ayúdame dame muéstrame cómo-puedo explica
  escreve escreva sugere sugira recomenda recomendas devo devemos deveria podes pode ajuda-me mostra como-posso explica
  scrivi suggerisci consiglia consigli dovrei dovremmo puoi aiutami dammi mostrami come-posso spiega
  schrijf stel raad moet-ik moeten-we kun-je kunt-u help-me geef-me toon-me hoe-kan leg-uit
  напиши посоветуй предложи составь стоит можешь помоги дай покажи как-мне объясни`);

/** Ask for it only where a clause begins with them: "Review the plan" does, "the plan of the review" does not. */
const TOLD = new RegExp(
  `(?<=^|[.,;:!?–—]\\s*|(?<![\\p{L}])(?:and|then|or|please|to|me|now|also|just)\\s+)${
    signs(`write draft prepare create build implement add fix plan design refactor review translate summarise summarize generate
  explain choose pick make set-up rename remove migrate port debug test document schedule compare list`)
      .source
  }`,
  'iu',
);

/** Ask what happened, was said or is known. */
const RECALLING = signs(`
  did was were had happened said told mentioned decided agreed chose when who whose whom how-many how-much how-long
  how-often order sequence first originally initially before last latest changed change develop developed became by-now
  so-far still remember recall since until ago
  war waren wurde wurden hatte hatten hat haben habe gewesen passierte gesagt erwähnt entschieden wann wer wem wen wessen
  wie-viel wie-viele wie-lange wie-oft reihenfolge nacheinander zuerst ursprünglich zuletzt inzwischen bisher geändert
  kam fiel lag schritt-für-schritt damals seit
  était étaient avait avait-été a-dit quand qui combien ordre d'abord initialement dernière changé depuis
  fue era eran había dijo cuándo quién cuánto cuántos orden primero inicialmente última cambió desde
  foi era eram tinha disse quando quem quanto quantos ordem primeiro inicialmente última mudou desde
  era erano aveva detto quando chi quanto quanti ordine prima inizialmente ultima cambiato
  was waren had zei wanneer wie hoeveel volgorde eerst oorspronkelijk laatste veranderd
  был была было были сказал когда кто сколько порядке сначала последний изменилось`);

/** Undefined where a goal says neither, or where it does not tell which of both. */
export function purposeOf(goal: string): Purpose | undefined {
  // "What did you suggest" asks for nothing to be suggested.
  if (isAskedOfAssistant(goal)) return 'recall';
  const asked = Math.min(placeOf(ACTING, goal), placeOf(TOLD, goal));
  const told = placeOf(PAST[languageOf(goal)], goal);
  // What comes first is what is asked: "What did we say that I should take?", "What should I cook, as we had rice?"
  if (Number.isFinite(told)) return told < asked ? 'recall' : 'act';
  if (Number.isFinite(asked)) return 'act';
  return RECALLING.test(goal) ? 'recall' : undefined;
}

function placeOf(expression: RegExp, text: string): number {
  const place = text.search(expression);
  return place < 0 ? Number.POSITIVE_INFINITY : place;
}

/** Say that the steps of something are asked for, by themselves. */
const STEPS = `
  (?:in-)?(?:which|what)-(?:order|sequence) in-sequence in-order(?!-to) order-of-events one-after-(?:the-other|another) step-by-step
  chronological(?:ly)? timeline successively over-time at-first-and history-of put-off changed evolved developed
  reihenfolge nacheinander schritt-für-schritt chronologisch entwickelte? veränderte? geändert verlauf der-reihe-nach
  (?:quel|dans-l')-?ordre étape-par-étape chronologique évolué évolution changé successivement
  (?:qué|en)-orden paso-a-paso cronológico evolucionó evolución cambió sucesivamente
  (?:que|por)-ordem passo-a-passo cronológica evoluiu evolução mudou mudaram
  (?:che|quale)-ordine passo-passo cronologico evoluto evoluzione cambiat[oa]
  volgorde stap-voor-stap chronologisch ontwikkeld veranderd
  порядке шаг-за-шагом хронологии изменилось изменился развивалось`;
const SEQUENCE = signs(`${STEPS}
  how-(?:did|has|have|do|does)-[^.?!]{1,120}-(?:change|develop|evolve) first[^.?!]{1,120}-(?:then|after-that|later)
  erst[^.?!]{1,120}-dann d'abord[^.?!]{1,120}-(?:puis|ensuite) primero[^.?!]{1,120}-(?:después|luego) prima[^.?!]{1,120}-poi`);
const NOW = `
  now by-now from-now-on today currently current at-the-moment latest newest most-recent finally in-the-end eventually so-far still
  these-days nowadays up-to-date right-now meanwhile at-present
  jetzt inzwischen mittlerweile heute aktuelle?[nmrs]? derzeit momentan im-moment zuletzt neuesten?
  endgültig(?:en)? am-ende schließlich zurzeit bisher
  maintenant actuellement aujourd'hui dernière? finalement désormais
  ahora actualmente hoy últim[oa] finalmente
  agora atualmente hoje neste-momento
  adesso ora attualmente oggi ultim[oa] infine
  nu momenteel tegenwoordig vandaag laatste uiteindelijk
  сейчас теперь сегодня последний последняя наконец`;
const LATEST = signs(NOW);
const MARKS = new RegExp(
  signs(`${STEPS} ${NOW} originally initially at-first ursprünglich initialement`).source,
  'giu',
);
/** By language: "was" asks in German, and a hat is worn in English. */
const PAST: Record<LanguageCode, RegExp> = {
  en: signs('did was were had happened'),
  de: signs('war waren wurden? hatten? habe haben hat'),
  fr: signs('était étaient avai(?:t|s|ent) a-été ont-été'),
  es: signs('fue fueron hubo había era eran'),
  pt: signs('foi foram houve tinha era eram'),
  it: signs('era erano aveva hai-fatto è-stat[oa] abbiamo'),
  nl: signs('was waren had hadden heb hebben heeft'),
  ru: signs('был была было были'),
};
const TODAY = signs(`today heute aujourd'hui hoy hoje oggi vandaag сегодня`);

/** How a goal asks for change: for all of its steps, or for how it stands now. */
export function changeIn(goal: string): 'sequence' | 'latest' | undefined {
  if (SEQUENCE.test(goal)) return 'sequence';
  return LATEST.test(goal) ? 'latest' : undefined;
}

const EARLIEST = signs(`
  originally initially at-first to-begin-with in-the-beginning at-the-(?:start|beginning|outset) the-first-time
  first-(?:cho(?:se|ose)|pick(?:ed)?|plan(?:ned)?|use[d]?|want(?:ed)?|thought|think|tr(?:y|ied)|sa(?:y|id)|propose[d]?|suggest(?:ed)?|mention(?:ed)?)
  ursprünglich(?:e[nrsm]?)? anfangs zuerst zunächst am-anfang zu-beginn au-début initialement à-l'origine
  al-principio inicialmente originalmente no-início all'inizio inizialmente originariamente aanvankelijk oorspronkelijk in-het-begin
  сначала изначально первоначально`);

/** Whether a goal asks how something was before it changed: what is newer is then no better. */
export function asksForFirst(goal: string): boolean {
  return changeIn(goal) === undefined && EARLIEST.test(goal);
}

/** What of a goal only says that it asks for change. Nobody who tells of the change needs to say it so. */
export function changeWords(goal: string): string[] {
  return goal.match(MARKS) ?? [];
}

/** Whether "today" in a goal means "by now": how something stands, not what happened on that day. */
export function meansNow(goal: string, time: string): boolean {
  return TODAY.test(time) && !PAST[languageOf(goal)].test(goal);
}

const GOING_ON = signs(`
  resume resuming continue continuing go-on carry-on pick-up left-off next-step next-steps what-is-next what's-next open-tasks todo
  to-do remaining-(?:work|tasks?|steps?) unfinished-(?:work|tasks?) where-(?:were|was|are)-(?:we|i) start-of-session
  (?:current|project|our|my)-(?:status|progress) status-(?:of-the-(?:work|project|task)|update|report) progress-(?:on|so-far)
  (?:keep|start|back-to)-working-on work-on finish-(?:the|this|my|our|what|it|up)
  weitermachen weiterarbeiten fortsetzen fortfahren mach-weiter mache-weiter machen-wir-weiter offene-(?:aufgaben?|punkte?)
  nächster-schritt nächste-schritte stand-der-(?:arbeit|dinge)
  continuer continue reprendre poursuivre prochaine-étape
  continuar sigue seguir retomar siguiente-paso próximo-passo prosseguir
  continuare continua riprendere prossimo-passo verder doorgaan hervatten volgende-stap
  продолжить продолжай дальше следующий-шаг`);

/** Whether somebody takes up work again. */
export function isToGoOn(goal: string): boolean {
  return GOING_ON.test(goal);
}

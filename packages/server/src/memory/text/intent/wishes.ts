import { withoutCode } from '../headings.ts';
import { wordsIn } from '../languages/index.ts';
import type { LanguageCode } from '../languages/language.ts';
import { sentenceStarts } from '../sentences.ts';
import { termOf, tokensOf } from '../terms.ts';

/** What a person wants always, in one sentence. */
export interface Wish {
  begin: number;
  end: number;
  /** A rule says what to do or never to do, a preference what somebody likes; what was stored as one is kept. */
  kind: 'rule' | 'preference' | 'kept';
  /** When it holds, in the person's words; empty where it always does. */
  condition: string;
  /** It is about how to answer, whatever is asked. */
  isGeneral: boolean;
}

/** Words of one language, as expressions. Boundaries of words are those of `W` and `w` below. */
interface Signs {
  /** Say by themselves that something holds from now on. */
  standing: string;
  /** Say it where the sentence tells the reader what to do, or what the writers do. */
  always: string;
  /** Somebody's likes and dislikes, and what they cannot stand. */
  likes: string;
  /** What a rule with `always` looks like otherwise: a verb at the beginning, or one of these words. */
  told: string;
  /** What `always` stands before in a wish: how something is to be, or a verb in its plain form. */
  followed: string;
  /** Told of what was, so that `always` asks for nothing. */
  past: string;
  /** Begin the clause that says when; and what may do so where none of those does. */
  when: string;
  around: string;
  /** What answers are, so that a wish about them holds for every goal. */
  answers: string;
}

const LANGUAGES: readonly Signs[] = [
  {
    standing:
      "from now on|going forward|in (?:the )?future|every time|each time|whenever|as a rule|by default|keep in mind|as a standing|standing (?:rule|wish|order)|(?:one|a|my|another|house|golden|general|team|two|three) (?:small |general |house |firm |standing |hard |personal |more )*(?:rules?|wish(?:es)?|requests?|conventions?|habits?|polic(?:y|ies))|rules? (?:for|of|about)|now and in future|for all (?:versions|releases|files|future)|as (?:the|a|our|my) default|without exception|never again|for (?:all|any|every) (?:future|answer)|no exceptions?|please remember|remember that i|don't ever|do not ever|make it a habit|if i (?:ever )?ask|when i ask",
    always: 'always|never|only ever|at all times',
    likes:
      "i(?:'d| would)?(?: really| strongly| generally| usually| much| always| clearly| still| also| just)* (?:prefer|like(?! to)|love(?! it| that| this| to)|hate|dislike|loathe|detest|favou?r|avoid|enjoy)|i(?:'m| am)(?: \\w+)? (?:allergic|vegetarian|vegan|not a fan|a fan|fond|no fan)|i can't stand|i cannot stand|i(?:'d| would) rather|i don't (?:like|want|drink|eat|use|trust|believe in)|i do not (?:like|want|drink|eat|use|trust)|my (?:preference|favou?rite|taste)|we (?:prefer|avoid|like|don't use|do not use|only use|use only|stick (?:to|with))|i (?:stick to|stick with|only use|only take|only buy|keep to)|not my thing|drives me (?:mad|crazy|nuts)|annoys me|i care (?:a lot |much |more )?about",
    followed:
      '(?:with|without|in|as|by|for|on|to|from|at|into|use|again|first|under)|(?!the |an? |been |same |happy |that |this |there |so |it )(?!\\p{L}+(?:s|ed|ing)(?!\\p{L}))\\p{L}+',
    told: "please|you|don't|do not|let's|i want|i need|we|must|should",
    past: 'got|was|were|had|saw|knew|thought|came|went|found|wanted|did|made|took|heard|seen|been|gave|said|used to|felt|worked|happened|liked|told',
    when: 'when(?:ever)?|if|every time|each time|as soon as',
    around:
      'before|after|for (?:any|all|every|each|anything)|in (?:any|all|every|each)|with (?:any|all|every|each)|for \\p{L}+ in general',
    answers:
      'answers?|replies|reply|respond|explain|explanations?|tone|bullet|paragraphs?|summar\\w+|sentences?|wording|emojis?|short|brief|concise|examples?|metric|units?|language|call me|address me',
  },
  {
    standing:
      'ab jetzt|ab sofort|von jetzt an|künftig|in zukunft|zukünftig|fortan|jedes ?mal|immer wenn|grundsätzlich|generell|merk dir|merke dir|denk (?:bitte )?(?:immer )?daran|als regel|(?:eine|meine|noch eine|kleine|zwei|drei|unsere) (?:feste |kleine |grund)*(?:regeln?|bitten?|wünsche?)|regeln? für|gilt (?:auch|immer|für|ab)|nie wieder|auch später|für (?:texte|code) gilt|wenn ich (?:dich )?(?:nach|frage|etwas)|wenn du mir|ohne ausnahme|bei (?:allen|jeder|jedem|sämtlichen)|für (?:alle|jede[nsr]?) (?:künftige|weitere)',
    always: 'immer|nie|niemals|stets|ausschließlich|nur noch|auf keinen fall|keinesfalls',
    likes:
      'ich (?:bevorzuge|mag|hasse|liebe|vermeide|meide|schätze|verabscheue|trinke kein\\w*|esse kein\\w*|vertrage kein\\w*|will kein\\w*|möchte kein\\w*|brauche kein\\w*|kaufe kein\\w*|nehme lieber|fahre lieber|fliege nicht|fliege ungern|bin (?:kein freund|vegetarier\\w*|vegan\\w*|allergisch))|wir (?:bevorzugen|mögen|fliegen (?:nicht|nie|ungern)|essen kein\\w*|vermeiden|fahren lieber|nehmen lieber|vertragen)|(?:ist|bin|sind|reagiert|reagiere) (?:\\w+ )?allergisch|mir ist (?:\\w+ )?wichtig|uns ist (?:\\w+ )?wichtig|am liebsten|lieber (?:als|mit|ohne|ein\\w*|die|den|das)|ich kann \\w+(?: \\w+)? nicht (?:leiden|ausstehen)|verträgt kein\\w*|darf kein\\w*',
    followed:
      '(?:nach|mit|in|für|ohne|auf|als|auch|erst|zuerst|per|wieder|alle?|beide|nur|bei|zu|den|die|das|eine?n?)',
    told: 'bitte|du|ich will|ich möchte|wir|muss|soll\\w*|lass|gib|schreib|zeig|nenn',
    past: 'war|waren|hatte|hatten|wurde|wollte|kam|ging|fand|dachte|habe|haben|hat|gewesen',
    when: 'wenn|falls|sobald|jedes ?mal,? wenn|immer,? wenn|sooft',
    around: 'bevor|nachdem|bei|für (?:jede[nsr]?|alle[ns]?)',
    answers:
      'antwort\\w*|erklär\\w*|kurz\\w*|knapp\\w*|stichpunkt\\w*|ton|sätze\\w*|zusammenfass\\w*|beispiele?|einheiten|sprache|duz\\w*|siez\\w*|euro',
  },
  {
    standing:
      "désormais|dorénavant|à l'avenir|à partir de maintenant|chaque fois que|par défaut|en règle générale|souviens-toi|retiens|(?:une|ma) (?:petite )?règle|quand je (?:te )?demande",
    always: 'toujours|jamais|systématiquement',
    likes:
      "je (?:préfère|préférerais|déteste|n'aime pas|évite|adore|ne supporte pas|ne mange pas|ne bois pas)|j'(?:aime(?:rais)?|évite|adore)|je suis (?:allergique|végétarien\\w*|végane?)|nous préférons",
    followed: "avec|sans|en|dans|pour|par|d'abord",
    told: "s'il te plaît|s'il vous plaît|tu|vous|nous|il faut|merci de|ne|donne|écris|montre",
    past: "était|étais|avait|avais|j'ai|a été|voulais",
    when: "quand|lorsque|chaque fois que|si|dès que|lorsqu'",
    around: 'avant de|après|pour (?:tous|toutes|chaque|tout)',
    answers: 'répon\\w*|explique\\w*|explication\\w*|ton|phrases?|résumé\\w*|exemples?|unités?',
  },
  {
    standing:
      'a partir de ahora|de ahora en adelante|en (?:el )?futuro|cada vez que|por defecto|como regla|(?:una|mi) regla|recuerda (?:siempre )?que|cuando te pida|cuando pregunte',
    always: 'siempre|nunca|jamás',
    likes:
      '(?:yo )?prefiero|prefería|preferiría|me gustan?|no me gustan?|odio|detesto|evito|no (?:como|bebo|soporto|uso)|soy (?:alérgic[oa]|vegetarian[oa]|vegan[oa])|nos gustan?|preferimos',
    followed: 'con|sin|en|por|para|primero',
    told: 'por favor|tú|usted|nosotros|hay que|debes|quiero|da|dame|escribe|muestra|usa|no',
    past: 'fue|era|estaba|había|tenía|quería|he',
    when: 'cuando|siempre que|cada vez que|si',
    around: 'antes de|después de|para (?:todos|todas|cada|cualquier)',
    answers: 'respuestas?|respond\\w*|explic\\w*|tono|frases?|resum\\w*|ejemplos?|unidades',
  },
  {
    standing:
      'a partir de agora|daqui (?:em|para) (?:diante|frente)|no futuro|(?:toda|cada) vez que|sempre que|por padrão|por omissão|como regra|(?:uma|minha) regra|lembra-te|lembre-se|quando eu (?:te )?(?:pedir|perguntar)',
    always: 'sempre|nunca|jamais',
    likes:
      '(?:eu )?prefiro|preferia|gosto (?:de|mais)|não gosto|detesto|odeio|evito|não (?:como|bebo|uso|suporto)|sou (?:alérgic[oa]|vegetarian[oa]|vegan[oa])|preferimos|gostamos',
    followed: 'com|sem|em|por|para|primeiro',
    told: 'por favor|você|tu|nós|deves|deve|quero|mostra|mostre|usa|use|escreve|escreva|não',
    past: 'foi|era|estava|tinha|queria|fui',
    when: 'quando|sempre que|(?:toda|cada) vez que|se',
    around: 'antes de|depois de|para (?:todos|todas|cada|qualquer)',
    answers: 'respostas?|respond\\w*|explic\\w*|tom|frases?|resum\\w*|exemplos?|unidades',
  },
  {
    standing:
      "d'ora in (?:poi|avanti)|in futuro|ogni volta che|di default|per impostazione|come regola|(?:una|la mia) regola|ricorda(?:ti)? (?:sempre )?(?:che|di)|quando (?:ti )?chiedo",
    always: 'sempre|mai',
    likes:
      '(?:io )?preferisco|preferirei|mi piac\\w+|non mi piac\\w+|odio|detesto|evito|non (?:mangio|bevo|uso|sopporto)|sono (?:allergic[oa]|vegetarian[oa]|vegan[oa])|preferiamo',
    followed: 'con|senza|in|per|prima',
    told: 'per favore|tu|noi|devi|voglio|mostra|usa|scrivi|dammi|non',
    past: 'era|ero|aveva|avevo|voleva|ho|stato',
    when: 'quando|ogni volta che|se',
    around: 'prima di|dopo|per (?:tutti|tutte|ogni|qualsiasi)',
    answers: 'rispost\\w*|rispond\\w*|spieg\\w*|tono|frasi|riassun\\w*|esemp\\w*|unità',
  },
  {
    standing:
      'vanaf nu|voortaan|in (?:de )?toekomst|elke keer (?:dat|als)|telkens (?:als|wanneer)|standaard|als regel|(?:een|mijn) regel|onthoud|als ik (?:je )?(?:vraag|naar)|wanneer ik vraag',
    always: 'altijd|nooit|uitsluitend',
    likes:
      'ik (?:heb|had|zou) (?:\\w+ )?liever|ik (?:hou|houd) (?:niet |erg )?van|ik haat|ik vermijd|ik geef de voorkeur|ik wil geen|ik (?:eet|drink|gebruik) geen|ik ben (?:allergisch|vegetariër|vegan)|wij? (?:gebruiken liever|vermijden)|het liefst',
    followed: 'met|zonder|in|per|eerst|voor',
    told: 'alsjeblieft|graag|je|jij|we|wij|moet|geef|schrijf|toon|gebruik|niet',
    past: 'was|waren|had|hadden|werd|wilde|ging|heb|heeft',
    when: 'als|wanneer|elke keer|telkens|zodra',
    around: 'voordat|nadat|(?:bij|voor) (?:alle|elke|ieder\\w*)',
    answers: 'antwoord\\w*|uitleg\\w*|leg|toon|zinnen|samenvatting\\w*|voorbeeld\\w*|eenheden',
  },
  {
    standing:
      'впредь|отныне|с этого момента|в будущем|каждый раз|по умолчанию|как правило|(?:одно|моё|мое) правило|запомни|имей в виду|когда я (?:спрашиваю|прошу)',
    always: 'всегда|никогда|ни в коем случае|исключительно',
    likes:
      '(?:я )?предпочитаю|(?:я )?(?:очень )?люблю|не люблю|ненавижу|избегаю|не (?:ем|пью|использую|выношу)|у меня аллергия|мне (?:больше )?нрав\\S+|мне не нрав\\S+|мы предпочитаем',
    followed: 'с|без|в|для|сначала',
    told: 'пожалуйста|ты|вы|мы|нужно|надо|не|пиши|давай|показывай|используй',
    past: 'был|была|было|были|хотел|хотела|думал',
    when: 'когда|если|каждый раз',
    around: 'перед|после|при|для (?:всех|каждого|любого)',
    answers: 'ответ\\S*|отвеча\\S*|объясн\\S*|тон|предложени\\S*|кратк\\S*|пример\\S*|единиц\\S*',
  },
];

/** Written without spaces, so that nothing stands around a word. */
const UNSPACED: Pick<Signs, 'standing' | 'likes' | 'when' | 'answers'> = {
  standing:
    '今後|これから(?:は|も)|必ず|常に|いつも|毎回|絶対に|ないでください|ないようにして|以后|今后|从现在起|总是|始终|永远|每次|一定要|务必|请不要|不要再|앞으로|항상|언제나|절대|매번',
  likes:
    '好き|嫌い|苦手|好み|の方がいい|アレルギー|喜欢|更喜欢|偏好|讨厌|过敏|不吃|선호|좋아하|싫어하|알레르기',
  when: '時は|ときは|場合は|たら|なら|时候|如果|当|때는|경우',
  answers: '回答|答え|説明|回复|解释|简短|답변|설명',
};

const word = (words: string) => new RegExp(`(?<![\\p{L}\\p{N}'’])(?:${words})(?![\\p{L}\\p{N}])`, 'iu');
const clause = (words: string) =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])[^,;:.!?—–]*`, 'iu');
const matchersOf = (signs: Signs) => ({
  standing: word(signs.standing),
  always: word(signs.always),
  alwaysFirst: new RegExp(
    `^[^\\p{L}]*(?:(?:and|but|also|please|und|aber|bitte|auch)[ ,]+)*(?:${signs.always})(?![\\p{L}\\p{N}])`,
    'iu',
  ),
  likes: word(signs.likes),
  alwaysThen: word(`(?:${signs.always}) (?:${signs.followed})`),
  told: word(signs.told),
  past: word(signs.past),
  when: clause(signs.when),
  around: clause(signs.around),
  answers: word(signs.answers),
});
let matchers: ReturnType<typeof matchersOf>[] | undefined;
/** Made when the first text is read: these expressions take a while, and every start of the program would wait for it. */
const allMatchers = () => {
  matchers ??= LANGUAGES.map(matchersOf);
  return matchers;
};
const UNSPACED_MATCHERS = {
  standing: new RegExp(UNSPACED.standing, 'u'),
  likes: new RegExp(UNSPACED.likes, 'u'),
  when: new RegExp(`[^、。，,]*(?:${UNSPACED.when})`, 'u'),
  answers: new RegExp(UNSPACED.answers, 'u'),
};
const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const QUOTED = /^\s*>/;
const SHORTEST = 10;
const LONGEST = 500;
/** Long texts are pasted, and what they hold is nobody's wish. */
const MOST_READ = 8000;
const MOST_WISHES = 12;

/** The standing wishes that a person's message holds, in its order. */
export function wishesIn(content: string): Wish[] {
  const text = withoutCode(content.slice(0, MOST_READ));
  const starts = sentenceStarts(text, 0, text.length);
  const wishes: Wish[] = [];
  for (const [index, begin] of starts.entries()) {
    const end = starts[index + 1] ?? text.length;
    const wish = wishOf(text.slice(begin, end));
    if (wish) wishes.push({ begin, end: begin + text.slice(begin, end).trimEnd().length, ...wish });
    if (wishes.length === MOST_WISHES) break;
  }
  return wishes;
}

function wishOf(sentence: string): Omit<Wish, 'begin' | 'end'> | undefined {
  const said = sentence.trim();
  if (said.length < SHORTEST || said.length > LONGEST || QUOTED.test(said)) return undefined;
  if (/[?？]["'”’)]*$/u.test(said)) return undefined;
  if (WITHOUT_SPACES.test(said)) return readUnspaced(said);
  for (const matcher of allMatchers()) {
    const kind = kindOf(said, matcher);
    if (!kind) continue;
    const condition = (matcher.when.exec(said) ?? matcher.around.exec(said))?.[0] ?? '';
    return { kind, condition, isGeneral: condition === '' && matcher.answers.test(said) };
  }
  return undefined;
}

function kindOf(said: string, matcher: ReturnType<typeof matchersOf>): Wish['kind'] | undefined {
  const { standing, always, alwaysFirst, alwaysThen, likes, told, past } = matcher;
  if (likes.test(said)) return 'preference';
  if (standing.test(said)) return 'rule';
  if (!always.test(said)) return undefined;
  if (alwaysFirst.test(said)) return 'rule';
  return (told.test(said) || alwaysThen.test(said)) && !past.test(said) ? 'rule' : undefined;
}

function readUnspaced(said: string): Omit<Wish, 'begin' | 'end'> | undefined {
  const { standing, likes, when, answers } = UNSPACED_MATCHERS;
  const isLiked = likes.test(said);
  if (!isLiked && !standing.test(said)) return undefined;
  const condition = when.exec(said)?.[0] ?? '';
  return {
    kind: isLiked ? 'preference' : 'rule',
    condition,
    isGeneral: condition === '' && answers.test(said),
  };
}

/** What conditions are made of, whatever they are about. */
const FRAME = new Set(
  `when whenever if every each time you me i we for any anything all write writing give hand talk talking make making
  propose suggest need want use using do tell show answer question draft something wenn du mir ich mich dir ihr wir uns
  machst gibst schreibst zeigst fragst frage bei jedes mal immer alle allen quand tu je me cuando me quando mi als ik je
  когда я ты мне`
    .split(/\s+/)
    .filter((each) => each !== ''),
);

/** The words of a condition that say what it is about, as terms of its language. */
export function conditionTerms(condition: string, language: LanguageCode): string[] {
  const { asking } = wordsIn(language);
  const told = tokensOf(condition).filter((each) => !FRAME.has(each) && !asking.has(each));
  return [...new Set(told.flatMap((each) => termOf(each, language) ?? []))];
}

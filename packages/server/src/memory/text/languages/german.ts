import { type Language, wordsLike } from './language.ts';

export const GERMAN: Language = {
  stopwords: `der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner keines und oder
aber denn sondern doch ja nein nicht nichts noch nur schon auch so sehr mal eben halt wohl etwa ganz ich du er sie es wir ihr
mich dich sich uns euch mir dir ihm ihn ihnen mein meine meinen meinem meiner meines dein deine deinen deinem deiner sein seine
seinen seinem seiner seines ihre ihren ihrem ihrer ihres unser unsere unseren unserem unserer unseres euer eure euren eurem
dies diese dieser dieses diesen diesem jene jener jenes jede jeder jedes jeden jedem alle allem allen aller alles man wer wen wem
wessen was wo wohin woher wann wie warum weshalb wieso womit wofür wodurch worauf woran worüber wovon wozu welche welcher welches
welchen welchem bin bist ist sind seid war warst waren wart wäre wären gewesen sei habe hast hat haben habt hatte hatten hattest
hätte hätten gehabt werde wirst wird werden werdet wurde wurden würde würden geworden worden kann kannst können könnt konnte
konnten könnte könnten muss musst müssen müsst musste mussten müsste soll sollst sollen sollt sollte sollten will willst wollen
wollt wollte wollten darf darfst dürfen dürft durfte mag magst mögen möchte möchten möchtest im in ins am an ans auf aus bei beim
bis durch für gegen mit nach ohne seit über um unter vom von vor während wegen zu zum zur zwischen als wenn weil dass ob damit
dann da dort hier hin her davon dazu dafür daran darauf darin darüber dabei also außerdem jedoch trotzdem sonst schließlich
immer wieder gerade bereits etwas mehr viel viele vielen wenig selbst hallo bitte danke`,
  asking: `sag sagen sagte gesagt erwähnt erwähnen erzähl erzählen erzählt beschreib beschreiben besprochen sprachen gesprochen
gefragt fragen fragte frage weißt wissen zeig zeigen zeige gib geben nenn nennen nenne liste finde finden erinnerst erinnern sorte
art name heißt hieß heißen genannt ding dinge sache sachen gespräch unterhaltung antwort jemand jemals gleich eigentlich
inzwischen nochmal überhaupt genau gab gibt`,
  self: 'wir uns unser unsere unseren unserem unserer unseres ich mich mir mein meine meinen meinem meiner meines',
  other: 'du dich dir dein deine deinen deinem deiner deines',
  wanted: {
    time: wordsLike(
      'wann|seit wann|bis wann|um wie viel uhr|wie spat|(?:an )?welche[mnrs]? (?:tag|datum|monat|jahr|woche|termin|uhrzeit)\\w*',
    ),
    number: wordsLike(
      'wie ?viele?n?|wie (?:alt|oft|weit|gross|hoch|teuer|schwer|schnell|breit|tief)|anzahl|was (?:hat |haben )?kostet?e?n?|kosten',
    ),
    duration: wordsLike('wie lange?|seit wann'),
    name: wordsLike(
      'wer|wen|wem|wessen|wo|wohin|woher|name|namens|heisst|hiess|heissen|genannt|welche[mnrs]? (?:stadt|land|ort|dorf|person)',
    ),
  },
  number:
    /\d|(?<!\p{L})(?:zwei|drei|vier|funf|sechs|sieben|acht|neun|zehn|elf|zwolf|dutzend|zwanzig|dreissig|vierzig|funfzig|hundert|tausend|million(?:en)?|zweimal|dreimal|paar|halb|halbe[nrs]?|erste[nrs]?|zweite[nrs]?|dritte[nrs]?)(?!\p{L})/iu,
  duration:
    /(?<!\p{L})(?:\d+|ein(?:en?)?|zwei|drei|vier|funf|sechs|sieben|acht|neun|zehn|paar|einige|mehrere|halbe[ns]?)[ -](?:minute|stunde|tag|nacht|nachte|woche|monat|jahr|jahrzehnt)(?:e?n?|s)(?!\p{L})|(?<!\p{L})seit(?!\p{L})/iu,
  times: {
    months: [
      'janner|januar|jan\\.?',
      'februar|feb\\.?',
      '(?:ma|mae)rz',
      'april|apr\\.?',
      'mai',
      'juni|jun\\.?',
      'juli|jul\\.?',
      'august|aug\\.?',
      'september|sept?\\.?',
      'oktober|okt\\.?',
      'november|nov\\.?',
      'dezember|dez\\.?',
    ],
    weekdays: ['sonntag', 'montag', 'dienstag', 'mittwoch', 'donnerstag', 'freitag', 'samstag|sonnabend'],
    seasons: ['fr(?:u|ue)hling|fr(?:u|ue)hjahr', 'sommer', 'herbst', 'winter'],
    day: 'tag(?:e[ns]?)?|n(?:a|ae)chten?|nacht',
    week: 'wochen?',
    weekend: 'wochenenden?',
    month: 'monat(?:s|en?)?',
    year: 'jahr(?:s|en?)?',
    numbers: [
      'eine[mnrs]?|ein',
      'zwei',
      'drei',
      'vier',
      'f(?:u|ue)nf',
      'sechs',
      'sieben',
      'acht',
      'neun',
      'zehn',
      'elf',
      'zw(?:o|oe)lf',
    ],
    few: 'einigen?|mehreren|ein paar|wenigen',
    couple: 'paar',
    beforeYesterday: 'vorgestern',
    yesterday: 'gestern(?: (?:morgen|fr(?:u|ue)h|vormittag|mittag|nachmittag|abend|nacht))?',
    today: 'heute(?: (?:morgen|fr(?:u|ue)h|vormittag|mittag|nachmittag|abend|nacht))?|gerade eben',
    tomorrow:
      '(?<!(?:am|guten|jeden|den|der|dem|gegen|vom|jenem) )morgen(?: (?:morgen|fr(?:u|ue)h|vormittag|mittag|nachmittag|abend|nacht))?',
    afterTomorrow: '(?:u|ue)bermorgen',
    recently: 'neulich|k(?:u|ue)rzlich|vor kurzem|letztens|in letzter zeit',
    last: 'letzte[mnrs]?|vergangene[mnrs]?|vorige[mnrs]?',
    this: 'diese[mnrs]?',
    next: 'n(?:a|ae)chste[mnrs]?|kommende[mnrs]?',
    early: 'anfang',
    middle: 'mitte',
    late: 'ende',
    agoBefore: 'vor',
    agoAfter: '',
    laterBefore: 'in',
    laterAfter: 'sp(?:a|ae)ter',
    within: '(?:in|w(?:a|ae)hrend) den (?:letzten|vergangenen)',
    of: '',
    in: 'im|seit|bis|ab|vom|zum|gegen|vor|nach',
    until: 'bis(?: zum)?|-|–|und',
    easter: 'ostern|osterwochenende|osterferien',
    easterSunday: 'ostersonntag',
    easterMonday: 'ostermontag',
    goodFriday: 'karfreitag',
    pentecost: 'pfingsten|pfingstwochenende',
    christmas: 'weihnachten|weihnachtstage?n?|heiligabend',
    newYearsEve: 'silvester',
    newYear: 'neujahr',
  },
};

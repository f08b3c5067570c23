import { type Language, wordsLike } from './language.ts';

export const ITALIAN: Language = {
  stopwords: `il lo la i gli le l un uno una di del dello della dei degli delle a al allo alla ai agli alle da dal dallo dalla dai
dalle in nel nello nella nei negli nelle con col su sul sullo sulla sui sulle per tra fra e ed o od ma però anche né che chi cui
quale quali dove quando come quanto quanta quanti quante perché perchè cosa se io tu lui lei egli ella esso noi voi loro mi ti si ci
vi me te ne li mio mia miei mie tuo tua tuoi tue suo sua suoi sue nostro nostra nostri nostre vostro vostra questo questa questi
queste quello quella quelli quelle quel quei non più meno molto molta molti molte già ancora così allora poi dopo prima sempre mai
solo proprio sono sei è siamo siete era ero erano eravamo fu essere stato stata stati sia ho hai ha abbiamo avete hanno avevo aveva
avevano avere avuto faccio fa fare fatto può posso possiamo possono poteva devo deve dobbiamo devono doveva voglio vuole vogliamo
voleva vorrei vado va andiamo vanno tutto tutta tutti tutte altro altra altri altre ogni qualche qualcuno qualcosa alcuni alcune
poco stesso stessa tanto verso senza sopra sotto durante contro fino ciao grazie sì no`,
  asking: `dici dice dire detto disse menzionato menzionare descrivi descrivere parlato parlare parlavamo chiesto chiedere sai sapere
trova trovare elenca elenco mostra mostrare dammi dare tipo genere specie nome chiama chiamava chiamato cose conversazione domanda
risposta ricordi ricordare`,
  self: 'noi ci nostro nostra nostri nostre io mi me mio mia miei mie',
  other: 'tu ti te tuo tua tuoi tue',
  wanted: {
    time: wordsLike(
      'quando|(?:che|quale|in che) (?:giorno|data|mese|anno|ora|settimana)|da quando|a che ora',
    ),
    number: wordsLike('quant[oaie]|quanti anni|numero di|ogni quanto'),
    duration: wordsLike('quanto tempo|da quando|per quanto|quant[ie] (?:giorni|ore|settimane|mesi|anni)'),
    name: wordsLike('chi|dove|nome|chiama(?:va|to|ta)?|(?:che|quale) (?:citta|paese|posto|persona)'),
  },
  number:
    /\d|(?<!\p{L})(?:due|tre|quattro|cinque|sei|sette|otto|nove|dieci|undici|dodici|dozzina|venti|trenta|quaranta|cinquanta|cento|mille|mila|milion[ei]|meta|mezz[oa]|prim[oa]|second[oa]|terz[oa])(?!\p{L})/iu,
  duration:
    /(?<!\p{L})(?:\d+|una?|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|alcuni|alcune|qualche|diversi) (?:minut[oi]|or[ae]|giorn[oi]|nott[ei]|settiman[ae]|mes[ei]|ann[oi])(?!\p{L})|(?<!\p{L})da quando(?!\p{L})/iu,
  times: {
    months: [
      'gennaio|genn?\\.?',
      'febbraio|febb?\\.?',
      'marzo',
      'aprile|apr\\.?',
      'maggio|magg\\.?',
      'giugno|giu\\.?',
      'luglio|lug\\.?',
      'agosto|ago\\.?',
      'settembre|sett?\\.',
      'ottobre|ott\\.?',
      'novembre|nov\\.?',
      'dicembre|dic\\.?',
    ],
    weekdays: ['domenica', 'lunedi', 'martedi', 'mercoledi', 'giovedi', 'venerdi', 'sabato'],
    seasons: ['primavera', 'estate', 'autunno', 'inverno'],
    day: 'giorn[oi]|nott[ei]',
    week: 'settiman[ae]',
    weekend: 'fine settimana|week-?end',
    month: 'mes[ei]',
    year: 'ann[oi]',
    numbers: [
      'una?|uno',
      'due',
      'tre',
      'quattro',
      'cinque',
      'sei',
      'sette',
      'otto',
      'nove',
      'dieci',
      'undici',
      'dodici',
    ],
    few: 'alcuni|alcune|qualche|diversi|diverse|pochi|poche',
    couple: 'un paio di',
    beforeYesterday: "l['’]altro ieri|avantieri",
    yesterday: 'ieri',
    today: 'oggi|stamattina|stasera|questa (?:mattina|sera)',
    tomorrow: 'domani',
    afterTomorrow: 'dopodomani',
    recently: "recentemente|ultimamente|di recente|l['’]altro giorno",
    last: 'scors[oa]|passat[oa]|ultim[oa]',
    this: 'quest[oa]',
    next: 'prossim[oa]|seguente',
    early: "(?:all['’])?inizio(?: di)?|ai primi di",
    middle: '(?:a )?meta(?: di)?',
    late: '(?:alla )?fine(?: di)?',
    agoBefore: '',
    agoAfter: 'fa|prima',
    laterBefore: 'tra|fra',
    laterAfter: 'dopo|piu tardi',
    within: '(?:neg?li|nelle|nei) ultim[ie]',
    of: 'di |del ',
    in: 'in|a|da|dal|entro|fino a|per|di',
    until: 'al|a|-|–|e il',
    easter: 'pasqua',
    easterSunday: 'domenica di pasqua',
    easterMonday: 'pasquetta|lunedi di pasqua',
    goodFriday: 'venerdi santo',
    pentecost: 'pentecoste',
    christmas: 'natale|vigilia di natale',
    newYearsEve: 'san silvestro',
    newYear: 'capodanno',
  },
};

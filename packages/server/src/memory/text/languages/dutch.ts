import { type Language, wordsLike } from './language.ts';

export const DUTCH: Language = {
  stopwords: `de het een van en of maar want dus toch ook nog al wel niet geen niets iets nee ja zo te dat die dit deze er daar hier
waar wanneer wie wat welke welk hoe waarom waarheen waarmee ik jij je u hij zij ze wij we jullie mij me jou hem haar ons hun hen
zich mijn jouw zijn uw onze is ben bent was waren geweest wees heb hebt heeft hebben had hadden gehad word wordt worden werd werden
geworden kan kunt kunnen kon konden moet moeten moest moesten mag mogen mocht wil wilt willen wilde wilden zal zult zullen zou
zouden ga gaat gaan ging gingen doe doet doen deed in op aan bij met naar voor door over onder uit om tot tegen tussen zonder sinds
tijdens na vanaf binnen als dan toen omdat doordat terwijl nu weer heel erg zeer veel meer meest weinig alle alles elke elk ieder
iedere andere ander anders zelf men eens even hallo dank bedankt alsjeblieft`,
  asking: `zeg zeggen zei gezegd noem noemen noemde genoemd beschrijf beschrijven besproken spraken gesproken praten gevraagd vragen
vroeg vraag weet weten vind vinden lijst toon tonen laat zien geef geven soort type naam heet heette heten ding dingen gesprek
antwoord herinner herinneren iemand`,
  self: 'wij we ons onze ik mij me mijn',
  other: 'jij je jou jouw u uw',
  wanted: {
    time: wordsLike('wanneer|hoe laat|(?:op )?welke? (?:dag|datum|maand|jaar|week|tijd)|sinds wanneer'),
    number: wordsLike('hoeveel|hoe (?:oud|vaak|ver|groot|hoog|duur|zwaar)|aantal'),
    duration: wordsLike('hoe ?lang|sinds wanneer'),
    name: wordsLike(
      'wie|wiens|waar|waarheen|naam|heet|heette|genaamd|welke? (?:stad|land|dorp|plaats|persoon)',
    ),
  },
  number:
    /\d|(?<!\p{L})(?:twee|drie|vier|vijf|zes|zeven|acht|negen|tien|elf|twaalf|dozijn|twintig|dertig|veertig|vijftig|honderd|duizend|miljoen|paar|half|halve|eerste|tweede|derde)(?!\p{L})/iu,
  duration:
    /(?<!\p{L})(?:\d+|een|twee|drie|vier|vijf|zes|zeven|acht|negen|tien|paar|enkele|aantal) (?:minuut|minuten|uur|uren|dag(?:en)?|nacht(?:en)?|we(?:ek|ken)|maand(?:en)?|ja(?:ar|ren))(?!\p{L})|(?<!\p{L})sinds(?!\p{L})/iu,
  times: {
    months: [
      'januari|jan\\.?',
      'februari|feb\\.?',
      'maart|mrt\\.?',
      'april|apr\\.?',
      'mei',
      'juni|jun\\.?',
      'juli|jul\\.?',
      'augustus|aug\\.?',
      'september|sept?\\.?',
      'oktober|okt\\.?',
      'november|nov\\.?',
      'december|dec\\.?',
    ],
    weekdays: ['zondag', 'maandag', 'dinsdag', 'woensdag', 'donderdag', 'vrijdag', 'zaterdag'],
    seasons: ['lente|voorjaar', 'zomer', 'herfst|najaar', 'winter'],
    day: 'dag(?:en)?|nacht(?:en)?',
    week: 'we(?:ek|ken)',
    weekend: 'weekend(?:en|s)?',
    month: 'maand(?:en)?',
    year: 'ja(?:ar|ren)',
    numbers: [
      'een',
      'twee',
      'drie',
      'vier',
      'vijf',
      'zes',
      'zeven',
      'acht',
      'negen',
      'tien',
      'elf',
      'twaalf',
    ],
    few: 'enkele|een aantal|verschillende',
    couple: 'een paar|paar',
    beforeYesterday: 'eergisteren',
    yesterday: 'gister(?:en|avond|middag|ochtend)',
    today: 'vandaag|vanavond|vanmorgen|vanochtend|vanmiddag',
    tomorrow: '(?<!(?:de|goede|elke) )morgen',
    afterTomorrow: 'overmorgen',
    recently: 'onlangs|laatst|de laatste tijd|kortgeleden',
    last: 'vorige?|afgelopen|laatste',
    this: 'deze|dit',
    next: 'volgende?|komende?',
    early: 'begin',
    middle: 'half|midden',
    late: 'eind(?:e)?',
    agoBefore: '',
    agoAfter: 'geleden|eerder',
    laterBefore: 'over',
    laterAfter: 'later',
    within: '(?:in|gedurende) de (?:laatste|afgelopen)',
    of: 'van ',
    in: 'in|sinds|tot|vanaf|rond|voor|na',
    until: 'tot(?: en met)?|t/m|-|–|en',
    easter: 'pasen|paasweekend',
    easterSunday: 'eerste paasdag|paaszondag',
    easterMonday: 'tweede paasdag|paasmaandag',
    goodFriday: 'goede vrijdag',
    pentecost: 'pinksteren',
    christmas: 'kerst|kerstmis|kerstavond',
    newYearsEve: 'oudejaarsavond|oud en nieuw',
    newYear: 'nieuwjaar',
  },
};

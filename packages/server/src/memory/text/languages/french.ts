import { type Language, wordsLike } from './language.ts';

export const FRENCH: Language = {
  stopwords: `le la les l un une des du de d au aux et ou mais donc or ni car que qu qui quoi dont où quand comment pourquoi
combien quel quelle quels quelles ce cet cette ces ça cela ceci c je j tu il elle on nous vous ils elles me m te t se s moi toi lui
leur leurs eux mon ma mes ton ta tes son sa ses notre nos votre vos y en ne n pas plus point jamais rien est es suis sommes êtes
sont était étais étaient étions sera serait été être ai as a avons avez ont avais avait avaient aura aurait eu avoir fait faire
peut peux pouvons peuvent pouvait dois doit devons doivent devait veux veut voulons veulent voulait voudrais vais va allons vont
dans par pour sur sous avec sans chez vers entre depuis pendant avant après contre jusque jusqu comme si très trop aussi bien
encore déjà toujours même tout tous toute toutes autre autres chaque quelque quelques plusieurs alors ainsi puis parce lorsque
oui non là ici voici voilà bonjour merci`,
  asking: `dis dit dire dites mentionné mentionner décris décrit parlé parler parlait discuté demandé demander sais savoir trouve
trouver liste montre montrer donne donner sorte type genre nom appelle appelé chose choses conversation question réponse rappelle
souviens quelqu`,
  self: 'nous notre nos je j me m moi mon ma mes',
  other: 'tu te t toi ton ta tes vous votre vos',
  wanted: {
    time: wordsLike(
      'quand|quel(?:le)?s? (?:jour|date|mois|annee|heure|semaine)s?|depuis quand|a quelle heure',
    ),
    number: wordsLike('combien|quel age|nombre de|a quelle (?:distance|frequence|hauteur)'),
    duration: wordsLike('combien de temps|depuis quand|pendant combien'),
    name: wordsLike('qui|ou|nom|appelle|nomme|quel(?:le)? (?:ville|pays|village|endroit|personne)'),
  },
  number:
    /\d|(?<!\p{L})(?:deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze|douzaine|vingt|trente|quarante|cinquante|cents?|mille|millions?|moitie|premiere?|deuxieme|troisieme)(?!\p{L})/iu,
  duration:
    /(?<!\p{L})(?:\d+|une?|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|quelques|plusieurs) (?:minute|heure|jour|journee|nuit|semaine|mois|an|annee)s?(?!\p{L})|(?<!\p{L})depuis(?!\p{L})/iu,
  times: {
    months: [
      'janvier|janv\\.?',
      'fevrier|fevr?\\.?',
      'mars',
      'avril|avr\\.?',
      'mai',
      'juin',
      'juillet|juil\\.?',
      'aout',
      'septembre|sept\\.?',
      'octobre|oct\\.?',
      'novembre|nov\\.?',
      'decembre|dec\\.?',
    ],
    weekdays: ['dimanche', 'lundi', 'mardi', 'mercredi', 'jeudi', 'vendredi', 'samedi'],
    seasons: ['printemps', 'ete', 'automne', 'hiver'],
    day: 'jours?|journees?|nuits?',
    week: 'semaines?',
    weekend: 'week-?ends?',
    month: 'mois',
    year: 'ans?|annees?',
    numbers: [
      'une?',
      'deux',
      'trois',
      'quatre',
      'cinq',
      'six',
      'sept',
      'huit',
      'neuf',
      'dix',
      'onze',
      'douze',
    ],
    few: 'quelques|plusieurs',
    couple: 'deux ou trois',
    beforeYesterday: 'avant-hier',
    yesterday: 'hier',
    today: "aujourd['’]hui|ce (?:matin|soir)|cet apres-midi",
    tomorrow: 'demain',
    afterTomorrow: 'apres-demain',
    recently: "recemment|dernierement|l['’]autre jour",
    last: 'derniere?s?|passee?|precedente?',
    this: 'cette|cet|ce',
    next: 'prochaine?s?|suivante?',
    early: 'debut',
    middle: 'mi-?',
    late: 'fin',
    agoBefore: 'il y a',
    agoAfter: 'plus tot|auparavant',
    laterBefore: 'dans',
    laterAfter: 'plus tard|apres',
    within:
      '(?:ces|les|au cours des|depuis les|pendant les)(?: (?:\\d+|deux|trois|quatre|cinq|six))? derni(?:ers|eres)',
    of: "de |d['’]",
    in: "en|depuis|des|jusqu['’]en|avant|apres|au mois de|pour|vers",
    until: 'au|-|–|et le',
    easter: 'paques',
    easterSunday: 'dimanche de paques',
    easterMonday: 'lundi de paques',
    goodFriday: 'vendredi saint',
    pentecost: 'pentecote',
    christmas: 'noel',
    newYearsEve: 'saint-sylvestre|reveillon',
    newYear: "nouvel an|jour de l['’]an",
  },
};

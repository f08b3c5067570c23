import { type Language, wordsLike } from './language.ts';

export const SPANISH: Language = {
  stopwords: `el la los las lo un una unos unas de del al y e o u pero sino que quien quienes cual cuales cuyo donde cuando como
cuanto cuanta cuantos cuantas qué quién quiénes cuál cuáles dónde adónde cuándo cómo cuánto cuánta cuántos cuántas porque por para
con sin sobre entre hasta desde hacia según durante ante tras contra en a yo tú él ella ello nosotros nosotras vosotros ellos ellas
usted ustedes me te se nos os le les mí ti sí conmigo contigo mi mis tu tus su sus nuestro nuestra nuestros nuestras vuestro este
esta esto estos estas ese esa eso esos esas aquel aquella aquello aquellos no ni ya muy más menos también tampoco aún todavía así
entonces luego si soy eres es somos son era eras éramos eran fue fui fuimos fueron ser sido siendo sea está estoy estás estamos
están estaba estaban estuvo estar estado he has ha hemos han había habían hubo hay haber tengo tienes tiene tenemos tienen tenía
tener hacer hace hago hizo puede puedo puedes podemos pueden podía debe debo quiero quieres quiere queremos quería voy vas va vamos
van iba todo toda todos todas otro otra otros otras cada algo alguien alguno alguna algunos algunas mucho mucha muchos muchas poco
mismo misma tan tanto hola gracias favor`,
  asking: `di dice decir dije dijo dicho mencionó mencioné mencionar describe describir habló hablé hablamos hablar pregunté preguntó
preguntar sabes saber encuentra encontrar lista muestra mostrar dame dar clase tipo nombre llama llamaba llamado cosa cosas
conversación pregunta respuesta recuerdas recordar`,
  self: 'nosotros nosotras nos nuestro nuestra nuestros nuestras yo me mí mi mis conmigo',
  other: 'tú te ti tu tus contigo usted',
  wanted: {
    time: wordsLike('cuando|que (?:dia|fecha|mes|ano|hora|semana)|desde cuando|a que hora'),
    number: wordsLike('cuant[oa]s?|que edad|numero de|cada cuanto'),
    duration: wordsLike('cuanto tiempo|desde cuando|cuant[oa]s (?:dias|horas|semanas|meses|anos)'),
    name: wordsLike(
      'quien(?:es)?|a?donde|nombre|llama(?:ba|do|da)?|(?:que|cual) (?:ciudad|pais|pueblo|lugar|persona)',
    ),
  },
  number:
    /\d|(?<!\p{L})(?:dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|docena|veinte|treinta|cuarenta|cincuenta|cien|ciento|mil|millon(?:es)?|mitad|medi[oa]|primer[oa]?|segund[oa]|tercer[oa]?)(?!\p{L})/iu,
  duration:
    /(?<!\p{L})(?:\d+|una?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|unos|unas|varios|varias) (?:minuto|hora|dia|noche|semana|mes(?:es)?|ano)s?(?!\p{L})|(?<!\p{L})desde(?!\p{L})/iu,
  times: {
    months: [
      'enero|ene\\.?',
      'febrero|feb\\.?',
      'marzo',
      'abril|abr\\.?',
      'mayo',
      'junio|jun\\.?',
      'julio|jul\\.?',
      'agosto|ago\\.?',
      'septiembre|setiembre|sept\\.?',
      'octubre|oct\\.?',
      'noviembre|nov\\.?',
      'diciembre|dic\\.?',
    ],
    weekdays: ['domingo', 'lunes', 'martes', 'miercoles', 'jueves', 'viernes', 'sabado'],
    seasons: ['primavera', 'verano', 'otono', 'invierno'],
    day: 'dias?|noches?',
    week: 'semanas?',
    weekend: 'fin(?:es)? de semana',
    month: 'mes(?:es)?',
    year: 'anos?',
    numbers: [
      'una?',
      'dos',
      'tres',
      'cuatro',
      'cinco',
      'seis',
      'siete',
      'ocho',
      'nueve',
      'diez',
      'once',
      'doce',
    ],
    few: 'unos|unas|varios|varias|algunos|algunas',
    couple: 'un par de',
    beforeYesterday: 'anteayer|antes de ayer',
    yesterday: 'ayer|anoche',
    today: 'hoy|esta (?:manana|tarde|noche)',
    tomorrow: '(?<!(?:la|una|esta|cada|de) )manana',
    afterTomorrow: 'pasado manana',
    recently: 'recientemente|ultimamente|hace poco|el otro dia',
    last: 'pasad[oa]s?|ultim[oa]|anterior',
    this: 'est[ea]',
    next: 'proxim[oa]|que viene|siguiente',
    early: '(?:a )?principios de|a comienzos de',
    middle: '(?:a )?mediados de',
    late: '(?:a )?finales de|(?:a )?fines de',
    agoBefore: 'hace',
    agoAfter: 'atras|antes',
    laterBefore: 'dentro de|en',
    laterAfter: 'despues|mas tarde',
    within: '(?:en|durante) l[oa]s ultim[oa]s',
    of: 'del? ',
    in: 'en|desde|hasta|durante|para|de',
    until: 'al|a|-|–|y el',
    easter: 'semana santa|pascua',
    easterSunday: 'domingo de (?:pascua|resurreccion)',
    easterMonday: 'lunes de pascua',
    goodFriday: 'viernes santo',
    pentecost: 'pentecostes',
    christmas: 'navidad(?:es)?|nochebuena',
    newYearsEve: 'nochevieja|fin de ano',
    newYear: 'ano nuevo',
  },
};

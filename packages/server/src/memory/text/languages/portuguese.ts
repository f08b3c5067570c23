import { type Language, wordsLike } from './language.ts';

export const PORTUGUESE: Language = {
  stopwords: `o a os as um uma uns umas de do da dos das em no na nos nas num numa ao à aos às por pelo pela pelos pelas para pra
com sem sob sobre entre até desde contra após ante e ou mas porém nem que quem qual quais cujo onde aonde quando como quanto quanta
quantos quantas porque pois se eu tu você vocês ele ela eles elas nós me te lhe lhes vos mim ti si comigo contigo meu minha meus
minhas teu tua teus tuas seu sua seus suas nosso nossa nossos nossas dele dela deles delas este esta estes estas esse essa esses
essas isto isso aquele aquela aqueles aquelas aquilo neste nesta nesse nessa deste desta desse dessa não já muito mais menos também
ainda só assim então depois sou és é somos são era eras eram foi fui fomos foram ser sido sendo seja estou está estamos estão estava
estavam esteve estar tenho tens tem temos têm tinha tinham teve ter tido há havia haver houve faz fazer fiz fez pode posso podemos
podem podia deve devo quero quer queremos queria vou vai vamos vão ia todo toda todos todas outro outra outros outras cada algo
alguém algum alguma alguns algumas muita muitos muitas pouco mesmo mesma tão tanto olá obrigado obrigada`,
  asking: `diz dizer disse dito mencionou mencionei mencionar descreve descrever falou falei falamos falar perguntei perguntou
perguntar sabe sabes saber encontra encontrar lista mostra mostrar dá dar espécie tipo nome chama chamava chamado coisa coisas
conversa pergunta resposta lembra lembras lembrar`,
  self: 'nosso nossa nossos nossas eu me mim meu minha meus minhas comigo',
  other: 'tu te ti teu tua teus tuas contigo você',
  wanted: {
    time: wordsLike('quando|(?:que|qual|em que) (?:dia|data|mes|ano|hora|semana)|desde quando|a que horas'),
    number: wordsLike('quant[oa]s?|que idade|numero de|com que frequencia'),
    duration: wordsLike('quanto tempo|desde quando|quant[oa]s (?:dias|horas|semanas|meses|anos)'),
    name: wordsLike('quem|a?onde|nome|chama(?:va|do|da)?|(?:que|qual) (?:cidade|pais|aldeia|lugar|pessoa)'),
  },
  number:
    /\d|(?<!\p{L})(?:dois|duas|tres|quatro|cinco|seis|sete|oito|nove|dez|onze|doze|duzia|vinte|trinta|quarenta|cinquenta|cem|cento|mil|milhao|milhoes|metade|mei[oa]|primeir[oa]|segund[oa]|terceir[oa])(?!\p{L})/iu,
  duration:
    /(?<!\p{L})(?:\d+|uma?|dois|duas|tres|quatro|cinco|seis|sete|oito|nove|dez|alguns|algumas|varios|varias) (?:minuto|hora|dia|noite|semana|mes(?:es)?|ano)s?(?!\p{L})|(?<!\p{L})desde(?!\p{L})/iu,
  times: {
    months: [
      'janeiro|jan\\.?',
      'fevereiro|fev\\.?',
      'marco',
      'abril|abr\\.?',
      'maio',
      'junho|jun\\.?',
      'julho|jul\\.?',
      'agosto|ago\\.?',
      'setembro|set\\.',
      'outubro|out\\.',
      'novembro|nov\\.?',
      'dezembro|dez\\.',
    ],
    weekdays: [
      'domingo',
      'segunda-feira',
      'terca-feira|terca',
      'quarta-feira',
      'quinta-feira',
      'sexta-feira',
      'sabado',
    ],
    seasons: ['primavera', 'verao', 'outono', 'inverno'],
    day: 'dias?|noites?',
    week: 'semanas?',
    weekend: 'fi(?:m|ns) de semana',
    month: 'mes(?:es)?',
    year: 'anos?',
    numbers: [
      'uma?',
      'dois|duas',
      'tres',
      'quatro',
      'cinco',
      'seis',
      'sete',
      'oito',
      'nove',
      'dez',
      'onze',
      'doze',
    ],
    few: 'alguns|algumas|varios|varias|uns|umas',
    couple: 'um par de',
    beforeYesterday: 'anteontem|antes de ontem',
    yesterday: 'ontem',
    today: 'hoje|esta (?:manha|tarde|noite)',
    tomorrow: 'amanha',
    afterTomorrow: 'depois de amanha',
    recently: 'recentemente|ultimamente|ha pouco|outro dia',
    last: 'passad[oa]s?|ultim[oa]|anterior',
    this: 'n?est[ea]|dest[ea]',
    next: 'proxim[oa]|que vem|seguinte',
    early: '(?:no )?inicio de|(?:no )?comeco de',
    middle: '(?:em )?meados de',
    late: '(?:no )?fi(?:m|nal) de|(?:em )?fins de',
    agoBefore: 'ha|faz',
    agoAfter: 'atras|antes',
    laterBefore: 'daqui a|em|dentro de',
    laterAfter: 'depois|mais tarde',
    within: '(?:n[oa]s|durante [oa]s) ultim[oa]s',
    of: 'de ',
    in: 'em|desde|ate|durante|para|de',
    until: 'ao?|ate|-|–|e',
    easter: 'pascoa|semana santa',
    easterSunday: 'domingo de pascoa',
    easterMonday: 'segunda-feira de pascoa',
    goodFriday: 'sexta-feira santa',
    pentecost: 'pentecostes',
    christmas: 'natal|vespera de natal',
    newYearsEve: 'reveillon|passagem de ano',
    newYear: 'ano novo',
  },
};

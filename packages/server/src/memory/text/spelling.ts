/** British spellings that no rule gives away. */
const SINGLE: Record<string, string> = {
  grey: 'gray',
  tyre: 'tire',
  cheque: 'check',
  programme: 'program',
  jewellery: 'jewelry',
  pyjamas: 'pajamas',
  moustache: 'mustache',
  plough: 'plow',
  storey: 'story',
  kerb: 'curb',
  aeroplane: 'airplane',
  aluminium: 'aluminum',
  maths: 'math',
  mum: 'mom',
  mummy: 'mommy',
  licence: 'license',
  defence: 'defense',
  offence: 'offense',
  practise: 'practice',
  enrol: 'enroll',
  fulfil: 'fulfill',
  skilful: 'skillful',
  doughnut: 'donut',
  yoghurt: 'yogurt',
};
const OUR =
  /^((?:dis|un|mis)?(?:col|fav|flav|harb|hon|hum|lab|neighb|behavi|rum|vap|od|sav|savi|tum|vig|arm|endeav|parl|glam|clam|tremb?))our/;
const RE = /^(cent|theat|met|lit|fib|spect|meag|kilomet|centimet|millimet|cali?b)re(s?)$/;
const YSE = /^(anal|paral|catal)ys(e|ed|es|ing)$/;
const OGUE = /^(catal|dial|anal|monol)ogue(s?)$/;
/** "Exercise" becomes a word that nobody writes, but it does so in items and goals alike. */
const ISE = /^(\w{3,}?)is(e|ed|es|er|ers|ing|ation|ations)$/;
const DOUBLED =
  /^(travel|cancel|model|label|signal|level|fuel|marvel|quarrel|counsel|jewel|total)l(ed|ing|er|ers|or|ors)$/;

/** One spelling for words that are written in two ways: "colour" and "color", "organise" and "organize". */
export function oneSpelling(word: string): string {
  if (word.length < 3) return word;
  if (Object.hasOwn(SINGLE, word)) return SINGLE[word]!;
  const our = OUR.exec(word);
  if (our) return `${our[1]}or${word.slice(our[0].length)}`;
  const ise = ISE.exec(word);
  if (ise) return `${ise[1]}iz${ise[2]}`;
  return word.replace(RE, '$1er$2').replace(YSE, '$1yz$2').replace(OGUE, '$1og$2').replace(DOUBLED, '$1$2');
}

import { type Day, monthRange, yearRange } from '../calendar.ts';
import {
  around,
  daysAgo,
  latestMonth,
  nearestDate,
  oneDay,
  relativeUnit,
  relativeWeekday,
} from '../day-ranges.ts';
import { readTimes, type TimeExpression, type TimeReader } from '../time-readers.ts';
import type { WantedShapes } from './language.ts';

/** Japanese, Chinese and Korean, told by their script: one list for all, since hardly a word of one is in another. */
export const HAS_ASIAN = /[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;

/** Pairs of Hiragana are endings and particles far more often than words. */
const HIRAGANA_PAIR = /^\p{Script=Hiragana}{1,2}$/u;
const ASKING = new Set(
  `什么 怎么 哪里 哪儿 哪个 多少 几个 为什 时候 谁的 请问 告诉 知道 我们 你们 他们 的是 了吗 是什 么时 是谁 在哪 有多
教え 何人 何時 何を 誰が 誰と 언제 어디 누구 무엇 뭐야 얼마 얼마나 어떻 떻게 어느 무슨 나요 니까 습니 인가 입니 는지 에서 으로 했나 했어`.split(
    /\s+/,
  ),
);

/** Whether a pair of characters is what questions are made of. */
export function isAskingPair(word: string): boolean {
  return HIRAGANA_PAIR.test(word) || ASKING.has(word);
}

export const ASIAN_WANTED: WantedShapes = {
  time: /いつ|何[時日月年曜]|什么时候|何时|哪[天年月]|几[点号月]|언제|몇 ?[시일월년]|며칠/u,
  number: /いくつ|いくら|何[人個回本枚歳]|どれくらい|多少|几[个人次岁]|多[大远高]|몇|얼마/u,
  duration: /どのくらい|どれくらい|何(?:年|日|時)間|多久|多长时间|얼마나 오래|몇 ?(?:년|달|시간|일 ?동안)/u,
  name: /誰|だれ|どこ|名前|谁|哪里|哪儿|名字|叫什么|누구|어디|이름/u,
};
export const ASIAN_SELF = /私|僕|俺|わたし|ぼく|我|나는|내가|제가|저는|나의|내 |제 /u;
export const ASIAN_OTHER = /あなた|君|你|您|당신|너는|네가/u;

const WEEKDAYS = '日月火水木金土';
const CHINESE_WEEKDAYS = '日一二三四五六';
const KOREAN_WEEKDAYS = '일월화수목금토';
const LAST = '先|上个?|지난 ?';
const NEXT = '来|下个?|다음 ?';
const THIS = '今|这个?|本|이번 ?';

const which = (word: string) =>
  new RegExp(`^(?:${LAST})`, 'u').test(word)
    ? 'last'
    : new RegExp(`^(?:${NEXT})`, 'u').test(word)
      ? 'next'
      : 'this';
const unit = (word: string) =>
  /末|주말/u.test(word)
    ? 'weekend'
    : /[週周주]|星期|礼拜/u.test(word)
      ? 'week'
      : /[月달]/u.test(word)
        ? 'month'
        : 'year';

const READERS: TimeReader[] = [
  [
    /(\d{4}) ?[年년] ?(\d{1,2}) ?[月월] ?(\d{1,2}) ?[日号號일]/gu,
    ([, year, month, date]) => oneDay(Number(year), Number(month) - 1, Number(date)),
  ],
  [
    /(\d{4}) ?[年년] ?(\d{1,2}) ?[月월]/gu,
    ([, year, month]) =>
      Number(month) >= 1 && Number(month) <= 12 ? monthRange(Number(year), Number(month) - 1) : undefined,
  ],
  [/((?:19|20)\d{2}) ?[年년]/gu, ([, year]) => yearRange(Number(year))],
  [
    /(?<!\d)(1[0-2]|[1-9]) ?[月월] ?(\d{1,2}) ?[日号號일]/gu,
    ([, month, date], reference) => nearestDate(Number(month) - 1, Number(date), reference),
  ],
  [
    /(?<!\d)(1[0-2]|[1-9]) ?[月월](?![\p{Script=Han}])/gu,
    ([, month], reference) => latestMonth(Number(month) - 1, reference),
  ],
  [
    /(\d{1,3}) ?(日|天|일|週間|周|星期|주(?:일)?|[か个ヶ]月|个月|달|개월|年|년) ?(前|之前|以前|전)/gu,
    ([, count, name], reference) =>
      daysAgo(
        Number(count),
        false,
        /[日天일]$/u.test(name!) && !/주일/u.test(name!) ? 'day' : unit(name!),
        reference,
      ),
  ],
  [/昨年|去年|작년/gu, (_match, reference) => relativeUnit('last', 'year', reference)],
  [/来年|明年|내년/gu, (_match, reference) => relativeUnit('next', 'year', reference)],
  [/今年|올해/gu, (_match, reference) => relativeUnit('this', 'year', reference)],
  [
    new RegExp(`(${LAST}|${NEXT}|${THIS})(?:週の?|周|星期|礼拜|주 ?)([${WEEKDAYS}])曜`, 'gu'),
    ([, word, name], reference) => relativeWeekday(which(word!), WEEKDAYS.indexOf(name!), reference),
  ],
  [
    new RegExp(`(上个?|下个?|这个?)(?:周|星期|礼拜)([${CHINESE_WEEKDAYS}天])`, 'gu'),
    ([, word, name], reference) =>
      relativeWeekday(which(word!), Math.max(0, CHINESE_WEEKDAYS.indexOf(name!)), reference),
  ],
  [
    new RegExp(`(지난 ?|다음 ?|이번 ?)(?:주 ?)?([${KOREAN_WEEKDAYS}])요일`, 'gu'),
    ([, word, name], reference) => relativeWeekday(which(word!), KOREAN_WEEKDAYS.indexOf(name!), reference),
  ],
  [
    new RegExp(`(${LAST}|${NEXT}|${THIS})(週末|周末|주말|週|周|星期|礼拜|주|月|달)`, 'gu'),
    ([, word, name], reference) => relativeUnit(which(word!), unit(name!), reference),
  ],
  [/一昨日|おととい|前天|그저께/gu, (_match, reference) => around(reference - 2)],
  [/昨日|昨夜|昨天|昨晚|어제/gu, (_match, reference) => around(reference - 1)],
  [/明日|明天|내일/gu, (_match, reference) => around(reference + 1)],
  [/今日|今天|今晩|今晚|오늘/gu, (_match, reference) => around(reference)],
  [/最近|最近|요즘|최근/gu, (_match, reference) => ({ from: reference - 10, to: reference })],
];

export function asianTimesIn(text: string, reference: Day): TimeExpression[] {
  return readTimes(text, reference, READERS);
}

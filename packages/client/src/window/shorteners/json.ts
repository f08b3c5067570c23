import { count, cutMiddle, gap } from './text.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const ARRAY_ITEMS = 8;
const FIRST_ITEMS = 3;
/** Near the surface, where a list is what was asked for, as many come first as have so many characters. */
const FIRST_CHARACTERS = 2_500;
const OBJECT_KEYS = 60;
const FIRST_KEYS = 20;
const FAULTY_ITEMS = 20;
const STRING_CHARACTERS = 400;
const TELLING_CHARACTERS = 2_000;
const DEPTH = 24;

/** Numbers that do not survive being read and written again. */
const LONG_NUMBER = /[[:,\s]-?(?:\d{16}|\d+\.\d{16})/;

/** Shortens a text that is JSON as a whole, to JSON: long arrays, large maps and long strings lose their middle. */
export function shortenJson(text: string): string | undefined {
  const first = text.trimStart()[0];
  if ((first !== '{' && first !== '[') || LONG_NUMBER.test(text)) return undefined;
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
  const indent = /^\s*[[{]\r?\n( +|\t)/.exec(text)?.[1];
  return JSON.stringify(reduced(value, '', 0), null, indent);
}

function reduced(value: Json, key: string, depth: number): Json {
  if (typeof value === 'string')
    return cutMiddle(value, TELLING.test(key) ? TELLING_CHARACTERS : STRING_CHARACTERS);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEPTH) return gap('what is nested deeper');
  return Array.isArray(value) ? reducedArray(value, key, depth) : reducedObject(value, depth);
}

function reducedArray(items: Json[], key: string, depth: number): Json[] {
  const reduce = (item: Json) => reduced(item, key, depth + 1);
  if (items.length <= ARRAY_ITEMS) return items.map(reduce);
  // A message tells something only where most have none.
  const isTelling = items.filter((item) => isObject(item) && 'message' in item).length * 2 < items.length;
  const first = depth <= 1 ? firstItems(items) : FIRST_ITEMS;
  const shape = new Set(items.slice(0, first).flatMap(keysOf));
  const kept: Json[] = [];
  const further = new Set<string>();
  let left = 0;
  let faulty = 0;
  let faultyKept = 0;
  const close = () => {
    if (left === 0) return;
    const keys = further.size > 0 ? `, with further keys ${cutMiddle([...further].join(', '), 200)},` : '';
    const faults = faulty > 0 ? `, ${faulty} of them with errors,` : '';
    kept.push(gap(`${count(left, 'more item')}${keys}${faults}`));
    left = 0;
    faulty = 0;
    further.clear();
  };
  for (const [index, item] of items.entries()) {
    const isFaulty = isFault(item, isTelling, 0);
    const isEdge = index < first || index === items.length - 1;
    if (isEdge || (isFaulty && faultyKept < FAULTY_ITEMS)) {
      if (!isEdge) faultyKept++;
      close();
      kept.push(reduce(item));
      continue;
    }
    left++;
    if (isFaulty) faulty++;
    for (const name of keysOf(item)) if (!shape.has(name) && further.size < 10) further.add(name);
  }
  close();
  return kept;
}

function firstItems(items: readonly Json[]): number {
  let room = FIRST_CHARACTERS;
  const over = items.findIndex((item) => {
    room -= JSON.stringify(item).length;
    return room < 0;
  });
  return Math.max(FIRST_ITEMS, over < 0 ? items.length : over);
}

function reducedObject(value: { [key: string]: Json }, depth: number): Json {
  const entries = Object.entries(value);
  if (entries.length <= OBJECT_KEYS) {
    return Object.fromEntries(entries.map(([key, item]) => [key, reduced(item, key, depth + 1)]));
  }
  let faultyKept = 0;
  const kept = entries.filter(([key, item], index) => {
    if (index < FIRST_KEYS || index === entries.length - 1) return true;
    return (TELLING.test(key) || isFault(item, true, 0)) && faultyKept++ < FAULTY_ITEMS;
  });
  const reducedEntries = kept.map(([key, item]): [string, Json] => [key, reduced(item, key, depth + 1)]);
  const faulty = Math.max(0, faultyKept - FAULTY_ITEMS);
  const faults = faulty > 0 ? `, ${faulty} of them with errors,` : '';
  return Object.fromEntries([
    ...reducedEntries,
    ['…', gap(`${count(entries.length - kept.length, 'more key')}${faults}`)],
  ]);
}

const TELLING =
  /^(?:errors?|exceptions?|failures?|message|reason|stack(?:_?trace)?|traceback|detail|cause)$/i;
const FAULT = /^(?:errors?|exceptions?|failures?|stack(?:_?trace)?|traceback)$/i;
const OUTCOME = /^(?:status|state|level|severity|conclusion|result|outcome|type|kind)(?:_?code)?$/i;
const BAD_OUTCOME = /^(?:fail|err|fatal|critical|crash|panic|timed?_?out|cancel|reject|denied|warn)/i;

/** Says that something went wrong, near its surface. */
function isFault(value: Json, isTelling: boolean, depth: number): boolean {
  if (!isObject(value))
    return typeof value === 'string' && /\b(?:error|exception|failed|fatal)\b/i.test(value.slice(0, 1_000));
  for (const [key, item] of Object.entries(value)) {
    if (FAULT.test(key) && !isEmpty(item)) return true;
    if (isTelling && key === 'message' && !isEmpty(item)) return true;
    if (OUTCOME.test(key) && typeof item === 'number' && item >= 400 && item < 600) return true;
    if (OUTCOME.test(key) && typeof item === 'string' && BAD_OUTCOME.test(item)) return true;
    if (depth < 2 && isObject(item) && isFault(item, isTelling, depth + 1)) return true;
  }
  return false;
}

function isEmpty(value: Json): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return (
    value === null ||
    value === false ||
    value === 0 ||
    value === '' ||
    (isObject(value) && keysOf(value).length === 0)
  );
}

function isObject(value: Json): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function keysOf(value: Json): string[] {
  return isObject(value) ? Object.keys(value) : [];
}

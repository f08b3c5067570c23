import { type Choice, type Field, type Format, isObject, type Kind } from './fields.ts';

/** What somebody has written so far. An empty text is nothing given. */
export type Draft = string | readonly Draft[] | { readonly [name: string]: Draft };

/** What is wrong, by the place of the field: `findings.0.finding`. */
export type Problems = Readonly<Record<string, string>>;

/** How a form begins: with what the server would take. */
export function emptyDraft(kind: Kind): Draft {
  if (kind.kind === 'record') return draftsOf(kind.fields, {});
  if (kind.kind === 'list') return [];
  return '';
}

/** Drafts for a value, as it may come from JSON that somebody wrote. What does not fit a field is shown as its JSON. */
export function draftsOf(fields: readonly Field[], values: Readonly<Record<string, unknown>>) {
  const drafts: Record<string, Draft> = {};
  for (const { name, kind, initial } of fields) {
    const value = Object.hasOwn(values, name) ? values[name] : initial;
    drafts[name] = value === undefined ? emptyDraft(kind) : draftOf(kind, value);
  }
  return drafts;
}

function draftOf(kind: Kind, value: unknown): Draft {
  switch (kind.kind) {
    case 'list':
      return Array.isArray(value) ? value.map((item) => draftOf(kind.item, item)) : [];
    case 'record':
      return draftsOf(kind.fields, isObject(value) ? value : {});
    case 'choice':
      return choiceKey(value as Choice);
    case 'json':
      return JSON.stringify(value, null, 2);
    default:
      return typeof value === 'string' ? value : JSON.stringify(value);
  }
}

/** Fields that ask which project is meant; its id will do. */
const PROJECT = /^project(_path|_id)?$/;

/** The drafts with the project where one must be named and nobody wrote any, or where the one chosen before stands. */
export function withProject(
  fields: readonly Field[],
  drafts: Readonly<Record<string, Draft>>,
  project = '',
  before = '',
): Readonly<Record<string, Draft>> {
  const open = fields.filter(
    ({ name, kind, isRequired }) =>
      isRequired &&
      kind.kind === 'text' &&
      PROJECT.test(name) &&
      ['', before].includes(drafts[name] as string),
  );
  return { ...drafts, ...Object.fromEntries(open.map(({ name }) => [name, project])) };
}

/** Choices are told apart by their JSON: 1 is not "1". */
export const choiceKey = (choice: Choice): string => JSON.stringify(choice);

/** The input that drafts make, and what is wrong with them. */
export function inputOf(
  fields: readonly Field[],
  drafts: Readonly<Record<string, Draft>>,
): { input: Record<string, unknown>; problems: Problems } {
  const problems: Record<string, string> = {};
  const input = recordOf(fields, drafts, '', problems);
  return { input, problems };
}

function recordOf(
  fields: readonly Field[],
  drafts: Readonly<Record<string, Draft>>,
  path: string,
  problems: Record<string, string>,
): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const { name, kind, isRequired } of fields) {
    const draft = drafts[name] ?? emptyDraft(kind);
    const place = path === '' ? name : `${path}.${name}`;
    // What holds nothing is not given, and then nothing inside of it is missing.
    if (isEmpty(draft) && !(isRequired && canBeEmpty(kind))) {
      if (isRequired) problems[place] = 'This is required.';
      continue;
    }
    record[name] = readDraft(kind, draft, place, problems);
  }
  return record;
}

function isEmpty(draft: Draft): boolean {
  if (typeof draft === 'string') return draft.trim() === '';
  return Array.isArray(draft) ? draft.length === 0 : Object.values(draft).every(isEmpty);
}

/** A list that needs no item may be given as it is; of a record the fields say what is missing. */
function canBeEmpty(kind: Kind): boolean {
  return (kind.kind === 'list' && kind.least === 0) || kind.kind === 'record';
}

function readDraft(kind: Kind, draft: Draft, place: string, problems: Record<string, string>): unknown {
  const wrong = (problem: string | undefined) => {
    if (problem !== undefined) problems[place] = problem;
  };
  switch (kind.kind) {
    case 'record':
      return recordOf(kind.fields, draft as Record<string, Draft>, place, problems);
    case 'list': {
      const items = draft as readonly Draft[];
      if (items.length < kind.least) wrong(`At least ${kind.least} needed.`);
      if (items.length > kind.most) wrong(`At most ${kind.most} allowed; there are ${items.length}.`);
      return items.map((item, index) => {
        const own = `${place}.${index}`;
        if (isEmpty(item) && kind.item.kind !== 'record') problems[own] = 'Fill this in, or remove it.';
        return readDraft(kind.item, item, own, problems);
      });
    }
    case 'boolean':
      return draft === 'true';
    case 'choice':
      return kind.choices.find((choice) => choiceKey(choice) === draft);
    case 'number': {
      const value = Number(draft);
      wrong(numberProblem(kind, draft as string, value));
      return value;
    }
    case 'json':
      try {
        return JSON.parse(draft as string);
      } catch (error) {
        wrong(`This is not JSON: ${(error as Error).message}`);
        return undefined;
      }
    case 'text':
      wrong(textProblem(kind, draft as string));
      return draft;
  }
}

function numberProblem(kind: Kind & { kind: 'number' }, draft: string, value: number): string | undefined {
  if (draft.trim() === '' || !Number.isFinite(value)) return 'Enter a number.';
  if (kind.isWhole && !Number.isInteger(value)) return 'Enter a whole number.';
  if (value < kind.least) return `At least ${kind.least}.`;
  if (value > kind.most) return `At most ${kind.most}.`;
  if (value <= kind.above) return `More than ${kind.above}.`;
  return value >= kind.below ? `Less than ${kind.below}.` : undefined;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const FORMATS: Record<Format, { fits: (text: string) => boolean; advice: string }> = {
  date: {
    fits: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)),
    advice: 'Enter a date as 2026-01-31.',
  },
  'date-time': {
    fits: (text) => /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/i.test(text) && !Number.isNaN(Date.parse(text)),
    advice: 'Enter a time as 2026-01-31T09:30:00Z.',
  },
  email: {
    fits: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
    advice: 'Enter an e-mail address, such as name@example.org.',
  },
  uri: { fits: (text) => URL.canParse(text), advice: 'Enter a full URL, such as https://example.org.' },
  uuid: { fits: (text) => UUID.test(text), advice: 'Enter a UUID: 32 hexadecimal digits in five groups.' },
};

function textProblem(kind: Kind & { kind: 'text' }, text: string): string | undefined {
  const length = [...text].length;
  if (length < kind.least) return `At least ${kind.least} characters.`;
  if (length > kind.most) return `At most ${kind.most} characters; there are ${length}.`;
  if (kind.format && !FORMATS[kind.format].fits(text)) return FORMATS[kind.format].advice;
  return kind.pattern?.test(text) === false ? `This does not match ${kind.pattern.source}` : undefined;
}

import type { Scrubber } from '@infold/scrub';
import { Cache } from '../../kernel/cache.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { scrubText } from './scrubbing.ts';

/** Projects, sessions and kinds come again and again; so many bytes of them are looked through once. */
const REMEMBERED = 4 * 1024 * 1024;

/**
 * Things are found by their names, so a name is never changed: one that holds a secret is refused. Rewriting it would
 * make one thing of two, and leave links that lead nowhere.
 */
export class Identifiers {
  readonly #scrubber: Scrubber;
  readonly #clean = new Cache<true>(REMEMBERED);

  constructor(scrubber: Scrubber) {
    this.#scrubber = scrubber;
  }

  /** Throws an error that says which field it is, and never what stands there. */
  check(field: string, name: string): void {
    if (this.isClean(name)) return;
    // Says so where the scrubber itself has failed.
    scrubText(this.#scrubber, name);
    throw secretIdentifier(field);
  }

  /** For names that come again; those that are used once, such as ids of messages, need not be remembered. */
  isClean(name: string): boolean {
    if (this.#clean.get(name)) return true;
    if (this.holdsSecret(name)) return false;
    this.#clean.set(name, true);
    return true;
  }

  /** KERN-12, and closed when it fails: what cannot be looked through is refused. */
  holdsSecret(name: string): boolean {
    try {
      return this.#scrubber.scrub(name).count > 0;
    } catch {
      return true;
    }
  }
}

const made = new WeakMap<Scrubber, Identifiers>();

/** Those of a scrubber: every door shares what was looked through. */
export function identifiersOf(scrubber: Scrubber): Identifiers {
  const known = made.get(scrubber);
  if (known) return known;
  const identifiers = new Identifiers(scrubber);
  made.set(scrubber, identifiers);
  return identifiers;
}

/**
 * Refuses a value in which a field that names something holds a secret. A field is a path such as `context.id`;
 * `*` stands for each part of a list or an object.
 */
export function checkNames(scrubber: Scrubber, value: unknown, fields: readonly string[]): void {
  if (typeof value !== 'object' || value === null) return;
  const identifiers = identifiersOf(scrubber);
  for (const field of fields) {
    // Most are a text at the top, or not there.
    const first = (value as Record<string, unknown>)[field];
    if (typeof first === 'string') identifiers.check(field, first);
    else if (first !== undefined || field.includes('.') || field === '*') {
      for (const name of textsAt(value, field.split('.'))) identifiers.check(field, name);
    }
  }
}

/** A value after scrubbing, with its names as they were: the scrubber also judges a text by what its field is called. */
export function withNames<Value>(scrubbed: Value, given: Value, fields: readonly string[]): Value {
  return fields.reduce((value, field) => restored(value, given, field.split('.')) as Value, scrubbed);
}

function textsAt(value: unknown, [key, ...rest]: readonly string[]): string[] {
  if (key === undefined) {
    if (typeof value === 'string') return [value];
    return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  const inner = key === '*' ? Object.values(value) : [(value as Record<string, unknown>)[key]];
  return inner.flatMap((one) => textsAt(one, rest));
}

function restored(value: unknown, given: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return given;
  if (value === given || typeof given !== 'object' || given === null) return value;
  if (typeof value !== 'object' || value === null) return value;
  const put = (one: unknown, other: unknown) => restored(one, other, rest);
  if (Array.isArray(value)) {
    return key === '*' ? value.map((one, index) => put(one, (given as unknown[])[index])) : value;
  }
  const keys = key === '*' ? Object.keys(given) : [key];
  const names = keys.filter((name) => Object.hasOwn(value, name) && Object.hasOwn(given, name));
  const of = (record: unknown, name: string) => (record as Record<string, unknown>)[name];
  return {
    ...value,
    ...Object.fromEntries(names.map((name) => [name, put(of(value, name), of(given, name))])),
  };
}

function secretIdentifier(field: string): InfoldError {
  return new InfoldError('secret_identifier', `${field} contains a secret; choose another value`, {
    details: { field },
  });
}

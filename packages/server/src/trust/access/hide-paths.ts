import { realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { resolve } from 'node:path';
import type { Config } from '../../kernel/config.ts';
import { InfoldError, messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import { type Caller, isLocalOwner } from '../identity/caller.ts';

type Places = Pick<Config, 'data' | 'sources'>;

/** The rest of a path within a text: what may stand around one in a sentence ends it. */
const INSIDE = '(?:[\\\\/][^\\s"\'`<>|:;,()]*)?';

interface Place {
  pattern: RegExp;
  words: string;
}

const known = new WeakMap<Places, Place[]>();

/** What a caller is told of an error, in whichever door: a defect is logged whole and told in two words. */
export function errorFor(
  caller: Caller | undefined,
  error: unknown,
  { config, log }: { config: Places; log: Logger },
  where: string,
): InfoldError {
  const isOwner = caller !== undefined && isLocalOwner(caller);
  if (!InfoldError.isInstance(error)) {
    log.error({ err: error, where }, 'unexpected error');
    const told = isOwner ? `Internal error: ${messageOf(error)}` : 'Internal error';
    return new InfoldError('internal', told, { retryable: true });
  }
  const message = isOwner ? error.message : withoutPaths(config, error.message);
  const details = isOwner ? error.details : discreet(config, error.details);
  const data = isOwner ? error.rpc?.data : discreet(config, error.rpc?.data);
  if (message === error.message && details === error.details && data === error.rpc?.data) return error;
  const { code, retryable, retryAfter, rpc } = error;
  return new InfoldError(code, message, {
    retryable,
    cause: error,
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(details ? { details } : {}),
    ...(rpc ? { rpc: { code: rpc.code, data } } : {}),
  });
}

/** A text for a caller; only the owner of the machine is told where things lie on it. */
export function textFor(caller: Caller, text: string, config: Places): string {
  return isLocalOwner(caller) ? text : withoutPaths(config, text);
}

/** Folders of this machine become words: `/srv/infold/infold.db` is "the data folder" to a stranger. */
export function withoutPaths(config: Places, text: string): string {
  return placesOf(config).reduce((told, { pattern, words }) => told.replace(pattern, words), text);
}

function discreet<Value>(config: Places, value: Value): Value {
  if (value === undefined) return value;
  const text = JSON.stringify(value);
  const told = JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'string' ? withoutPaths(config, inner) : inner,
  );
  return text === told ? value : (JSON.parse(told) as Value);
}

function placesOf(config: Places): Place[] {
  const made = known.get(config);
  if (made) return made;
  const named: [path: string, words: string, inside?: string][] = [
    [config.data, 'the data folder', INSIDE],
    ...Object.entries(config.sources).flatMap(([model, source]) =>
      Object.values(source)
        .filter((value) => typeof value === 'string')
        .filter((value) => /^([\\/]|[A-Za-z]:[\\/]|\.)/.test(value))
        .map((path): [string, string, string] => [path, `the file of "${model}"`, INSIDE]),
    ),
    [tmpdir(), 'the temporary folder'],
    [homedir(), 'the home folder'],
  ];
  const places = named
    .flatMap(([path, words, inside = '']) =>
      spellingsOf(path).map((spelling) => ({ spelling, words, inside })),
    )
    // The innermost first: the data folder is often in the home folder.
    .sort((one, other) => other.spelling.length - one.spelling.length)
    .map(({ spelling, words, inside }) => ({
      pattern: new RegExp(`${escaped(spelling)}${inside}(?![\\w-])`, 'g'),
      words,
    }));
  known.set(config, places);
  return places;
}

/** As it was given, as it is resolved, and where links lead; the root of everything names nothing. */
function spellingsOf(path: string): string[] {
  const whole = resolve(path);
  let real = whole;
  try {
    real = realpathSync(whole);
  } catch {
    // It is not there, or not yet.
  }
  return [...new Set([whole, real])].filter((spelling) => spelling.length > 1 && !/^\w:\\$/.test(spelling));
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

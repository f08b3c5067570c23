import { homedir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { InfoldError } from '../../kernel/errors.ts';
import { callerNamed } from '../../testing/fixtures.suite.ts';
import { localOwner } from '../identity/caller.ts';
import { errorFor, withoutPaths } from './hide-paths.ts';

const data = '/srv/infold data';
const config = { data, sources: { activity: { type: 'jsonl', path: '/var/lib/acme/activity.jsonl' } } };
const lines: string[] = [];
const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
const services = { config, log };
const alice = callerNamed('alice', { tokenId: 'tok_1' });

describe('what others are told of an error', () => {
  test('names no folder of this machine', () => {
    const told = (text: string) => withoutPaths(config, text);
    expect(told(`The disk that holds ${data}/infold.db is full; nothing was written`)).toBe(
      'The disk that holds the data folder is full; nothing was written',
    );
    expect(told(`${data}/blobs/ab/cdef: gone, ${data}`)).toBe('the data folder: gone, the data folder');
    expect(told('/var/lib/acme/activity.jsonl: there is no such file')).toBe(
      'the file of "activity": there is no such file',
    );
    expect(told(`open '${join(homedir(), 'notes', 'a.txt')}'`)).toBe("open 'the home folder/notes/a.txt'");
    expect(told('/srv/infold database is another folder')).toBe('/srv/infold database is another folder');
    expect(told('WebSockets are served at /ws')).toBe('WebSockets are served at /ws');
  });

  test('keeps code, advice and figures, also where an error is one of JSON-RPC', () => {
    const error = new InfoldError('disk_full', `${data} is full`, {
      retryable: true,
      retryAfter: 3,
      details: { where: [`${data}/x`], count: 2 },
      rpc: { code: -32001, data: { at: data } },
    });
    expect(errorFor(alice, error, services, 'test')).toMatchObject({
      code: 'disk_full',
      message: 'the data folder is full',
      retryable: true,
      retryAfter: 3,
      details: { where: ['the data folder'], count: 2 },
      rpc: { code: -32001, data: { at: 'the data folder' } },
    });
    expect(errorFor(localOwner, error, services, 'test')).toBe(error);
  });

  test('is nothing of a defect, which the log has', () => {
    const defect = new TypeError(`Cannot read properties of ${data}`);
    for (const caller of [alice, undefined]) {
      expect(errorFor(caller, defect, services, 'test').message).toBe('Internal error');
    }
    expect(errorFor(localOwner, defect, services, 'test').message).toContain(data);
    expect(lines.join('')).toContain('Cannot read properties');
  });
});

import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { HostGuard, isLoopback, isSentUnasked } from './guard.ts';

describe('bound to this machine alone', () => {
  const guard = new HostGuard('127.0.0.1', ['Infold.Example']);

  test.each(['localhost', 'localhost:9090', '127.0.0.1:9090', '[::1]:9090', 'LOCALHOST:1', 'infold.example'])(
    'Host %s is ours',
    (host) => {
      expect(guard.refusal(host, undefined)).toBeUndefined();
    },
  );

  test.each([
    'evil.example',
    'evil.example:9090',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'localhost@evil.example',
    'localhost:9090@evil.example',
    '192.168.0.7:9090',
    'notinfold.example',
    '',
    ' ',
    'a b',
    '[::1',
  ])('Host %j is not', (host) => {
    verifies('KERN-11');
    expect(guard.refusal(host, undefined)).toBe('Host not allowed');
  });

  test('a request without Host is refused', () => {
    expect(guard.refusal(undefined, undefined)).toBe('Host not allowed');
    expect(guard.refusal(null, null)).toBe('Host not allowed');
  });

  test.each(['http://localhost:3000', 'https://127.0.0.1', 'http://[::1]:9090', 'https://infold.example'])(
    'a page of %s may ask',
    (origin) => {
      expect(guard.refusal('localhost', origin)).toBeUndefined();
    },
  );

  test.each([
    'https://evil.example',
    'http://localhost.evil.example',
    'null',
    'file://localhost',
    'chrome-extension://localhost',
    'localhost',
    'javascript:alert(1)',
  ])('a page of %s may not', (origin) => {
    verifies('KERN-11');
    expect(guard.refusal('localhost', origin)).toBe('Origin not allowed');
  });
});

describe('a change without a token', () => {
  const guard = new HostGuard('127.0.0.1', ['infold.example'], ['http://localhost:3000']);

  test.each([undefined, null, '', 'http://127.0.0.1:9090', 'http://localhost:3000'])(
    'may come from %j',
    (origin) => {
      expect(guard.changeRefusal('127.0.0.1:9090', origin)).toBeUndefined();
    },
  );

  test.each([
    'http://127.0.0.1:3000',
    'http://localhost:9090',
    'https://127.0.0.1:9090',
    'http://127.0.0.1',
    'http://localhost:3000/',
    'https://localhost:3000',
    'http://infold.example',
    'null',
  ])('may not come from a page of %s', (origin) => {
    verifies('KERN-11');
    expect(guard.changeRefusal('127.0.0.1:9090', origin)).toContain('Origin not allowed');
  });

  test('a port that goes without saying is the same origin', () => {
    expect(guard.changeRefusal('localhost:80', 'http://localhost')).toBeUndefined();
    expect(guard.changeRefusal('LOCALHOST', 'http://localhost')).toBeUndefined();
    expect(guard.changeRefusal(undefined, 'http://localhost')).toContain('Origin not allowed');
  });

  test('an allowed origin need not have a name that is ours', () => {
    const open = new HostGuard('127.0.0.1', [], ['https://pages.example']);
    expect(open.refusal('localhost', 'https://pages.example')).toBeUndefined();
    expect(open.refusal('localhost', 'https://pages.example:444')).toBe('Origin not allowed');
  });
});

test('what a browser sends for any page without asking', () => {
  const unasked = [
    '',
    undefined,
    null,
    'text/plain',
    'TEXT/Plain; charset=utf-8',
    'multipart/form-data; boundary=x',
  ];
  expect(unasked.map(isSentUnasked)).not.toContain(false);
  expect(
    ['application/json', 'Application/JSON; charset=utf-8', 'application/x-ndjson'].map(isSentUnasked),
  ).not.toContain(true);
});

describe('bound to the network', () => {
  const guard = new HostGuard('0.0.0.0');

  test('every address is ours, and the name of the machine', () => {
    for (const host of ['192.168.0.7:9090', '10.0.0.1', '[fe80::1]:9090', hostname(), 'localhost']) {
      expect(guard.refusal(host, undefined)).toBeUndefined();
    }
  });

  test('another name is not: it could be rebound', () => {
    expect(guard.refusal('evil.example', undefined)).toBe('Host not allowed');
    expect(guard.refusal('192.168.0.7', 'http://evil.example')).toBe('Origin not allowed');
  });

  test('the name that it was bound to is', () => {
    expect(new HostGuard('Server.Example').refusal('server.example:9090', undefined)).toBeUndefined();
  });
});

test('bound to another address of the loopback network, that address is ours', () => {
  expect(new HostGuard('127.0.0.2').refusal('127.0.0.2:9090', undefined)).toBeUndefined();
  expect(new HostGuard('127.0.0.2').refusal('127.0.0.3:9090', undefined)).toBe('Host not allowed');
});

test('loopback is what only this machine reaches', () => {
  expect(['127.0.0.1', '127.0.0.2', '127.255.0.1', 'localhost', '::1'].map(isLoopback)).not.toContain(false);
  expect(['0.0.0.0', '::', '10.0.0.1', 'example.org', '127.evil.example', ''].map(isLoopback)).not.toContain(
    true,
  );
});

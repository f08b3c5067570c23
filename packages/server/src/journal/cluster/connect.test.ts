import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { nkeys } from '@nats-io/transport-node';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findProgram } from '../../../../../test/support/installed.ts';
import { NEEDS_NATS, natsServer, startNats, type TestNats } from '../../../../../test/support/nats.ts';
import { messageOf } from '../../kernel/errors.ts';
import { type NatsConfig, natsDefaults } from '../../kernel/nats-config.ts';
import { errorOf, temporaryFolder } from '../../testing/fixtures.suite.ts';
import { connectToNats } from './connect.ts';

const PASSWORD = ['4222', 'pass', 'word'].join('-');
const soon = { timeout: 30_000, interval: 50 };
const openSsl = await findProgram(['openssl'], 'openssl');
const NOBODY = 'nats://127.0.0.1:9';
const settings = (given: Partial<NatsConfig>): NatsConfig => ({ ...natsDefaults(), ...given });
const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** Whether the server takes requests from who connects so. */
async function connects(given: Partial<NatsConfig>): Promise<boolean> {
  const connection = await connectToNats(settings(given), { name: 'test' });
  open.push(() => connection.close());
  return (await connection.rtt()) >= 0;
}

function fileWith(content: string | Uint8Array): string {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, content);
  return path;
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

describe.skipIf(natsServer === undefined)(`a connection to NATS ${NEEDS_NATS}`, () => {
  describe('to a server that knows users', () => {
    const user = nkeys.createUser();
    let nats: TestNats;
    beforeAll(async () => {
      nats = await startNats({
        config: `authorization { users: [{ user: ada, password: "${PASSWORD}" }, { nkey: ${user.getPublicKey()} }] }`,
      });
    });
    afterAll(() => nats.stop());
    const named = (userInfo: string) => nats.url.replace('://', `://${userInfo}@`);

    test('is made with a user and password that stand in the address', async () => {
      expect(await connects({ url: named(`ada:${encodeURIComponent(PASSWORD)}`) })).toBe(true);
    });

    test('is made with the NKey whose seed a file holds', async () => {
      expect(await connects({ url: nats.url, nkey: fileWith(`${text(user.getSeed())}\n`) })).toBe(true);
    });

    test('passes over servers that do not answer', async () => {
      expect(await connects({ url: `${NOBODY},${named(`ada:${PASSWORD}`)}` })).toBe(true);
    });

    test('is refused to others, with what to check, and never with the password', async () => {
      const wrong = `not-${PASSWORD}`;
      const stranger = text(nkeys.createUser().getSeed());
      const refusals = [
        await errorOf(() => connects({ url: named(`ada:${wrong}`) })),
        await errorOf(() => connects({ url: nats.url, nkey: fileWith(stranger) })),
        await errorOf(() => connects({ url: nats.url })),
      ];
      for (const refusal of refusals) {
        expect(refusal).toMatchObject({ code: 'forbidden', retryable: false });
        expect(refusal.message).toContain(nats.url.slice('nats://'.length));
        expect(`${refusal.message} ${messageOf(refusal.cause)}`).not.toContain(PASSWORD);
      }
      expect(refusals.map(({ message }) => message)).toEqual([
        expect.stringContaining('check the user and password in nats.url'),
        expect.stringContaining('check that the server knows the key of'),
        expect.stringContaining('set nats.creds or nats.nkey'),
      ]);
    });

    test('comes back after the server was away, with a seed that was replaced meanwhile', async () => {
      const file = fileWith(text(user.getSeed()));
      const connection = await connectToNats(settings({ url: nats.url, nkey: file }), { name: 'test' });
      open.push(() => connection.close());
      let refused = 0;
      void (async () => {
        for await (const { type } of connection.status()) if (type === 'error') refused++;
      })();
      const isBack = async () => {
        const answer = connection.rtt().then(Boolean, () => false);
        return Promise.race([answer, wait(500, false)]);
      };
      writeFileSync(file, text(nkeys.createUser().getSeed()));
      await nats.servers[0]!.restart();
      await expect.poll(() => refused, soon).toBeGreaterThan(0);
      expect(await isBack()).toBe(false);
      expect(connection.isClosed()).toBe(false);
      rmSync(file);
      await wait(600);
      writeFileSync(file, text(user.getSeed()));
      await expect.poll(isBack, soon).toBe(true);
    }, 60_000);
  });

  test('is made with the credentials that a file holds, a JWT and its seed', async () => {
    const operator = nkeys.createOperator();
    const account = nkeys.createAccount();
    const user = nkeys.createUser();
    const system = nkeys.createAccount();
    const limits = { conn: -1, leaf: -1, imports: -1, exports: -1, subs: -1, data: -1, payload: -1 };
    const known = [account, system].map((one) => {
      const token = signed(operator, one, { type: 'account', limits: { ...limits, wildcards: true } });
      return `${one.getPublicKey()}: ${token}`;
    });
    const config = `operator: ${signed(operator, operator, { type: 'operator' })}
system_account: ${system.getPublicKey()}
resolver: MEMORY
resolver_preload { ${known.join('\n')} }`;
    const userToken = signed(account, user, { type: 'user', subs: -1, data: -1, payload: -1 });
    const creds = fileWith(
      `${block('NATS USER JWT', userToken)}\n${block('USER NKEY SEED', text(user.getSeed()))}`,
    );
    const nats = await startNats({ config });
    open.push(() => nats.stop());
    expect(await connects({ url: nats.url, creds })).toBe(true);
    const stranger = signed(nkeys.createAccount(), user, { type: 'user', subs: -1, data: -1, payload: -1 });
    const others = fileWith(
      `${block('NATS USER JWT', stranger)}\n${block('USER NKEY SEED', text(user.getSeed()))}`,
    );
    const refusal = await errorOf(() => connects({ url: nats.url, creds: others }));
    expect(refusal).toMatchObject({ code: 'forbidden', message: expect.stringContaining(others) });
    expect(refusal.message).not.toContain(stranger);
  });

  test.skipIf(openSsl === undefined)(
    'is encrypted, to a server whose certificate is known, with a certificate of its own (needs openssl)',
    async () => {
      const made = certificates();
      const nats = await startNats({
        config: `tls { cert_file: "${made.server.cert}", key_file: "${made.server.key}", ca_file: "${made.ca}", verify: true }`,
      });
      open.push(() => nats.stop());
      const { cert, key } = made.client;
      expect(await connects({ url: nats.url, tls: { ca: made.ca, cert, key } })).toBe(true);
      const unknown = await errorOf(() => connects({ url: nats.url.replace('nats:', 'tls:') }));
      expect(unknown).toMatchObject({ code: 'unavailable', message: expect.stringContaining('nats.tls') });
      const anonymous = await errorOf(() => connects({ url: nats.url, tls: { ca: made.ca } }));
      expect(anonymous.code).toBe('unavailable');
    },
    60_000,
  );

  test('that must be encrypted is not made without', async () => {
    const nats = await startNats();
    open.push(() => nats.stop());
    const refusal = await errorOf(() => connects({ url: nats.url.replace('nats:', 'tls:') }));
    expect(refusal).toMatchObject({ code: 'unavailable', message: expect.stringContaining('nats.tls') });
  });
});

test('where nothing answers, the addresses are named without who would have connected', async () => {
  const refusal = await errorOf(() => connects({ url: `nats://ada:${PASSWORD}@127.0.0.1:9,${NOBODY}` }));
  expect(refusal).toMatchObject({ code: 'unavailable', retryable: true });
  expect(refusal.message).toContain('nats://***@127.0.0.1:9,nats://127.0.0.1:9');
});

test('files that cannot be used are named, and nothing of what they hold', async () => {
  const half = text(nkeys.createUser().getSeed()).slice(0, 30);
  for (const key of ['creds', 'nkey'] as const) {
    const path = fileWith(half);
    const useless = await errorOf(() => connects({ url: NOBODY, [key]: path }));
    expect(useless).toMatchObject({ code: 'invalid_arguments', message: expect.stringContaining(path) });
    expect(useless.message).not.toContain(half);
    const missing = await errorOf(() => connects({ url: NOBODY, [key]: `${path}-gone` }));
    expect(missing.message).toMatch(new RegExp(`nats\\.${key}.*-gone`));
  }
  const missing = await errorOf(() => connects({ url: NOBODY, tls: { ca: '/nowhere/ca.pem' } }));
  expect(missing).toMatchObject({
    code: 'invalid_arguments',
    message: expect.stringContaining('nats.tls.ca'),
  });
});

type Keys = ReturnType<typeof nkeys.createUser>;

function signed(issuer: Keys, subject: Keys, claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const [iss, sub] = [issuer.getPublicKey(), subject.getPublicKey()];
  const body = { jti: sub, iat: Math.floor(Date.now() / 1000), iss, sub, name: 'test' };
  const content = `${part({ typ: 'JWT', alg: 'ed25519-nkey' })}.${part({ ...body, nats: { version: 2, ...claims } })}`;
  return `${content}.${Buffer.from(issuer.sign(new TextEncoder().encode(content))).toString('base64url')}`;
}

function block(title: string, content: string): string {
  return `-----BEGIN ${title}-----\n${content}\n------END ${title}------\n`;
}

interface Certificate {
  cert: string;
  key: string;
}

/** Those of a server and of a client, signed by an authority of their own. */
function certificates(): { ca: string; server: Certificate; client: Certificate } {
  const folder = temporaryFolder();
  const openssl = (...words: string[]) => execFileSync(openSsl!, words, { cwd: folder, stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...key,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-subj',
    '/CN=authority',
    '-days',
    '2',
  );
  writeFileSync(join(folder, 'names'), 'subjectAltName=IP:127.0.0.1,DNS:localhost\n');
  const certificate = (name: string): Certificate => {
    openssl('req', ...key, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    openssl(
      ...['x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'],
      ...['-out', `${name}.pem`, '-days', '2', '-extfile', 'names'],
    );
    return { cert: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) };
  };
  return { ca: join(folder, 'ca.pem'), server: certificate('server'), client: certificate('client') };
}

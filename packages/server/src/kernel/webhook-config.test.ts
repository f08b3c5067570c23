import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configView } from '../system/actions/read-config.ts';
import { temporaryFolder } from '../testing/fixtures.suite.ts';
import { type Flags, loadConfig } from './config.ts';
import { messageOf } from './errors.ts';
import { maskedUrl, secretVariable, webhookSecret } from './webhook-config.ts';

const secret = ['fake', 'and', 'long', 'enough'].join('-');
const url = 'https://hooks.example/in';

const load = (webhooks: unknown, environment: NodeJS.ProcessEnv = {}) =>
  loadConfig({ webhooks: webhooks as Flags['webhooks'] }, environment);
const only = (webhook: object, environment?: NodeJS.ProcessEnv) =>
  load([{ url, ...webhook }], environment).config.webhooks[0]!;

describe('webhooks in the configuration', () => {
  test('are named after their host, hear everything, and tell no comments, unless it is said otherwise', () => {
    expect(only({ secret })).toMatchObject({
      ...{ name: 'hooks.example', secret, projects: undefined, comments: false },
      events: expect.arrayContaining(['draft.submitted', 'review.approved', 'publication.meta_prompt']),
    });
    expect(only({ secret, events: ['review.*', 'draft.submitted'] }).events).toEqual([
      ...['draft.submitted', 'review.approved', 'review.declined', 'review.commented'],
    ]);
  });

  test('stay the same webhook at another address and with another secret', () => {
    const { id } = only({ name: 'ci', secret });
    expect(only({ name: 'ci', url: 'https://other.example', secret: `${secret}!` }).id).toBe(id);
    expect(only({ name: 'chat', secret }).id).not.toBe(id);
  });

  test('have their secret from the environment, else from the configuration, else from a file that is read each time', () => {
    const file = join(temporaryFolder(), 'secret');
    writeFileSync(file, `${secret} of a file\n`);
    expect(secretVariable('my-ci')).toBe('INFOLD_WEBHOOKS_MY_CI_SECRET');
    const variable = { INFOLD_WEBHOOKS_MY_CI_SECRET: `${secret} of the environment` };
    const all = { name: 'my-ci', secret, secretFile: file };
    expect(webhookSecret(only(all, variable))).toBe(`${secret} of the environment`);
    expect(webhookSecret(only(all))).toBe(secret);
    const ofFile = only({ secretFile: file });
    expect(webhookSecret(ofFile)).toBe(`${secret} of a file`);
    writeFileSync(file, `${secret} later`);
    expect(webhookSecret(ofFile)).toBe(`${secret} later`);
    writeFileSync(file, 'short');
    expect(() => webhookSecret(ofFile)).toThrow(/fewer than 16/);
    expect(() => webhookSecret(only({ name: 'ci' }))).toThrow(/INFOLD_WEBHOOKS_CI_SECRET/);
    expect(() => webhookSecret(only({ secretFile: '/nowhere' }))).toThrow(/cannot be read from \/nowhere/);
  });

  test('name their file beside the configuration', () => {
    const folder = temporaryFolder();
    const config = join(folder, 'infold.config.json');
    writeFileSync(config, JSON.stringify({ webhooks: [{ url, secretFile: 'keys/ci' }] }));
    const [webhook] = loadConfig({ config }, {}).config.webhooks;
    expect(webhook!.secretFile).toBe(join(folder, 'keys/ci'));
  });

  test('are shown without what opens anything', () => {
    const report = load([{ url: 'https://hooks.example/T0/abc?key=xyz', secret, name: 'ci' }]);
    const shown = JSON.stringify(configView(report).values.webhooks);
    expect(shown).toContain('https://hooks.example/***');
    for (const part of [secret, 'abc', 'xyz']) expect(shown).not.toContain(part);
    expect(maskedUrl('https://hooks.example/')).toBe('https://hooks.example');
  });

  test.each<[string, object, RegExp]>([
    ['another protocol', { url: 'ftp://hooks.example' }, /webhooks\.0\.url.*https:\/\/host/],
    ['a user', { url: `https://me:${secret}@hooks.example` }, /webhooks\.0\.url/],
    ['a metadata service', { url: 'http://169.254.169.254/latest' }, /metadata services/],
    ['one in disguise', { url: 'http://2852039166/' }, /metadata services/],
    ['one over IPv6', { url: 'http://[::ffff:a9fe:a9fe]/' }, /metadata services/],
    ['a short secret', { secret: 'hunter' }, /webhooks\.0\.secret.*at least 16/],
    ['an unknown event', { secret, events: ['draft.eaten'] }, /webhooks\.0\.events\.0/],
    ['no event', { secret, events: [] }, /at least one event/],
    ['an unknown key', { secret, method: 'PUT' }, /method/],
    ['a name with spaces', { secret, name: 'my ci' }, /webhooks\.0\.name/],
  ])('are refused with %s, and the refusal repeats no value', (_what, webhook, message) => {
    let told = '';
    try {
      only(webhook);
    } catch (error) {
      told = messageOf(error);
    }
    expect(told).toMatch(message);
    for (const part of [secret, 'hunter']) expect(told).not.toContain(part);
  });

  test('of one name are refused', () => {
    expect(() =>
      load([
        { url, secret },
        { url: `${url}/2`, secret },
      ]),
    ).toThrow(/webhooks\.1\.name.*give each a name/);
  });
});

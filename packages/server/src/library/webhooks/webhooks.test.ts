import type { lookup } from 'node:dns';
import { describe, expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { receiverSecret, TestReceiver } from '../../../../../test/support/receiver.ts';
import { callsOf } from '../../cli/services/calls.ts';
import { type Flags, loadConfig } from '../../kernel/config.ts';
import type { WebhookConfig } from '../../kernel/webhook-config.ts';
import { HOUR, temporaryFolder } from '../../testing/fixtures.suite.ts';
import { type Caller, localOwner, ownerIn } from '../../trust/identity/caller.ts';
import { ensureProject, resolveProject } from '../../trust/identity/projects.ts';
import { PATIENCE } from '../commands/webhooks.ts';
import { STYLE, startServer, type TestServer } from '../fixture.suite.ts';
import { listWebhooks, retryWebhook } from './actions.ts';
import { send } from './send.ts';
import { Webhooks } from './webhooks.ts';

type Given = Partial<NonNullable<Flags['webhooks']>[number]>;

const configured = (...webhooks: Given[]): WebhookConfig[] =>
  loadConfig(
    {
      webhooks: webhooks.map((webhook) => ({
        url: 'https://hooks.example',
        secret: receiverSecret(),
        ...webhook,
      })),
    },
    {},
  ).config.webhooks;

const quiet = { warn: () => {}, info: () => {} };

/** A server whose configuration names these; what was published before is not for them. */
async function serverWith(...webhooks: WebhookConfig[]) {
  const server = await startServer({ 'coding/STYLE.md': STYLE }, { webhooks, data: temporaryFolder() });
  const { parts } = server.services;
  await parts.webhooks.configure({ ends: true });
  onTestFinished(() => parts.webhooks.close());
  return { ...server, webhooks: parts.webhooks };
}

/** Another start of the server, with another configuration. */
async function startedWith({ services }: TestServer, webhooks: WebhookConfig[]) {
  const { journal, clock, config } = services;
  const again = new Webhooks({ journal, clock, log: quiet, config: { ...config, webhooks } });
  await again.configure({ ends: true });
  onTestFinished(() => again.close());
  return again;
}

const rita = ownerIn('local', 'rita');

async function review({ library, project }: TestServer): Promise<void> {
  const create = (path: string) =>
    library.stage(localOwner, project, { resource: 'rule', op: { create: { path, body: STYLE } } });
  const update = (id: string, body: string) =>
    library.stage(localOwner, project, { resource: 'rule', op: { update: { id, body } } });
  const { draft_id } = await create('one/A.md');
  await update('one/A.md', `${STYLE}more\n`);
  await library.submit(localOwner, draft_id);
  await library.comment(rita, draft_id, 'Is the plover meant?');
  await update('one/A.md', `${STYLE}plover\n`);
  await library.submit(localOwner, draft_id);
  await library.decide(rita, draft_id, 'approve', 'Plover it is');
  await library.publish(rita, [draft_id]);
  const declined = await create('one/B.md');
  await library.submit(localOwner, declined.draft_id);
  await library.decide(rita, declined.draft_id, 'decline', 'Not this');
  const withdrawn = await create('one/C.md');
  await library.submit(localOwner, withdrawn.draft_id);
  await library.discard(localOwner, withdrawn.draft_id);
  const private_ = await create('one/D.md');
  await library.discard(localOwner, private_.draft_id);
}

const EVENTS = [
  ...['draft.submitted', 'review.commented', 'draft.changed', 'draft.submitted', 'review.approved'],
  ...['publication.published', 'draft.submitted', 'review.declined', 'draft.submitted', 'draft.withdrawn'],
];

describe('a webhook', () => {
  test('is told of drafts, reviews and publications, signed, in order, once, and of nothing before it', async () => {
    verifies('LIB-18');
    const receiver = await TestReceiver.start();
    const server = await serverWith(...configured({ url: receiver.url, name: 'ci' }));
    server.webhooks.start();
    await review(server);
    await server.publish({ 'META_PROMPT.md': '# Ours\n', 'coding/MORE.md': STYLE });
    const all = [...EVENTS, 'publication.meta_prompt', 'publication.published'];
    await expect.poll(() => receiver.events).toEqual(all);
    expect(receiver.received).toHaveLength(all.length);
    expect(receiver.received.every(({ signed }) => signed)).toBe(true);
    const [first] = receiver.received;
    expect(first!.payload).toMatchObject({
      ...{ id: first!.id, event: 'draft.submitted', webhook: 'ci', org: 'local', principal: 'owner' },
      project: { name: 'alice' },
      draft: { path: 'one/A.md', op: 'create', principal: 'owner' },
      link: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/library\/drafts\?project=\S+&draft=draft_/),
    });
    const published = receiver.received.filter(({ payload }) => payload.publication);
    expect(published.map(({ payload }) => payload.publication!.changes.map(({ path }) => path))).toEqual([
      ...[['one/A.md'], ['META_PROMPT.md'], ['coding/MORE.md']],
    ]);
    const told = receiver.received.map(({ body }) => body).join();
    for (const text of ['plover', 'Plover', 'whole words', 'Not this']) expect(told).not.toContain(text);
    await expect
      .poll(() => server.webhooks.list())
      .toMatchObject([{ state: 'ready', waiting: 0, delivered: 12 }]);
    expect((await server.services.journal.verifyTables()).different).toEqual([]);
  });

  test('hears comments, other events and other projects only where it is configured so', async () => {
    const receiver = await TestReceiver.start();
    const other = await TestReceiver.start();
    const server = await serverWith(
      ...configured(
        { url: receiver.url, name: 'ci', events: ['review.*'], comments: true },
        { url: other.url, name: 'other', projects: ['elsewhere'], events: ['publication.*'] },
      ),
    );
    server.webhooks.start();
    await review(server);
    await expect
      .poll(() => receiver.events)
      .toEqual(['review.commented', 'review.approved', 'review.declined']);
    const comments = receiver.taken.map(({ payload }) => (payload.review as { comment: string }).comment);
    expect(comments).toEqual(['Is the plover meant?', 'Plover it is', 'Not this']);
    // The project gets its name after the webhook was configured.
    const { journal } = server.services;
    const known = resolveProject(journal.database, localOwner, '/srv/elsewhere');
    const elsewhere = await ensureProject(journal, localOwner, known);
    await server.library.publishChanges(localOwner, elsewhere, 'import', () => [
      {
        ...{ op: 'create', file_id: 'p-1', kind: 'rule', path: 'X.md', previous_path: null, group: null },
        ...{ hash: `sha256:${'0'.repeat(64)}`, description: null, text: '# X\n' },
      },
    ]);
    await expect.poll(() => other.taken.map(({ payload }) => payload.project.name)).toEqual(['elsewhere']);
  });

  test('that is down keeps nobody else waiting, and gets everything in order when it is back', async () => {
    verifies('LIB-18');
    const receiver = await TestReceiver.start();
    const other = await TestReceiver.start();
    const server = await serverWith(
      ...configured({ url: receiver.url, name: 'ci' }, { url: other.url, name: 'other' }),
    );
    await receiver.close();
    server.webhooks.start();
    await review(server);
    await expect.poll(() => other.events).toEqual(EVENTS);
    const [ci] = server.webhooks.list();
    expect(ci).toMatchObject({
      state: 'failing',
      waiting: EVENTS.length,
      problem: expect.stringContaining('reached'),
    });
    await receiver.open();
    // Its pauses are by the clock of the test, which stands still.
    server.clock.advance(2 * HOUR);
    await callsOf(server.services, localOwner)(retryWebhook, { webhook: 'ci' });
    await expect.poll(() => receiver.events).toEqual(EVENTS);
  });

  test('is given up after three days, says so, and is told again under the same ids when that is asked for', async () => {
    verifies('LIB-18');
    const receiver = await TestReceiver.start();
    const server = await serverWith(...configured({ url: receiver.url, name: 'ci' }));
    receiver.answers = () => ({ status: 500 });
    server.webhooks.start();
    await review(server);
    const status = () => server.webhooks.list()[0]!;
    await expect.poll(() => status().failures).toBe(1);
    server.clock.advance(PATIENCE + HOUR);
    await server.publish({ 'late/L.md': STYLE });
    await expect.poll(status).toMatchObject({ given_up: EVENTS.length, waiting: 1, state: 'failing' });
    const sent = receiver.received[0]!.id;
    expect(status().failed.map(({ id }) => id)).toContain(sent);
    receiver.answers = () => ({});
    const call = callsOf(server.services, localOwner);
    await expect(call(retryWebhook, { webhook: 'ci', delivery: 'dlv_none' })).rejects.toMatchObject({
      code: 'not_found',
    });
    await call(retryWebhook, { webhook: 'ci', delivery: sent });
    await expect.poll(() => receiver.events).toEqual(['draft.submitted', 'publication.published']);
    expect(await call(retryWebhook, { webhook: 'ci' })).toMatchObject({ retried: EVENTS.length - 1 });
    await expect.poll(() => receiver.taken.length).toBe(EVENTS.length + 1);
    expect(receiver.taken[0]!.id).toBe(sent);
    expect((await server.services.journal.verifyTables()).different).toEqual([]);
  });

  test('that was taken out of the configuration hears nothing of what happened meanwhile', async () => {
    const receiver = await TestReceiver.start();
    const webhooks = configured({ url: receiver.url, name: 'ci' });
    const server = await serverWith(...webhooks);
    await server.publish({ 'a/BEFORE.md': STYLE });
    await startedWith(server, []);
    await server.publish({ 'a/MEANWHILE.md': STYLE });
    const again = await startedWith(server, webhooks);
    again.start();
    await server.publish({ 'a/AFTER.md': STYLE });
    await expect.poll(() => receiver.taken.length).toBe(1);
    expect(receiver.taken[0]!.payload.publication!.changes).toMatchObject([{ path: 'a/AFTER.md' }]);
  });

  test('that is for more than before hears nothing that was not for it when it happened', async () => {
    const receiver = await TestReceiver.start();
    const of = (more: Given) => configured({ url: receiver.url, name: 'ci', ...more });
    const server = await serverWith(...of({ projects: ['elsewhere'] }));
    await server.publish({ 'a/BEFORE.md': STYLE });
    const again = await startedWith(server, of({}));
    again.start();
    await server.publish({ 'a/AFTER.md': STYLE });
    await expect.poll(() => receiver.taken.length).toBe(1);
    expect(receiver.taken[0]!.payload.publication!.changes).toMatchObject([{ path: 'a/AFTER.md' }]);
  });

  test('is sent to by one process of a data folder', async () => {
    const receiver = await TestReceiver.start();
    const webhooks = configured({ url: receiver.url, name: 'ci' });
    const server = await serverWith(...webhooks);
    const second = await startedWith(server, webhooks);
    server.webhooks.start();
    second.start();
    await review(server);
    await expect.poll(() => receiver.events).toEqual(EVENTS);
    expect(receiver.received).toHaveLength(EVENTS.length);
    await server.webhooks.close();
    await server.publish({ 'a/LATER.md': STYLE });
    // The other one takes over.
    await expect.poll(() => receiver.taken.length, { timeout: 30_000 }).toBe(EVENTS.length + 1);
  });

  test('is left to a process that has its secret by one that has not', async () => {
    const receiver = await TestReceiver.start();
    const of = (secret: string | undefined) => configured({ url: receiver.url, name: 'ci', secret });
    const server = await serverWith(...of(undefined));
    server.webhooks.start();
    const able = await startedWith(server, of(receiverSecret()));
    able.start();
    await server.publish({ 'a/LATER.md': STYLE });
    await expect.poll(() => receiver.events).toEqual(['publication.published']);
    expect(able.list()).toMatchObject([{ failures: 0 }]);
  });

  test('is seen by who runs the server alone', async () => {
    const server = await serverWith(...configured({ name: 'ci' }));
    const as = (more: Partial<Caller>) => callsOf(server.services, { ...localOwner, ...more });
    const { webhooks } = await as({ principal: 'admin' })(listWebhooks, {});
    expect(webhooks).toMatchObject([{ name: 'ci', url: 'https://hooks.example' }]);
    expect(await as({ org: 'other' })(listWebhooks, {})).toEqual({ webhooks: [] });
    expect(await as({ projects: ['p'] })(listWebhooks, {})).toEqual({ webhooks: [] });
    await expect(as({ org: 'other' })(retryWebhook, { webhook: 'ci' })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(as({ scopes: ['read'] })(listWebhooks, {})).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('what is sent', () => {
  const signal = new AbortController().signal;
  const sent = { id: 'dlv_1', event: 'ping', payload: {} };

  test('does not follow a redirect, waits only so long, and does as it is asked to wait', async () => {
    const receiver = await TestReceiver.start();
    const elsewhere = await TestReceiver.start();
    const [webhook] = configured({ url: receiver.url });
    const now = Date.now();
    const answered = (answers: ReturnType<TestReceiver['answers']>, patience?: number) => {
      receiver.answers = () => answers;
      return send(webhook!, sent, { now, signal, ...(patience !== undefined && { patience }) });
    };
    expect(await answered({ status: 307, headers: { location: elsewhere.url } })).toEqual({
      ...{ status: 307, problem: 'the receiver answered 307, and redirects are not followed' },
    });
    expect(elsewhere.received).toEqual([]);
    expect(await answered({ silent: true }, 300)).toEqual({
      status: null,
      problem: 'no answer within 0.3 seconds',
    });
    expect(await answered({ status: 503, headers: { 'retry-after': '7' } })).toMatchObject({
      retryAfter: 7000,
    });
    const date = new Date(now + 60_000).toUTCString();
    const { retryAfter } = await answered({ status: 429, headers: { 'retry-after': date } });
    expect(retryAfter).toBeGreaterThan(58_000);
    expect(await answered({ status: 503, headers: { 'retry-after': 'soon' } })).not.toHaveProperty(
      'retryAfter',
    );
    expect(await answered({ status: 201 })).toEqual({ status: 201, problem: null });
  });

  test('goes nowhere without a secret, nor where a name leads to a forbidden address', async () => {
    const [unsigned] = configured({ secret: undefined, name: 'ci' });
    expect((await send(unsigned!, sent, { now: 0, signal })).problem).toContain('INFOLD_WEBHOOKS_CI_SECRET');
    const receiver = await TestReceiver.start();
    const [named] = configured({ url: receiver.url.replace('127.0.0.1', 'hooks.example') });
    const leadingTo = (address: string) =>
      send(named!, sent, {
        ...{ now: 0, signal },
        resolver: ((_host: string, _options: object, callback: (...found: unknown[]) => void) =>
          callback(null, [{ address, family: 4 }])) as unknown as typeof lookup,
      });
    expect((await leadingTo('127.0.0.1')).problem).toBeNull();
    expect((await leadingTo('169.254.169.254')).problem).toContain('metadata');
    expect(receiver.received).toHaveLength(1);
  });
});

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WebhookStatus } from '@infold/protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { receiverSecret, TestReceiver } from '../../support/receiver.ts';
import { run, type Server, startServer, temporaryFolder } from '../support/program.ts';

const STYLE = '# Style\n\n## Naming\n\n- Whole words\n';

/** Everything that a person does, against one data folder with one configuration. */
class Team {
  readonly data = temporaryFolder();
  readonly receiver: TestReceiver;
  readonly #config = join(temporaryFolder(), 'infold.config.json');
  readonly #env = { INFOLD_WEBHOOKS_CI_SECRET: receiverSecret() };
  #server: Server | undefined;

  constructor(receiver: TestReceiver) {
    this.receiver = receiver;
    this.configure([{ name: 'ci', url: receiver.url }]);
  }

  configure(webhooks: object[]): void {
    writeFileSync(this.#config, JSON.stringify({ webhooks }));
  }

  get server(): Server {
    return this.#server!;
  }

  async start(): Promise<void> {
    this.#server = await startServer({ data: this.data, args: ['--config', this.#config], env: this.#env });
  }

  run(...args: string[]) {
    return run(['--data', this.data, '--config', this.#config, ...args], { env: this.#env });
  }

  async json<Answer>(...args: string[]): Promise<Answer> {
    const { code, stdout, stderr } = await this.run('--json', ...args);
    if (code !== 0) throw new Error(`infold ${args.join(' ')} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout) as Answer;
  }

  async status(): Promise<WebhookStatus> {
    return (await this.json<{ webhooks: WebhookStatus[] }>('webhook', 'list')).webhooks[0]!;
  }

  async post<Answer>(path: string, body: object = {}): Promise<Answer> {
    const response = await fetch(`${this.server.url}/api/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return (await response.json()) as Answer;
  }

  /** A draft that is ready to be reviewed. */
  async submit(path: string): Promise<string> {
    const { draft } = await this.post<{ draft: { id: string } }>('library/drafts', {
      ...{ project: '/srv/shop', resource: 'rule', op: { create: { path, body: STYLE } } },
    });
    await this.post(`library/drafts/${draft.id}/submit`);
    return draft.id;
  }
}

describe('webhooks of a server', () => {
  let team: Team;
  let receiver: TestReceiver;
  beforeAll(async () => {
    receiver = await TestReceiver.start();
    team = new Team(receiver);
    const rules = temporaryFolder();
    mkdirSync(join(rules, 'coding'));
    writeFileSync(join(rules, 'coding', 'STYLE.md'), STYLE);
    await team.json('library', 'import', rules, '--publish', '--project', '/srv/shop');
    await team.start();
  });

  test('tell of a draft, its review and its publication, whichever process it happens in', async () => {
    verifies('LIB-18');
    const id = await team.submit('coding/NEW.md');
    await team.post(`library/drafts/${id}/comment`, { text: 'Which sandpiper?' });
    await team.post(`library/drafts/${id}/approve`, { note: 'The common one' });
    await team.json('library', 'publish', id, '--project', '/srv/shop');
    await expect
      .poll(() => receiver.events)
      .toEqual(['draft.submitted', 'review.commented', 'review.approved', 'publication.published']);
    expect(receiver.taken.every(({ signed }) => signed)).toBe(true);
    expect(receiver.taken.at(-1)!.payload.publication).toMatchObject({ source: 'draft', revision: 2 });
    const link = receiver.taken[0]!.payload.link as string;
    expect(new URL(link).searchParams.get('draft')).toBe(id);
    expect(await team.status()).toMatchObject({ state: 'ready', waiting: 0, delivered: 4, given_up: 0 });
    const metrics = await (await fetch(`${team.server.url}/metrics`)).text();
    expect(metrics).toContain('infold_webhook_deliveries_total{webhook="ci",outcome="delivered"} 4');
    expect(metrics).toContain('infold_webhook_waiting{webhook="ci"} 0');
  });

  test('wait for a receiver that is down, answers with errors, is silent or points elsewhere, over a restart', async () => {
    verifies('LIB-18');
    const before = receiver.taken.length;
    await receiver.close();
    const first = await team.submit('coding/WAITING.md');
    await expect.poll(async () => (await team.status()).problem).toContain('cannot be reached');
    await receiver.open();
    const trouble = [{ status: 500 }, { status: 302, headers: { location: 'http://127.0.0.1:1/' } }];
    for (const answer of trouble) {
      receiver.answers = () => answer;
      const seen = receiver.received.length;
      expect((await team.run('webhook', 'retry', 'ci')).code).toBe(0);
      // The server may try again by itself meanwhile.
      await expect.poll(() => receiver.received.length).toBeGreaterThan(seen);
      await expect.poll(async () => (await team.status()).problem).toContain(`answered ${answer.status}`);
    }
    // It is on its way when the server is stopped.
    receiver.answers = () => ({ silent: true });
    const seen = receiver.received.length;
    await team.json('webhook', 'retry', 'ci');
    await expect.poll(() => receiver.received.length).toBeGreaterThan(seen);
    const second = await team.submit('coding/BEHIND.md');
    expect((await team.server.stop()).code).toBe(0);
    receiver.answers = () => ({});
    await team.start();
    await expect
      .poll(() => receiver.taken.slice(before).map(({ payload }) => payload.draft?.id))
      .toEqual([first, second]);
    const ids = receiver.received.filter(({ payload }) => payload.draft?.id === first).map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(3);
    expect(new Set(ids).size).toBe(1);
    await expect.poll(async () => (await team.status()).waiting).toBe(0);
  });

  test('are tested by a ping, and show nobody what they are signed with', async () => {
    receiver.answers = () => ({});
    const pinged = await team.json<{ ok: boolean; delivery: string }>('webhook', 'test', 'ci');
    expect(pinged.ok).toBe(true);
    expect(receiver.received.at(-1)).toMatchObject({ id: pinged.delivery, event: 'ping', signed: true });
    receiver.answers = () => ({ status: 500 });
    expect(await team.run('webhook', 'test', 'ci')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('answered 500'),
    });
    receiver.answers = () => ({});
    expect((await team.run('webhook', 'test', 'other')).stderr).toContain('there are ci');
    const said = [team.server.stderr()];
    for (const command of ['config', 'doctor', 'webhook list', 'webhook list --json', 'config --json']) {
      const { stdout, stderr } = await team.run(...command.split(' '));
      said.push(stdout, stderr);
    }
    // Everything up to the last delivery.
    const { delivered } = await team.status();
    const events = await fetch(`${team.server.url}/api/events?since=0`, {
      signal: AbortSignal.timeout(60_000),
    });
    const decoder = new TextDecoder();
    let told = '';
    for await (const chunk of events.body!) {
      told += decoder.decode(chunk, { stream: true });
      if (told.split('webhook.delivered').length > delivered) break;
    }
    expect(delivered).toBeGreaterThan(4);
    for (const text of [...said, told]) {
      expect(text).not.toContain(receiverSecret());
      expect(text).not.toContain('/hook');
    }
  });

  test('keep a server from starting that could not sign, and are told apart from it by doctor', async () => {
    await team.server.stop();
    team.configure([
      { name: 'ci', url: receiver.url },
      { name: 'plain', url: 'http://hooks.example/' },
    ]);
    await expect(team.start()).rejects.toThrow(
      /"plain" cannot be used: it has no secret: set INFOLD_WEBHOOKS_PLAIN_SECRET/,
    );
    const { checks } = JSON.parse((await team.run('--json', 'doctor')).stdout) as {
      checks: { name: string; state: string; advice?: string }[];
    };
    const check = (name: string) => checks.find((one) => one.name === name);
    expect(check('webhook ci')).toMatchObject({ state: 'ok' });
    expect(check('webhook plain')).toMatchObject({
      state: 'warning',
      advice: expect.stringMatching(/no secret.*unencrypted/s),
    });
    team.configure([{ url: 'http://169.254.169.254/', secret: receiverSecret() }]);
    expect(await team.run('webhook', 'list')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('metadata services'),
    });
  });
});

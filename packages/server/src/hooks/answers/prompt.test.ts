import { dirname } from 'node:path';
import { injected } from '@infold/protocol';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createServices } from '../../cli/services/create.ts';
import { PROJECTIONS } from '../../cli/services/projections.ts';
import type { Services } from '../../cli/services/services.ts';
import { SqliteJournal } from '../../journal/sqlite.ts';
import { countTokens } from '../../kernel/tokens/count.ts';
import { STYLE } from '../../library/fixture.suite.ts';
import { HOUR } from '../../testing/fixtures.suite.ts';
import { FOLDER, HookHost, startHost } from '../fixture.suite.ts';

const KNOWN = {
  retries: 'The payment gateway answers 429 under load: retry with exponential backoff, at most five times',
  migrations: 'Database migrations run in a transaction and must be reversible',
  colours: 'The brand colours are teal and sand; buttons never use red',
  timeouts:
    'ERR_SOCKET_TIMEOUT in the exporter came from a proxy that closed idle connections after 60 seconds',
  releases: 'Releases are cut on Thursdays from the main branch by the release manager',
  tests: 'Integration tests need the fake clock, otherwise the scheduler test is flaky',
  cache: 'The search index is cached per tenant and rebuilt every night',
  logging: 'Log lines carry the request id and never the body of a request',
  naming: 'Services are named after rivers; libraries after trees',
  office: 'The team meets in the Lisbon office every second Tuesday',
  parser: 'The CSV parser must accept quoted line breaks and a byte order mark',
  images: 'Images are resized to 1600 pixels before they are uploaded to the bucket',
};

const QUESTION = 'How should the payment gateway be retried when it answers 429?';

/** A host that begins after all this became known. */
async function informed(
  overrides = {},
): Promise<{ host: HookHost; ids: Record<keyof typeof KNOWN, string> }> {
  const host = await startHost({}, overrides);
  const entries = Object.entries(KNOWN).map(async ([name, text]) => [name, (await host.remember(text)).id]);
  const ids = Object.fromEntries(await Promise.all(entries)) as Record<keyof typeof KNOWN, string>;
  host.server.clock.advance(HOUR);
  host.session = 'later';
  await host.start();
  return { host, ids };
}

describe('a prompt', () => {
  test('is told what is known about just this, and little of it', async () => {
    const { host, ids } = await informed();
    const asked = {
      'How should the payment gateway be retried when it answers 429?': ids.retries,
      'the exporter fails with ERR_SOCKET_TIMEOUT again, have a look': ids.timeouts,
      'Write a reversible database migration that adds a column': ids.migrations,
      'make the CSV parser accept quoted line breaks': ids.parser,
      'why is the scheduler test flaky?': ids.tests,
    };
    for (const [prompt, id] of Object.entries(asked)) {
      const { context } = await host.prompt(prompt);
      expect(context, prompt).toContain(id);
      expect(countTokens(context!)).toBeLessThanOrEqual(400);
      expect(context!.match(/^- /gm)).toHaveLength(1);
    }
  });

  test('about something else is told nothing', async () => {
    const { host } = await informed();
    for (const prompt of [
      'yes',
      'go on',
      'please fix the bug',
      'Thanks, that looks good. Now commit it.',
      'Write a haiku about autumn rain',
      'Refactor the user settings page so that it uses the new form component',
      'run the tests',
      'add a test for the new function and update the documentation',
      'what does this project do?',
      '/compact the payment gateway answers 429',
      '<task-notification>the payment gateway answers 429 under load</task-notification>',
      injected('prompt', 'the payment gateway answers 429 under load'),
    ]) {
      expect(await host.prompt(prompt), prompt).toEqual({});
    }
  });

  test('is never told the same twice in a session, not by another process either', async () => {
    const { host, ids } = await informed();
    const { services } = host;
    expect((await host.prompt(QUESTION)).context).toContain(ids.retries);
    expect(await host.prompt(QUESTION)).toEqual({});
    const restarted = new HookHost({ ...host.server, services: await servicesAgain(services) }, host.session);
    expect(await restarted.prompt(QUESTION)).toEqual({});
    restarted.session = 'another';
    await restarted.start();
    expect((await restarted.prompt(QUESTION)).context).toContain(ids.retries);
  });

  test('is not told what the window knows: its own words, its beginning, what it asked for', async () => {
    const { host, ids } = await informed();
    await host.remember('Never retry a payment gateway refund');
    const { context = '' } = await host.prompt('Never retry a payment gateway refund');
    expect(context).not.toContain('refund');
    const decided = await host.remember('Zebra crossings are painted by the road team', { kind: 'decision' });
    await host.call('context', { goal: KNOWN.colours, project: FOLDER, project_path: undefined });
    expect(await host.prompt(KNOWN.colours)).toEqual({});
    host.server.clock.advance(HOUR);
    host.session = 'another';
    expect((await host.start()).context).toContain(decided.id);
    expect(await host.prompt('Who paints zebra crossings?')).toEqual({});
    expect((await host.prompt(KNOWN.colours)).context).toContain(ids.colours);
  });

  test("of an agent that a model gave something to do is not a person's", async () => {
    const { host } = await informed();
    expect(await host.hear({ kind: 'prompt', text: QUESTION }, { agent: 'agent-1' })).toEqual({});
  });

  test('can be left alone by a setting', async () => {
    const hooks = { wake: true, prompt: false, compaction: true, tools: true, shorten: true };
    const { host } = await informed({ hooks });
    expect(await host.prompt(QUESTION)).toEqual({});
  });

  test('is told what a session begins with where its start came too late to be answered', async () => {
    const host = await startHost({ 'STYLE.md': STYLE });
    await host.hear({ kind: 'session-start', source: 'startup' }, { isLate: true });
    expect((await host.prompt('hello')).context).toContain('STYLE.md');
    expect(await host.prompt('hello')).toEqual({});
  });

  test('keeps to its budget, whatever is remembered', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3000 }), {
          minLength: 1,
          maxLength: 6,
        }),
        async (texts) => {
          const host = await startHost();
          for (const text of texts) await host.remember(`payment gateway 429 ${text}`);
          host.server.clock.advance(HOUR);
          host.session = 'later';
          const { context } = await host.prompt('payment gateway 429');
          expect(countTokens(context!)).toBeLessThanOrEqual(400);
          expect(context!.match(/^- /gm)!.length).toBeLessThanOrEqual(3);
        },
      ),
      { numRuns: 4 },
    );
  });
});

/** As another process has it that opens the same folder. */
async function servicesAgain({ journal, config, clock }: Services): Promise<Services> {
  const { database } = journal;
  const folder = dirname(database.path);
  const again = await SqliteJournal.open({ folder, projections: PROJECTIONS, clock, limits: config.limits });
  onTestFinished(() => again.close());
  return createServices(config, again, 'silent', clock);
}

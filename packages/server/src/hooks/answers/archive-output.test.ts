import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { recentOperations } from '../../fold/trajectory/recent-operations.ts';
import { countTokensOf } from '../../kernel/tokens/count.ts';
import { HOUR } from '../../testing/fixtures.suite.ts';
import { Talk } from '../../window/fixture.suite.ts';
import { HOST_SESSION, type Host, startHost } from '../host.suite.ts';

const RECORDS = JSON.stringify(
  Array.from({ length: 200 }, (_, id) => ({ id, name: `record ${id}`, state: 'open', tags: ['a', 'b'] })),
  null,
  2,
);
const curl = {
  tool: 'Bash',
  input: { command: 'curl -s localhost/records' },
  output: RECORDS,
  isReplaceable: true,
};

function handleIn(text: string | undefined): string {
  return /context_expand \{"handle":"(win_\w+)"\} shows it\]$/.exec(text ?? '')?.[1] ?? '';
}

/** With `context_expand`, as its model sees it. */
async function connectedHost() {
  const started = await startHost();
  started.host.connect();
  return started;
}

/** The whole original, page by page. */
async function expanded(host: Host, handle: string): Promise<string> {
  let text = '';
  for (let page = 1, pages = 1; page <= pages; page++) {
    const shown = await host.agent.call<{ items: { text: string }[]; total_pages: number }>(
      'context_expand',
      {
        handle,
        page,
      },
    );
    pages = shown.total_pages;
    text += shown.items.map((item) => item.text).join('');
  }
  return text;
}

describe('a large result', () => {
  test('is shortened where it arises, counts as the model sees it, and comes back whole', async () => {
    verifies('HOST-06');
    const { host, agent } = await connectedHost();
    const { output } = await host.tool({ ...curl, callId: 'c1' });
    expect(output!.length).toBeLessThan(RECORDS.length * 0.6);
    expect(output).toContain('[infold shortened: Bash curl -s localhost/records, JSON, ');
    const counted = (await countTokensOf(JSON.stringify(curl.input))) + (await countTokensOf(output!));
    expect((await agent.status()).token_breakdown.total).toBe(counted);
    expect(await expanded(host, handleIn(output))).toBe(RECORDS);
  });

  test.each([
    ['of a file', { tool: 'Read', input: { file_path: '/a/records.json' } }],
    ['of a command that shows a file', { input: { command: 'cat records.json' } }],
    ['that the host lets nobody replace', { isReplaceable: false }],
    ['of a tool of ours', { tool: 'mcp__infold__search_records', input: {} }],
    ['that is small', { output: RECORDS.slice(0, 1500) }],
    ['that nobody knows the form of', { output: 'lorem ipsum dolor '.repeat(200) }],
  ])('%s stays as it is', async (_, event) => {
    verifies('HOST-06');
    const { host } = await connectedHost();
    expect(await host.tool({ ...curl, ...event })).toEqual({});
  });

  test('stays as it is where the window door serves the session, or its host shortens itself', async () => {
    verifies('HOST-06');
    const { host, services } = await connectedHost();
    await Talk.begin(services.journal, { host_session: HOST_SESSION });
    expect(await host.tool(curl)).toEqual({});
    expect(await host.tool(curl, { agent: 'a1' })).toEqual({});
    expect(await host.tool(curl, { host: 'opencode', session: 'other' })).toEqual({});
    expect(await host.tool(curl, { session: 'other' })).not.toEqual({});
  });

  test('stays as it is where the model has no context_expand; it is archived, and all of it counts', async () => {
    verifies('HOST-06');
    const { host, agent, services, clock } = await startHost();
    const whole = (await countTokensOf(JSON.stringify(curl.input))) + (await countTokensOf(RECORDS));
    expect(await host.tool({ ...curl, callId: 'c1' })).toEqual({});
    expect((await agent.status()).token_breakdown.total).toBe(whole);
    const [operation] = recentOperations(services.journal, host.session!.id, 1);
    expect(await expanded(host, handleIn(operation!.output as string))).toBe(RECORDS);
    // Its client is not offered the tool, or it is the client of another host.
    host.connect(false);
    expect(await host.tool(curl)).toEqual({});
    host.connect();
    expect(await host.tool(curl, { host: 'codex' })).toEqual({});
    expect(await host.tool(curl)).not.toEqual({});
    clock.advance(20 * HOUR);
    expect(await host.tool(curl)).not.toEqual({});
    clock.advance(20 * HOUR);
    // The session has gone on since then.
    expect(await host.tool(curl)).not.toEqual({});
    expect(await host.tool(curl, { session: 'a-later-one' })).toEqual({});
  });

  test('with a secret in it stays as it is: the archive would give back less', async () => {
    const { host } = await connectedHost();
    const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
    expect(await host.tool({ ...curl, output: RECORDS.replace('record 1"', `${secret}"`) })).toEqual({});
  });

  test('is told to nobody when it comes late, and with the setting off', async () => {
    const { host, services } = await connectedHost();
    expect(await host.tool(curl, { isLate: true })).toEqual({});
    services.config.hooks.shorten = false;
    expect(await host.tool(curl)).toEqual({});
  });

  test('that stays is archived, and the journal keeps its beginning; all of it counts', async () => {
    const { host, agent, services } = await connectedHost();
    const text = 'lorem ipsum dolor '.repeat(1000);
    await host.tool({ tool: 'Read', input: {}, output: text, callId: 'c1' });
    expect((await agent.status()).token_breakdown.total).toBe((await countTokensOf(text)) + 1);
    const entries = services.journal.entriesAfter(0, 100).flatMap(({ events }) => events);
    const operation = entries.find(({ type }) => type === 'operation.completed')!.data as { output: string };
    expect(operation.output.length).toBeLessThan(2500);
    expect(await expanded(host, handleIn(operation.output))).toBe(text);
  });

  test('goes when its session is forgotten', async () => {
    const { host, services } = await connectedHost();
    const { output } = await host.tool(curl);
    const { id, org } = host.session!;
    for (const forget of services.parts.keptResults) await forget({ kind: 'session', id, org } as never);
    expect(await services.parts.windowArchive.read(null, handleIn(output))).toBeUndefined();
  });

  test('that cannot be archived stays as it is, and counts', async () => {
    const { host, agent, services } = await connectedHost();
    services.parts.windowArchive.open = () => Promise.reject(new Error('no space left'));
    expect(await host.tool(curl)).toEqual({});
    expect((await agent.status()).token_breakdown.total).toBeGreaterThan(await countTokensOf(RECORDS));
  });
});

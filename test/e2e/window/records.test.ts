import { createApi } from '@infold/client/api';
import type { WindowReceipt, WindowTurnView, WindowView } from '@infold/protocol';
import { createScrubber } from '@infold/scrub';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openJournal } from '../../../packages/server/src/cli/services/journal.ts';
import type { Journal } from '../../../packages/server/src/journal/journal.ts';
import { loadConfig } from '../../../packages/server/src/kernel/config.ts';
import { ownerIn } from '../../../packages/server/src/trust/identity/caller.ts';
import { decisionWith, Talk } from '../../../packages/server/src/window/fixture.suite.ts';
import { WindowArchive } from '../../../packages/server/src/window/originals/archive.ts';
import { verifies } from '../../requirements.ts';
import {
  callTool,
  connectHttp,
  run,
  runJson,
  type Server,
  start,
  startServer,
  until,
} from '../support/program.ts';

/** What the door puts on record is written here by hand; everything that becomes of it is the program's. */
let server: Server;
let journal: Journal;
let talk: Talk;
let alices: Talk;
const tokens: Record<string, string> = {};

const gone = [
  { rule: 'folded', count: 2, tokens: 9000 },
  { rule: 'shortened', count: 1, tokens: 1000 },
];

beforeAll(async () => {
  server = await startServer();
  journal = await openJournal(loadConfig({ data: server.data }, {}).config);
  for (const name of ['alice', 'bob']) {
    const { token } = await runJson<{ token: string }>(server.data, 'token', 'create', '--name', name);
    tokens[name] = token;
  }
  talk = await Talk.begin(journal, { host_session: 'host-session-1' });
  await talk.ask({ tokens: { asked: 1000, sent: 1000 } });
  await talk.answer(1);
  await talk.ask({ tokens: { asked: 11_000, sent: 1000 }, gone }, [decisionWith({ rule: 'folded' })]);
  await talk.answer(2, { money: { actual: 0.01, untouched: 0.05 } });
  await talk.ask({ passed: 'unknown_block' });
  const alice = ownerIn('local', 'alice');
  alices = await Talk.begin(journal, { host_session: 'alice-1', host: 'codex' }, alice);
  await alices.ask({ model: 'gpt-5' });
  return () => journal.close();
});

const apiOf = (name: string) => createApi({ url: server.url, token: tokens[name]! });

describe('over HTTP', () => {
  test('a conversation is its principal’s alone', async () => {
    verifies('WIN-06');
    const { windows } = await apiOf('alice').listWindows();
    expect(windows.map(({ id }) => id)).toEqual([alices.id]);
    expect(windows[0]).toMatchObject({ host: 'codex', model: 'gpt-5', enabled: true });
    expect((await apiOf('bob').listWindows()).windows).toEqual([]);
    for (const id of [alices.id, talk.id, 'host-session-1', 'last']) {
      await expect(apiOf('bob').readWindow({ id })).rejects.toMatchObject({ status: 404 });
      await expect(apiOf('bob').readWindowReceipt({ id })).rejects.toMatchObject({ status: 404 });
      await expect(apiOf('bob').switchWindow({ id, enabled: false })).rejects.toMatchObject({ status: 404 });
    }
    expect((await apiOf('alice').readWindow({ id: 'last' })).id).toBe(alices.id);
    expect((await apiOf('alice').readWindow({ id: 'alice-1' })).id).toBe(alices.id);
    expect((await apiOf('alice').readWindow({ id: alices.id.slice(0, 12) })).id).toBe(alices.id);
  });

  test('turns come in pages', async () => {
    const alice = ownerIn('local', 'alice');
    const long = await Talk.begin(journal, { host_session: 'alice-2' }, alice);
    for (let turn = 1; turn <= 5; turn++) await long.ask();
    const turns: number[] = [];
    for await (const { turn } of apiOf('alice').listWindowTurns.all({ id: long.id, limit: 2 }))
      turns.push(turn);
    expect(turns).toEqual([1, 2, 3, 4, 5]);
    await expect(apiOf('alice').listWindowTurns({ id: long.id, cursor: 'x' })).rejects.toMatchObject({
      status: 400,
    });
  });

  test('what left it comes in pages, with what stands there instead and whether the original is held', async () => {
    verifies('CON-02');
    const alice = ownerIn('local', 'alice');
    const first = await Talk.begin(journal, { host_session: 'alice-3' }, alice);
    const decisions = [1, 2, 3].map((number) =>
      decisionWith({ rule: 'aged', effect: { kind: 'replace', text: `[infold aged: ${number}]` } }),
    );
    await first.ask({}, decisions);
    const fork = await Talk.begin(journal, { host_session: 'alice-4', forked_from: first.id }, alice);
    await fork.ask({}, [decisionWith({ rule: 'folded', effect: { kind: 'reopen' } })]);
    const archive = new WindowArchive(server.data, Date.now, createScrubber(), { days: 1 });
    await archive.open();
    const { handle } = decisions[1]!;
    archive.keep(alice, [{ handle, text: 'the original', conversation: first.id, session: 'alice-3' }]);
    onTestFinished(async () => {
      await archive.forget([first.id]);
      await archive.close();
    });
    const seen: unknown[] = [];
    for await (const one of apiOf('alice').listWindowDecisions.all({ id: fork.id, limit: 3 })) seen.push(one);
    expect(seen).toEqual([
      ...decisions.map(({ handle, tokens, tool }, place) => ({
        ...{ handle, tokens, tool, conversation: first.id, turn: 1, rule: 'aged', at: expect.any(String) },
        text: `[infold aged: ${place + 1}]`,
        is_held: place === 1,
      })),
      expect.objectContaining({ conversation: fork.id, rule: 'folded', text: null, is_held: false }),
    ]);
    for (const id of [first.id, fork.id]) {
      await expect(apiOf('bob').listWindowDecisions({ id })).rejects.toMatchObject({ status: 404 });
    }
  });

  test('a conversation is switched off and on', async () => {
    const api = apiOf('alice');
    expect(await api.switchWindow({ id: alices.id, enabled: false })).toMatchObject({ enabled: false });
    expect(await api.readWindow({ id: alices.id })).toMatchObject({ enabled: false });
    expect(await api.switchWindow({ id: alices.id, enabled: true })).toMatchObject({ enabled: true });
  });

  test('its entries are seen by its principal', async () => {
    const since = journal.head().seq;
    await alices.ask();
    await talk.ask();
    // Up to what somebody wrote down later than that.
    const seen = async (name: string) => {
      const last = `Remembered by ${name} afterwards`;
      await apiOf(name).remember({ content: last });
      const response = await fetch(`${server.url}/api/events?since=${since}`, {
        headers: { authorization: `Bearer ${tokens[name]}` },
      });
      const reader = response.body!.getReader();
      let text = '';
      while (!text.includes(last)) text += Buffer.from((await reader.read()).value!).toString();
      await reader.cancel();
      return text;
    };
    const alice = await seen('alice');
    expect(alice).toContain(alices.id);
    expect(alice).not.toContain(talk.id);
    expect(await seen('bob')).not.toContain('window.asked');
  });
});

describe('on the command line', () => {
  test('window lists everybody’s conversations, within 100 columns', async () => {
    const { windows } = await runJson<{ windows: WindowView[] }>(server.data, 'window');
    expect(windows.map(({ id }) => id)).toEqual(expect.arrayContaining([talk.id, alices.id]));
    const { stdout } = await run(['--data', server.data, 'window']);
    expect(stdout).toContain(talk.id.slice(5, 13));
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  test('window ID shows each turn: what it held, what left by which rule, cache and money', async () => {
    verifies('WIN-06');
    const shown = await runJson<WindowView & { turns: WindowTurnView[] }>(
      server.data,
      'window',
      'host-session-1',
    );
    expect(shown.id).toBe(talk.id);
    expect(shown.turns[1]).toMatchObject({ turn: 2, gone, held: { system: 200, tools: 300 } });
    expect(shown.turns[1]!.estimated).toContain('answer.money.untouched');
    const { stdout } = await run(['--data', server.data, 'window', talk.id.slice(5, 15)]);
    const lines = stdout.split('\n');
    expect(lines.find((line) => line.startsWith('TURN'))).toMatch(
      /SYSTEM +TOOLS +TEXT +RESULTS +GONE +PROMPT/,
    );
    expect(lines.find((line) => /^2 /.test(line))).toMatch(/10\.0k +1\.0k +60% +50 +\$0\.0100 +~\$0\.0400/);
    expect(stdout).toContain('gone: folded 9.0k in 2, shortened 1.0k in 1');
    expect(stdout).toContain('results: Bash 400 in 2');
    expect(stdout).toContain('passed: unknown_block');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  test('window receipt ID is the same as over HTTP, and is covered by verify', async () => {
    verifies('WIN-06');
    const receipt = await runJson<WindowReceipt>(server.data, 'window', 'receipt', alices.id);
    expect(await apiOf('alice').readWindowReceipt({ id: alices.id })).toEqual(receipt);
    const own = await runJson<WindowReceipt>(server.data, 'window', 'receipt', talk.id);
    expect(own).toMatchObject({
      tokens: { asked: 12_000, sent: 2000, prompt: 2000, untouched: 12_000 },
      money: { requests: 2, actual: 0.02 },
    });
    expect(own.money!.saved).toBeCloseTo(0.04);
    expect(own.estimated).toContain('money.saved');
    const { stdout } = await run(['--data', server.data, 'window', 'receipt', talk.id]);
    expect(stdout).toMatch(/^~ saved +\$0\.0400/m);
    const { ok, entries } = await runJson<{ ok: boolean; entries: number }>(
      server.data,
      'verify',
      '--tables',
    );
    expect(ok).toBe(true);
    expect(entries).toBeGreaterThanOrEqual(own.entries.last);
  });

  test('window off and on', async () => {
    const off = await run(['--data', server.data, 'window', 'off', talk.id]);
    expect(off.stdout).toBe(`The window is off for ${talk.id}: nothing more leaves its requests.\n`);
    expect(await runJson(server.data, 'window', talk.id)).toMatchObject({ enabled: false });
    expect(await runJson(server.data, 'window', 'on', talk.id)).toMatchObject({ enabled: true });
  });

  test('an id that is none, or could be several, is told', async () => {
    const none = await run(['--data', server.data, 'window', 'receipt', 'conv_none']);
    expect([none.code, none.stderr]).toEqual([1, 'infold: Conversation not found: conv_none\n']);
    const several = await run(['--data', server.data, 'window', 'conv_']);
    expect(several.code).toBe(2);
    expect(several.stderr).toContain('"conv_" could be any of conv_');
  });

  test('--watch shows turns as they come, until it is stopped', async () => {
    const watching = start(['--data', server.data, '--json', 'window', talk.id, '--watch']);
    await until(() => watching.stdout().includes('"turn":2'), 60_000);
    const turn = await talk.ask();
    await until(() => watching.stdout().includes(`"turn":${turn},`), 60_000);
    await talk.answer(turn);
    await until(() => watching.stdout().trimEnd().split('\n').at(-1)!.includes('"status":200'), 60_000);
    watching.process.kill('SIGINT');
    expect((await watching.ended).code).toBe(0);
  });

  test('doctor tells of the door, what it keeps, and what passed', async () => {
    const { checks } = await runJson<{ checks: { name: string; detail: string; advice?: string }[] }>(
      server.data,
      'doctor',
    );
    const window = checks.find(({ name }) => name === 'window')!;
    expect(window.detail).toMatch(/^on; \d+ requests in the last day; keeps 0 originals/);
    expect(window.advice).toBe('Sent as they came: 1 × unknown_block in the last day');
  });
});

test('context_branch_status tells the provider’s figures of the host’s session, and the rest as before', async () => {
  const alice = ownerIn('local', 'alice');
  const linked = await Talk.begin(journal, { host_session: 'linked-1' }, alice);
  await linked.ask({ tokens: { asked: 3000, sent: 1000 } });
  await linked.answer(1);
  const client = await connectHttp(`${server.url}/mcp`, '2025', tokens.alice);
  const status = async (session_id?: string) => {
    const project_path = '/home/alice/shop';
    const { structuredContent } = await callTool(client, 'context_branch_status', {
      project_path,
      ...(session_id && { session_id }),
    });
    return structuredContent;
  };
  expect(await status()).not.toHaveProperty('provider');
  await apiOf('alice').reportOperations({ id: 'linked-1', operations: [{ tool: 'Read', tokens: 700 }] });
  expect(await status('linked-1')).toMatchObject({
    ...{ branch_depth: 0, token_breakdown: { main_thread: 700 } },
    provider: {
      conversation: linked.id,
      ...{ turns: 1, prompt_tokens: 1000, cached_tokens: 600, output_tokens: 50 },
      estimated_untouched_tokens: 3000,
    },
  });
});

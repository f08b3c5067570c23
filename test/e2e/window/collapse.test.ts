import { join } from 'node:path';
import { createApi } from '@infold/client/api';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type Host,
  hostNamed,
  requestsOf,
  type Script,
  type Sent,
  type Step,
} from '../../../packages/client/src/window/histories.suite.ts';
import { branch, branchId, giveBack } from '../../../packages/client/src/window/testing/our-tools.suite.ts';
import {
  person,
  read,
  shell,
  think,
  turn,
} from '../../../packages/client/src/window/testing/script.suite.ts';
import { problemsOf, withoutMarks } from '../../../packages/client/src/window/validators.suite.ts';
import { openDatabase } from '../../../packages/server/src/kernel/sqlite.ts';
import { verifies } from '../../requirements.ts';
import {
  callTool,
  connectHttp,
  runJson,
  type Server,
  startServer,
  temporaryFolder,
  until,
} from '../support/program.ts';
import { JSON_TYPE, type ScriptedUpstream, send, startUpstream } from '../support/upstream.ts';

const ANSWERS: Record<string, unknown> = {
  anthropic: {
    usage: {
      input_tokens: 10,
      cache_read_input_tokens: 900,
      cache_creation_input_tokens: 90,
      output_tokens: 7,
    },
  },
  'openai-chat': {
    usage: { prompt_tokens: 1000, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 900 } },
  },
  'openai-responses': {
    usage: { input_tokens: 1000, output_tokens: 7, input_tokens_details: { cached_tokens: 900 } },
  },
  gemini: {
    usageMetadata: { promptTokenCount: 1000, cachedContentTokenCount: 900, candidatesTokenCount: 7 },
  },
};
const UPSTREAMS: Record<string, string> = { anthropic: 'anthropic', gemini: 'gemini' };

interface Setting {
  upstream: ScriptedUpstream;
  data: string;
  serve(): Promise<Server>;
}

async function setting(dialect: string, more: readonly string[] = []): Promise<Setting> {
  const upstream = await startUpstream((_, response) => {
    response.writeHead(200, JSON_TYPE).end(JSON.stringify(ANSWERS[dialect]));
  });
  const data = temporaryFolder();
  const args = ['anthropic', 'openai', 'gemini'].flatMap((name) => ['--upstream', `${name}=${upstream.url}`]);
  return {
    upstream,
    data,
    async serve() {
      const server = await startServer({ data, args: [...args, ...more] });
      onTestFinished(async () => {
        await server.stop();
      });
      return server;
    },
  };
}

async function post(server: Server, { dialect, path, headers, text }: Sent): Promise<void> {
  const url = `${server.url}/model/${UPSTREAMS[dialect] ?? 'openai'}${path}`;
  const { status } = await send(url, { headers: { ...JSON_TYPE, ...headers }, body: text });
  expect(status).toBe(200);
}

const lines = (word: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${word} line ${index} of what it says`).join('\n');
const ID = branchId('one');

const steps: Step[] = [
  person('Find out why the import fails.'),
  { do: 'find', tools: ['context_branch', 'context_return', 'context_expand'] },
  think('A subtask.', branch(ID, 'Look into it', 'Look into it')),
  turn('Reading.', read('src/a.ts', lines('the file', 400))),
  turn('Looking.', shell('git log', lines('a commit', 200))),
  think('Enough.', giveBack(ID, 'It was the third line.')),
  turn('Checking.', shell('git status', 'clean')),
  person('And now?'),
  turn('It is mended.'),
];

const scriptOf = (...more: Step[]): Script => ({
  name: 'window',
  steps: [...steps, ...more],
  prompt: { system: 'You help.', tool: 'Does something.' },
});

interface Windows {
  windows: { id: string; totals: { requests: number } }[];
}

const only = async (data: string) => (await runJson<Windows>(data, 'window')).windows[0]!.id;

/** One of each dialect; unit tests know them all. */
const FOUR = ['claude-code', 'codex', 'qwen-code', 'gemini-cli-3'].map(
  (name) => [name, hostNamed(name)] as const,
);

describe.each(FOUR)('with %s', (_, host) => {
  test('a folded branch leaves the request, restarts change nothing, and the receipt tells', async () => {
    verifies('WIN-02', 'WIN-03', 'WIN-04', 'WIN-06');
    const { upstream, data, serve } = await setting(host.dialect);
    const requests = requestsOf(scriptOf(), host);
    let server = await serve();
    for (const [place, sent] of requests.entries()) {
      // Twice, before and after what is decided.
      if (place === 3 || place === requests.length - 1) {
        if (place === 3) server.process.kill('SIGKILL');
        else await server.stop();
        await server.ended;
        server = await serve();
      }
      await post(server, sent);
      const { body } = upstream.arrived.at(-1)!;
      expect(body.length).toBeLessThanOrEqual(Buffer.byteLength(sent.text));
      expect(problemsOf(sent.dialect, JSON.parse(body.toString()), sent.body)).toEqual([]);
    }
    const bodies = upstream.arrived.map(({ body }) => body.toString());
    expect(bodies.slice(0, 3)).toEqual(requests.slice(0, 3).map(({ text }) => text));
    expect(bodies.at(-1)).toContain('It was the third line.');
    expect(bodies.at(-1)).not.toContain('the file line 7 ');
    // Each goes on where the one before ended, over the restart too.
    const messages = bodies.slice(-2).map((body) => messagesOf(host, body));
    expect(messages[1]!.slice(0, messages[0]!.length)).toEqual(messages[0]);
    // The last one again, as after a crash in the middle of its answer.
    await post(server, requests.at(-1)!);
    expect(upstream.arrived.at(-1)!.body.toString()).toBe(bodies.at(-1));

    await server.stop();
    const receipt = await runJson<Record<string, unknown>>(data, 'window', 'receipt', await only(data));
    // The process that was killed may not have come to write down its last turn.
    const { all } = receipt.requests as { all: number };
    expect([requests.length, requests.length + 1]).toContain(all);
    expect(receipt).toMatchObject({
      requests: { failed: 0, passed: [] },
      gone: [{ rule: 'folded', decisions: 1 }],
      tokens: { cache_read: expect.any(Number) },
    });
    expect(await runJson(data, 'verify')).toMatchObject({ ok: true });
  });
});

describe.each(FOUR)('the last prompt of %s', (_, host) => {
  test('shows what left, one click from the original, and is in memory alone', async () => {
    verifies('CON-02');
    const { upstream, serve, data } = await setting(host.dialect);
    const server = await serve();
    for (const sent of requestsOf(scriptOf(), host)) await post(server, sent);
    const api = createApi({ url: server.url });
    const readTurns = async () => (await api.listWindowTurns({ id: 'last', limit: 200 })).turns;
    await until(async () => (await readTurns()).length === upstream.arrived.length);
    await until(async () => (await readTurns()).at(-1)!.answer !== null);
    const turns = await readTurns();
    const { blocks, ...prompt } = await api.readWindowPrompt({ id: 'last' });
    expect(prompt).toMatchObject({ is_kept: true, turn: turns.at(-1)!.turn });
    const sum = (which: 'asked' | 'sent') => blocks.reduce((all, { tokens }) => all + tokens[which], 0);
    expect({ asked: sum('asked'), sent: sum('sent') }).toEqual(turns.at(-1)!.tokens);
    const left = blocks.filter(({ tokens }) => tokens.sent === 0);
    const file = left.find(({ preview }) => preview.includes('the file line 0 '))!;
    expect(file).toMatchObject({ kind: 'result', rule: 'folded', is_cached: null });
    const whole = await api.readWindowBlock({ id: 'last', block: file.index });
    expect(whole).toMatchObject({ index: file.index, turn: prompt.turn, is_cut: false });
    expect(whole.text).toContain('the file line 399 ');
    const { decisions } = await api.listWindowDecisions({ id: 'last' });
    expect(decisions.find(({ handle }) => handle === file.handle)).toMatchObject({ is_held: true });
    expect(blocks.some(({ is_cached }) => is_cached)).toBe(true);
    await expect(api.readWindowBlock({ id: 'last', block: 9999 })).rejects.toMatchObject({ status: 404 });
    await expect(api.readWindowBlock({ id: 'last', block: -1 })).rejects.toMatchObject({ status: 400 });
    const { id } = await api.readWindow({ id: 'last' });
    await runJson(data, 'forget', '--session', id);
    await until(async () => !(await api.readWindowPrompt({ id })).is_kept);
    await server.stop();
    const again = createApi({ url: (await serve()).url });
    expect(await again.readWindowPrompt({ id })).toMatchObject({ is_kept: false, blocks: [] });
  });
});

function messagesOf({ dialect }: Host, text: string): string[] {
  const body = JSON.parse(text) as Record<string, Record<string, unknown>[]>;
  return body[{ gemini: 'contents', 'openai-responses': 'input' }[dialect as string] ?? 'messages']!.map(
    withoutMarks,
  );
}

describe('what left', () => {
  const host = hostNamed('claude-code');

  test('comes back with the handle that stands in its place', async () => {
    verifies('WIN-02');
    const { upstream, serve } = await setting('anthropic');
    const server = await serve();
    for (const sent of requestsOf(scriptOf(), host)) await post(server, sent);
    const handle = /win_[a-z0-9]{20}/.exec(upstream.arrived.at(-1)!.body.toString())![0];
    const client = await connectHttp(`${server.url}/mcp`, '2025');
    const { structuredContent } = await callTool(client, 'context_expand', { handle });
    expect(JSON.stringify(structuredContent)).toContain('the file line 7 ');
  });

  test('stays away in a fork and after a rewind', async () => {
    verifies('WIN-04');
    const { upstream, serve } = await setting('anthropic');
    const server = await serve();
    const more: Step[] = [
      { do: 'fork', words: 1 },
      person('Another way.'),
      turn('Yes.'),
      { do: 'rewind', words: 1 },
    ];
    const requests = requestsOf(scriptOf(...more, person('Or else?'), turn('No.')), host);
    expect(new Set(requests.map(({ session }) => session)).size).toBe(2);
    for (const sent of requests) await post(server, sent);
    const [before, ...after] = upstream.arrived
      .slice(-3)
      .map(({ body }) => messagesOf(host, body.toString()));
    for (const messages of after) {
      expect(messages.join()).not.toContain('the file line 7 ');
      // Up to where they part.
      const common = messages.findIndex((message, place) => message !== before![place]);
      expect(common).toBeGreaterThan(3);
    }
  });

  test('comes no more once the door is off for the conversation, and everything passes once it is off', async () => {
    verifies('WIN-07');
    const { upstream, data, serve } = await setting('anthropic');
    const server = await serve();
    const requests = requestsOf(scriptOf(), host);
    for (const sent of requests.slice(0, 3)) await post(server, sent);
    const { windows } = (await (await fetch(`${server.url}/api/windows`)).json()) as Windows;
    const off = await fetch(`${server.url}/api/windows/${windows[0]!.id}/switch`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify({ enabled: false }),
    });
    expect(off.status).toBe(200);
    for (const sent of requests.slice(3)) await post(server, sent);
    expect(upstream.arrived.map(({ body }) => body.toString())).toEqual(requests.map(({ text }) => text));
    await server.stop();
    expect((await runJson<Windows>(data, 'window')).windows[0]).toMatchObject({
      totals: { requests: requests.length },
    });
  });

  test('is nothing where the journal cannot be written: the original goes, and it is said why', async () => {
    verifies('WIN-07');
    const { upstream, data, serve } = await setting('anthropic');
    const server = await serve();
    const requests = requestsOf(scriptOf(), host);
    await post(server, requests[0]!);
    const holder = await openDatabase(join(data, 'infold.db'), { blockingWait: 2000 });
    holder.exec('BEGIN IMMEDIATE');
    const folding = requests.findLast(({ text }) => text.includes('It was the third line.'))!;
    await post(server, folding);
    expect(upstream.arrived.at(-1)!.body.toString()).toBe(folding.text);
    holder.exec('ROLLBACK');
    holder.close();
    await until(() => server.stderr().includes('as it came'));
    await post(server, folding);
    expect(upstream.arrived.at(-1)!.body.length).toBeLessThan(folding.text.length);
  });

  test('is nothing where what stays would hold a secret: it is the model’s to see, and not the journal’s', async () => {
    const { upstream, data, serve } = await setting('anthropic');
    const server = await serve();
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const log = Array.from(
      { length: 300 },
      (_, index) => `2026-03-02T09:00:${index % 60}Z INFO step ${index}`,
    );
    const steps: Step[] = [
      person('Look.'),
      { do: 'find', tools: ['context_expand'] },
      turn('Looking.', shell('docker logs app', [...log, `ERROR token ${secret} refused`].join('\n'))),
      turn('And this.', shell('docker logs other', log.join('\n'))),
      turn('So.'),
    ];
    for (const sent of requestsOf({ ...scriptOf(), steps }, host)) await post(server, sent);
    const body = upstream.arrived.at(-1)!.body.toString();
    expect(body).toContain(secret);
    expect(body).not.toContain('REDACTED');
    expect(body).toContain('[infold shortened: Bash docker logs other');
    await server.stop();
    expect(JSON.stringify(await runJson(data, 'window', 'receipt', 'last'))).not.toContain(secret);
  });
});

describe('hosts that tell no session', () => {
  const host = hostNamed('gemini-cli-3');

  test('have a conversation for each time that they begin, and go on in it', async () => {
    const { data, serve } = await setting('gemini');
    const server = await serve();
    const [, ...others] = steps;
    const again = [steps[0]!, turn('Another way.', shell('git status', 'clean')), ...others];
    const runs = [steps, again].map((own) => requestsOf({ ...scriptOf(), steps: own }, host));
    for (const sent of runs.flat()) await post(server, sent);
    await server.stop();
    const { windows } = await runJson<Windows>(data, 'window');
    expect(windows.map(({ totals }) => totals.requests)).toEqual(runs.map(({ length }) => length).reverse());
  });

  test('are told when their model was not there, and so is the record', async () => {
    const { upstream, data, serve } = await setting('gemini', ['--upstream', 'gemini=http://127.0.0.1:9']);
    const server = await serve();
    const [sent] = requestsOf(scriptOf(), host) as [Sent];
    const url = `${server.url}/model/gemini${sent.path}`;
    expect((await send(url, { headers: { ...JSON_TYPE, ...sent.headers }, body: sent.text })).status).toBe(
      502,
    );
    expect(upstream.arrived).toEqual([]);
    await server.stop();
    expect(await runJson(data, 'window', 'receipt', 'last')).toMatchObject({
      requests: { all: 1, failed: 1 },
    });
  });
});

import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { run, temporaryFolder } from '../support/program.ts';

/** Assembled, so that nothing here looks like a key. */
const KEY = ['test', 'only', 'key'].join('-');

type Call = [name: string, input: object | string];
type Turn = Call[] | { status: number; body: string; headers?: Record<string, string> };

interface Request {
  path: string;
  headers: IncomingHttpHeaders;
  body: {
    model: string;
    system?: string;
    messages: Record<string, unknown>[];
    tools: Record<string, unknown>[];
  };
}

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close().closeAllConnections();
});

/** A model that says one turn of its script for each request, in the API that it was asked by. Then it has an answer. */
async function startModel(script: readonly Turn[], ending = 'stop') {
  const requests: Request[] = [];
  const server = createServer(async (request, response) => {
    const turn = script[requests.length];
    const body = JSON.parse(await textOf(request)) as Request['body'];
    const number = requests.push({ path: request.url!, headers: request.headers, body });
    if (turn && !Array.isArray(turn)) {
      response.writeHead(turn.status, turn.headers).end(turn.body);
      return;
    }
    const speak = request.url!.endsWith('/chat/completions') ? asChat : asMessages;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(speak(turn ?? [], number, ending)));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function asChat(calls: readonly Call[], number: number, ending: string) {
  const tool_calls = calls.map(([name, input], place) => ({
    id: `call_${number}_${place}`,
    type: 'function',
    index: place,
    function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
  }));
  const message = calls.length > 0 ? { content: null, tool_calls } : { content: 'All done.', refusal: null };
  const finish_reason = calls.length > 0 ? 'tool_calls' : ending;
  return {
    id: 'chatcmpl',
    choices: [{ index: 0, message: { role: 'assistant', annotations: [], ...message }, finish_reason }],
    usage: { prompt_tokens: 1000 + number },
  };
}

const THINKING = { type: 'thinking', thinking: 'Which page is next?', signature: 'c2lnbmVk' };

function asMessages(calls: readonly Call[], number: number, ending: string) {
  const uses = calls.map(([name, input], place) => ({
    type: 'tool_use',
    id: `toolu_${number}_${place}`,
    name,
    input,
  }));
  const content = calls.length > 0 ? [THINKING, ...uses] : [{ type: 'text', text: 'All done.' }];
  const stop = ending === 'length' ? 'max_tokens' : 'end_turn';
  return {
    id: 'msg',
    type: 'message',
    role: 'assistant',
    content,
    stop_reason: calls.length > 0 ? 'tool_use' : stop,
    usage: { input_tokens: number, cache_read_input_tokens: 1000, cache_creation_input_tokens: null },
  };
}

const step = (number: number): Call => ['get_workflow_step', { workflow: 'reclassify', step: number }];
const search = (page: number): Call => ['search_records', { model: 'activity', page, per_page: 15 }];
const store = (finding: string): Call => [
  'store_analysis_memory',
  { analysis_id: 'reclassify', findings: [{ finding }] },
];
const PAGES = Array.from({ length: 9 }, (_, index) => index + 1);
const LOOP: Turn[] = [
  [step(2)],
  ...PAGES.flatMap((page) => [[search(page)], [store(`${71 + page} to AI`)]]),
  [step(4)],
];

interface Answer {
  api: string;
  ended: string;
  answer: string;
  sent: number[];
  uncollapsed: number[];
  reported: (number | null)[];
  calls: number;
  failed_calls: number;
  collapsed: number;
  findings: number;
  moved: Record<string, string>;
  last_ratio: number;
  sum_ratio: number;
}

const APIS = {
  openai: (url: string) => ({ OPENAI_BASE_URL: `${url}/v1/`, OPENAI_API_KEY: KEY }),
  anthropic: (url: string) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: KEY }),
};
type ApiName = keyof typeof APIS;
const BOTH: ApiName[] = ['openai', 'anthropic'];

const runModel = (env: Record<string, string>, ...args: string[]) =>
  run(['demo', '--model', 'scripted-1', ...args], { env });

const rowsIn = (messages: unknown) => JSON.stringify(messages).match(/Follow-up/g)?.length ?? 0;

describe.concurrent.each(BOTH)('a model behind the %s API', (api) => {
  test('drives the workflow, and its pages collapse', async () => {
    verifies('TCP-16', 'TCP-17');
    const model = await startModel(LOOP);
    const picture = join(temporaryFolder(), 'model.svg');
    const { code, stdout, stderr } = await runModel(APIS[api](model.url), '--json', '--svg', picture);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const answer = JSON.parse(stdout) as Answer;
    expect(answer).toMatchObject({
      api,
      ended: 'answered',
      answer: 'All done.',
      calls: 20,
      failed_calls: 0,
      collapsed: 9,
      findings: 9,
    });
    expect(Object.keys(answer.moved)).toHaveLength(9);
    expect(answer.reported).toEqual(answer.sent.map((_, index) => 1001 + index));
    expect(answer.last_ratio).toBeLessThan(0.15);
    expect(answer.sum_ratio).toBeLessThan(0.35);
    expect(answer.uncollapsed.at(-1)).toBeGreaterThan(12_000);
    expect(readFileSync(picture, 'utf8').match(/class="curve"/g)).toHaveLength(2);

    const prompts = model.requests.map(({ body }) => body.messages);
    expect(prompts).toHaveLength(21);
    expect(prompts.map(rowsIn)).toEqual([
      ...[0, 0],
      ...PAGES.flatMap((page) => [page === 9 ? 12 : 15, 0]),
      0,
    ]);
    const last = JSON.stringify(prompts.at(-1));
    expect(last.match(/\[collapsed: context_expand rs_/g)).toHaveLength(9);
  });

  test('is asked as its API wants it', async () => {
    const model = await startModel(LOOP.slice(0, 3));
    await runModel(APIS[api](model.url));
    const [first, second] = model.requests as [Request, Request];
    expect(first.body.model).toBe('scripted-1');
    const names = first.body.tools.map((tool) => (tool.function ?? tool) as { name: string });
    expect(names.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'search_records',
        'store_analysis_memory',
        'get_workflow_step',
        'context_expand',
      ]),
    );
    expect(names.map(({ name }) => name)).not.toContain('context_branch');
    if (api === 'openai') {
      expect(first.path).toBe('/v1/chat/completions');
      expect(first.headers.authorization).toBe(`Bearer ${KEY}`);
      expect(first.body.messages.map(({ role }) => role)).toEqual(['system', 'user']);
      expect(first.body.tools[0]).toMatchObject({
        type: 'function',
        function: { description: expect.any(String), parameters: { type: 'object' } },
      });
      const tool_calls = [
        {
          id: 'call_1_0',
          type: 'function',
          function: { name: 'get_workflow_step', arguments: JSON.stringify(step(2)[1]) },
        },
      ];
      expect(second.body.messages.slice(2)).toEqual([
        { role: 'assistant', content: null, tool_calls },
        { role: 'tool', tool_call_id: 'call_1_0', content: expect.stringContaining('## Steps 2–3') },
      ]);
    } else {
      expect(first.path).toBe('/v1/messages');
      expect(first.headers).toMatchObject({ 'x-api-key': KEY, 'anthropic-version': '2023-06-01' });
      expect(first.body.system).toEqual(expect.any(String));
      expect(first.body.messages.map(({ role }) => role)).toEqual(['user']);
      expect(first.body.tools[0]).toMatchObject({
        description: expect.any(String),
        input_schema: { type: 'object' },
      });
      const content = expect.stringContaining('## Steps 2–3');
      expect(second.body.messages.slice(1)).toEqual([
        {
          role: 'assistant',
          content: [
            THINKING,
            { type: 'tool_use', id: 'toolu_1_0', name: 'get_workflow_step', input: step(2)[1] },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1_0', content }] },
      ]);
    }
  });

  test('may call several tools at once, wrongly too, and reads what went wrong', async () => {
    const model = await startModel([
      [step(2)],
      [search(1), search(2), ['fly', {}]],
      [
        ['search_records', { model: 'nothing' }],
        ['search_records', '{"model":'],
        ['context_expand', { handle: 'rs_no' }],
      ],
      [store('72 to AI'), store('Nothing in page 2')],
    ]);
    const { code, stdout } = await runModel(APIS[api](model.url), '--json');
    expect(code).toBe(0);
    const answer = JSON.parse(stdout) as Answer;
    expect(answer).toMatchObject({ calls: 9, failed_calls: 4, collapsed: 2, findings: 2 });
    const last = model.requests.at(-1)!.body.messages;
    expect(JSON.stringify(last)).toContain('Valid models: activity');
    expect(JSON.stringify(last)).toContain('The arguments are not a JSON object');
    expect(JSON.stringify(last)).toContain('Unknown tool');
    expect(rowsIn(last)).toBe(0);
  });

  test('has a limit of turns', async () => {
    const model = await startModel(LOOP);
    const { code, stdout, stderr } = await runModel(APIS[api](model.url), '--turns', '5');
    expect({ code, stderr }).toMatchObject({ code: 3 });
    expect(model.requests).toHaveLength(5);
    expect(stdout).toContain('Stopped after 5 turns');
    expect(stdout).toMatch(/^5 +[\d,]+ +[\d,]+$/m);
  });

  test('that is cut off did not finish', async () => {
    const model = await startModel([[step(2)]], 'length');
    const { code, stdout } = await runModel(APIS[api](model.url));
    expect(code).toBe(3);
    expect(stdout).toContain('wrote an answer that was too long');
  });

  test('is asked again while it is busy', async () => {
    const busy = { status: 429, body: '{}', headers: { 'retry-after': '0' } };
    const model = await startModel([busy, { ...busy, status: 503 }, [step(2)]]);
    const { code, stdout } = await runModel(APIS[api](model.url), '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ ended: 'answered', calls: 1 });
    expect(model.requests).toHaveLength(4);
    expect(model.requests[1]!.body).toEqual(model.requests[0]!.body);
  });
});

describe.concurrent('a model API that fails gives one clear line and exit code 1', () => {
  const failure = (status: number, body: string) => ({ status, body, headers: { 'retry-after': '0' } });
  const badKey = failure(401, `{"error":{"message":"Bad key ${KEY}"}}`);
  const foreign = failure(200, '{"result":"hello"}');
  const overloaded = failure(529, '{"error":{"message":"Overloaded"}}');
  test.each<[string, ApiName, Turn[], RegExp]>([
    ['refuses the key', 'openai', [badKey], /401 \(is OPENAI_API_KEY right\?\): Bad key …$/],
    ['refuses the key', 'anthropic', [badKey], /401 \(is ANTHROPIC_API_KEY right\?\): Bad key …$/],
    [
      'says it in a text',
      'openai',
      [failure(404, '{"error":"No such model"}')],
      /answered 404: No such model$/,
    ],
    ['stays busy', 'anthropic', [overloaded, overloaded, overloaded], /answered 529: Overloaded$/],
    [
      'answers a page',
      'openai',
      [failure(200, '<html>\n<p>Welcome</p>')],
      /not JSON: <html> <p>Welcome<\/p>$/,
    ],
    ['speaks something else', 'openai', [foreign], /a shape that is not this API's: choices: /],
    ['speaks something else', 'anthropic', [foreign], /a shape that is not this API's: content: /],
    [
      'fails halfway, without a word',
      'anthropic',
      [[step(2)], failure(400, '')],
      /answered 400: no message$/,
    ],
  ])('%s (%s)', async (_what, api, script, message) => {
    const model = await startModel(script);
    const { code, stdout, stderr } = await runModel(APIS[api](model.url));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.trim()).toMatch(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).toContain(`infold: The model API at ${model.url}/v1/`);
    expect(stderr).not.toContain(KEY);
    expect(model.requests).toHaveLength(script.length);
  });
});

describe.concurrent('which API is asked', () => {
  const asked = async (model: string, more: Record<string, string>, ...args: string[]) => {
    const server = await startModel([]);
    const env = { OPENAI_BASE_URL: `${server.url}/v1`, ANTHROPIC_BASE_URL: server.url, ...more };
    const { code, stderr } = await run(['demo', '--model', model, ...args], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return server.requests[0]!;
  };

  test('the one that is set up', async () => {
    expect((await asked('claude-like', {})).path).toBe('/v1/chat/completions');
    const own = { OPENAI_BASE_URL: '', ANTHROPIC_API_KEY: KEY };
    expect((await asked('anything', own)).path).toBe('/v1/messages');
  });

  test('where both are, the one that the model sounds like, or that is named', async () => {
    const both = { OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY };
    expect((await asked('claude-like', both)).path).toBe('/v1/messages');
    expect((await asked('other', both)).path).toBe('/v1/chat/completions');
    expect((await asked('other', both, '--api', 'anthropic')).path).toBe('/v1/messages');
  });

  test('a server of ones own needs no key', async () => {
    expect((await asked('local', {})).headers.authorization).toBeUndefined();
  });
});

describe.concurrent('bad input', () => {
  test.each([
    [['--model', 'any'], {}, /--model needs a model API: set OPENAI_API_KEY .*or ANTHROPIC_API_KEY/],
    [['--model', 'any', '--api', 'anthropic'], { OPENAI_API_KEY: KEY }, /Set ANTHROPIC_API_KEY/],
    [['--model', 'any', '--api', 'openai'], { ANTHROPIC_API_KEY: KEY }, /Set OPENAI_API_KEY/],
    [
      ['--model', 'any'],
      { OPENAI_BASE_URL: 'localhost:11434' },
      /OPENAI_BASE_URL is not an http or https address/,
    ],
    [['--model', 'any', '--api', 'gemini'], {}, /openai, anthropic/],
    [['--model', 'any', '--turns', 'many'], {}, /whole number from 1 to 1000/],
    [['--model', 'any', '--turns', '0'], {}, /whole number from 1 to 1000/],
    [['--turns', '5'], {}, /need --model/],
  ])('%j is a usage error', async (args, env, message) => {
    const { code, stdout, stderr } = await run(['demo', ...args], { env: env as Record<string, string> });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });

  test('an endpoint that is not there', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const env = { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` };
    const { code, stderr } = await runModel(env, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({
      code: 'model_failed',
      retryable: true,
      error: expect.stringContaining('cannot be reached: connect ECONNREFUSED'),
    });
  });
});

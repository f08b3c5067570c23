import type { Client } from '@modelcontextprotocol/client';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import {
  callTool,
  connectHttp,
  connectStdio,
  type Envelope,
  ERAS,
  type Era,
  type Server,
  startServer,
  TRANSPORTS,
  type TransportName,
  temporaryFolder,
} from '../support/program.ts';
import {
  callEverything,
  comparable,
  EVERY_DOOR,
  SAMPLE_ARGS,
  SAMPLE_PROJECT,
  SAMPLES,
  sampleData,
} from '../support/sample-calls.ts';

/** A server and a client of each era on each transport, each with a fresh data folder. */
const clients = new Map<string, Client>();
const results = new Map<string, Record<string, Envelope>>();
const servers: Server[] = [];
const keyOf = (transport: TransportName, era: Era) => `${transport} ${era}`;
const everyWay = TRANSPORTS.flatMap((transport) => ERAS.map((era) => ({ transport, era })));

beforeAll(async () => {
  const args = SAMPLE_ARGS;
  for (const { transport, era } of everyWay) {
    if (transport === 'stdio') {
      const { client } = await connectStdio(era, await sampleData(), [...args, '--project', SAMPLE_PROJECT]);
      clients.set(keyOf(transport, era), client);
    } else {
      const server = await startServer({ data: await sampleData(), args });
      servers.push(server);
      clients.set(
        keyOf(transport, era),
        await connectHttp(`${server.url}/mcp?project=${SAMPLE_PROJECT}`, era),
      );
    }
    results.set(keyOf(transport, era), await callEverything(clientOf(transport, era)));
  }
});

afterAll(async () => {
  for (const client of clients.values()) await client.close();
  for (const server of servers) await server.stop();
});

const clientOf = (transport: TransportName, era: Era) => clients.get(keyOf(transport, era))!;

async function seedNames(): Promise<string[]> {
  const { tools } = await clientOf('http', '2025').listTools();
  return tools.map(({ name }) => name);
}

describe('every tool, in both eras over both transports', () => {
  test('the clients speak what they should', () => {
    for (const { transport, era } of everyWay) {
      const version = clientOf(transport, era).getNegotiatedProtocolVersion() ?? '';
      expect(`${transport} ${version.slice(0, 4)}`).toBe(`${transport} ${era}`);
    }
  });

  test('was called', async () => {
    const names = (await seedNames()).sort();
    for (const called of results.values()) expect(Object.keys(called).sort()).toEqual(names);
  });

  test('succeeds, with the JSON of its structured content as text unless it is prose', () => {
    verifies('KERN-06', 'KERN-07');
    const prose = new Set(SAMPLES.filter((sample) => sample.prose).map(({ tool }) => tool));
    for (const [way, called] of results) {
      for (const [name, { isError, content, structuredContent, _meta }] of Object.entries(called)) {
        expect(isError, `${name} over ${way}: ${content[0]?.text}`).toBe(false);
        expect(content[0]?.type).toBe('text');
        expect(_meta?.['infold/seq']).toBeTypeOf('number');
        if (prose.has(name)) expect(content[0]?.text).not.toBe('');
        else expect(JSON.parse(content[0]!.text)).toEqual(structuredContent);
      }
    }
  });

  test('gives the same result', () => {
    verifies('KERN-06');
    const [first, ...others] = [...results.values()];
    for (const [name, result] of Object.entries(first!)) {
      for (const other of others) expect(comparable(other[name]!), name).toEqual(comparable(result));
    }
  });

  test('lists input and output schemas, title and annotations, and its results match them', async () => {
    verifies('KERN-07');
    const client = clientOf('http', '2026');
    const { tools } = await client.listTools();
    for (const { name, title, description, inputSchema, outputSchema, annotations } of tools) {
      expect([name, title, description].every(Boolean)).toBe(true);
      expect(inputSchema.properties).toHaveProperty('session_id');
      expect(annotations?.readOnlyHint).toBeTypeOf('boolean');
      const matches = new AjvJsonSchemaValidator().getValidator(outputSchema as object);
      const good = results.get(keyOf('http', '2026'))![name]!;
      expect(matches(good.structuredContent), name).toMatchObject({ valid: true });
      const bad = await callTool(client, name, { session_id: 7 });
      expect(bad.isError).toBe(true);
      expect(matches(bad.structuredContent), name).toMatchObject({ valid: true });
      expect(matches({}), name).toMatchObject({ valid: false });
    }
  });
});

describe.each(everyWay)('over $transport in $era', ({ transport, era }) => {
  test('instructions call the tools as they are listed', async () => {
    const client = clientOf(transport, era);
    const { tools } = await client.listTools();
    const listed = tools.map(({ name }) => name).filter((name) => /^memory[._]/.test(name));
    const told = client.getInstructions()?.match(/\bmemory[._]\w+/g) ?? [];
    expect(told).toContain(transport === 'stdio' ? 'memory_load' : 'memory.load');
    expect(listed).toEqual(expect.arrayContaining(told));
  });

  test('an unknown tool is "Unknown tool"', async () => {
    verifies('KERN-08');
    expect(await callTool(clientOf(transport, era), 'memory.begin')).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'Unknown tool' }],
      structuredContent: { error: 'Unknown tool', code: 'unknown_tool' },
    });
  });

  test('a wrong type is an error result that names the field', async () => {
    verifies('KERN-08');
    const result = await callTool(clientOf(transport, era), 'infold_status', { project: 7, session_id: [] });
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toMatchObject({ code: 'invalid_arguments', retryable: false });
    expect(result.content[0]?.text).toBe(result.structuredContent.error);
    expect(result.content[0]?.text).toMatch(/project: .*string.*session_id: /);
  });

  test('every required field that is missing is named', async () => {
    verifies('KERN-08');
    const client = clientOf(transport, era);
    for (const { name, inputSchema } of (await client.listTools()).tools) {
      const required = inputSchema.required ?? [];
      if (required.length === 0) continue;
      const { isError, structuredContent } = await callTool(client, name, {});
      expect(isError, name).toBe(true);
      for (const field of required.slice(0, 5)) expect(structuredContent.error).toContain(field);
    }
  });

  test('both spellings of every tool can be called', async () => {
    verifies('KERN-09');
    const client = clientOf(transport, era);
    for (const name of await seedNames()) {
      for (const spelling of new Set([name, name.replaceAll('.', '_')])) {
        const { structuredContent } = await callTool(client, spelling, { session_id: 7 });
        expect(structuredContent.code, spelling).toBe('invalid_arguments');
      }
    }
  });
});

describe('the spelling of the list', () => {
  const namesAt = async (url: string, era: Era) => {
    const client = await connectHttp(url, era);
    const { tools } = await client.listTools();
    await client.close();
    return tools.map(({ name }) => name);
  };

  test.each(ERAS)('is the seed’s at /mcp, portable at ?names=portable and on stdio (%s)', async (era) => {
    verifies('KERN-09');
    const { url } = servers[0]!;
    const seed = await namesAt(`${url}/mcp`, era);
    expect(seed).toEqual(await seedNames());
    const portable = seed.map((name) => name.replaceAll('.', '_'));
    expect(await namesAt(`${url}/mcp?names=portable`, era)).toEqual(portable);
    const { tools } = await clientOf('stdio', era).listTools();
    expect(tools.map(({ name }) => name)).toEqual(portable);
  });

  test('--tool-names overrides both', async () => {
    verifies('KERN-09');
    const seed = await seedNames();
    const portable = seed.map((name) => name.replaceAll('.', '_'));
    const server = await startServer({ args: ['--tool-names', 'portable', ...EVERY_DOOR] });
    expect(await namesAt(`${server.url}/mcp`, '2025')).toEqual(portable);
    const other = await startServer({ args: ['--tool-names', 'seed', ...EVERY_DOOR] });
    expect(await namesAt(`${other.url}/mcp?names=portable`, '2025')).toEqual(seed);
    const { client } = await connectStdio('2025', temporaryFolder(), ['--tool-names', 'seed', ...EVERY_DOOR]);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(seed);
  });

  test('the tools of the gateway are not there unless they are asked for', async () => {
    const server = await startServer();
    const names = await namesAt(`${server.url}/mcp`, '2026');
    expect(names.filter((name) => name.startsWith('pod_'))).toEqual([]);
    expect((await seedNames()).filter((name) => name.startsWith('pod_'))).toEqual([
      'pod_send',
      'pod_read',
      'pod_contexts',
    ]);
  });

  test('--toolsets leaves the other doors out', async () => {
    const server = await startServer({ args: ['--toolsets', 'memory'] });
    const names = await namesAt(`${server.url}/mcp`, '2026');
    expect(names).toContain('infold_status');
    expect(names).not.toContain('context_branch');
    const client = await connectHttp(`${server.url}/mcp`, '2026');
    expect((await callTool(client, 'context_branch')).content[0]?.text).toBe('Unknown tool');
  });

  test('GET /mcp/tools/list shows the same list', async () => {
    const { url } = servers[0]!;
    const { tools } = (await (await fetch(`${url}/mcp/tools/list`)).json()) as {
      tools: { name: string; inputSchema: object }[];
    };
    const listed = await clientOf('http', '2025').listTools();
    expect(tools.map(({ name, inputSchema }) => [name, inputSchema])).toEqual(
      listed.tools.map(({ name, inputSchema }) => [name, inputSchema]),
    );
  });
});

test('the console answers a person under its own policy, and a program is told how to connect', async () => {
  const [server] = servers;
  const page = await fetch(`${server!.url}/tree/sess_1`, { headers: { accept: 'text/html' } });
  expect(page.status).toBe(200);
  expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/);
  expect(page.headers.get('cache-control')).toBe('no-cache');
  const html = await page.text();
  const [, script = ''] = /<script[^>]*\ssrc="(\/assets\/[^"]+)"/.exec(html) ?? [];
  const asset = await fetch(`${server!.url}${script}`);
  expect(asset.headers.get('content-type')).toMatch(/^text\/javascript/);
  expect(asset.headers.get('cache-control')).toContain('immutable');
  const told = await (await fetch(`${server!.url}/`, { headers: { accept: 'application/json' } })).json();
  expect(told).toMatchObject({ mcp: `${server!.url}/mcp?names=portable`, data: server!.data });
});

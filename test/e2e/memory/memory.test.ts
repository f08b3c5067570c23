import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import {
  callTool,
  connectHttp,
  connectStdio,
  ERAS,
  post,
  run,
  runJson,
  startServer,
  TRANSPORTS,
  temporaryFolder,
} from '../support/program.ts';

interface Pack {
  sections: { items: { id: string; source: string | null; content: string }[] }[];
  total_items: number;
  markdown: string;
}

const LINES = [
  {
    id: 'D1:1',
    content: 'Hi Ben! I joined a pottery class yesterday.',
    author: 'Ada',
    thread: 's1',
    ordinal: 1,
    at: '2023-05-08T10:00:00Z',
    source: 'conv#D1:1',
  },
  {
    id: 'D1:2',
    content: 'Great! Which one?',
    author: 'Ben',
    thread: 's1',
    ordinal: 2,
    at: '2023-05-08T10:01:00Z',
    source: 'conv#D1:2',
  },
  {
    id: 'D1:3',
    content: 'The one by the canal, with Mrs Lindt.',
    author: 'Ada',
    thread: 's1',
    ordinal: 3,
    at: '2023-05-08T10:02:00Z',
    source: 'conv#D1:3',
  },
];

function lines(values: readonly unknown[]): string {
  return `${values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('\n')}\n`;
}

const sourcesOf = (pack: Pack) => pack.sections.flatMap(({ items }) => items.map(({ source }) => source));

describe('infold memory', () => {
  test('imports with bad lines named, is found by packs, and exports what it was given', async () => {
    verifies('PACK-12', 'PACK-14');
    const data = temporaryFolder();
    const file = join(temporaryFolder(), 'conv.jsonl');
    writeFileSync(file, lines([LINES[0], '{"content": broken', LINES[1], { author: 'nobody' }, LINES[2]]));
    const rehearsal = await run([
      '--data',
      data,
      '--json',
      'memory',
      'import',
      file,
      '--project',
      'conv',
      '--dry-run',
    ]);
    expect(JSON.parse(rehearsal.stdout)).toMatchObject({ imported: 3, dry_run: true });
    const first = await run(['--data', data, 'memory', 'import', file, '--project', 'conv']);
    expect(first.code).toBe(3);
    expect(first.stdout).toContain('3 imported, 0 already known, 2 bad');
    expect(first.stdout).toMatch(/^line 2: not valid JSON/m);
    expect(first.stdout).toMatch(/^line 4: content is required/m);
    const second = await run(['--data', data, '--json', 'memory', 'import', file, '--project', 'conv']);
    expect(second.code).toBe(3);
    expect(JSON.parse(second.stdout)).toMatchObject({ imported: 0, skipped: 3 });

    const pack = await runJson<Pack>(
      data,
      'pack',
      'Which pottery class did Ada join?',
      '--project',
      'conv',
      '--intent',
      'general',
    );
    expect(sourcesOf(pack)).toEqual(expect.arrayContaining(['conv#D1:1', 'conv#D1:3']));
    const printed = await run([
      '--data',
      data,
      'pack',
      'pottery class',
      '--project',
      'conv',
      '--budget',
      '120',
    ]);
    expect(printed.stdout).toMatch(/^# Context pack: pottery class/);
    const { items } = await runJson<{ items: { id: string }[] }>(data, 'memory', 'search', 'pottery');
    expect(items[0]!.id).toBe('D1:1');

    const target = join(temporaryFolder(), 'out.jsonl');
    await runJson(data, 'memory', 'export', target, '--project', 'conv');
    const exported = readFileSync(target, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(exported).toMatchObject(LINES.map((line) => ({ ...line, at: line.at.replace('Z', '.000Z') })));
  });

  test('explains a pack, and answers a question with the passages themselves', async () => {
    verifies('PACK-04');
    const data = temporaryFolder();
    const file = join(temporaryFolder(), 'conv.jsonl');
    writeFileSync(file, lines(LINES));
    await run(['--data', data, 'memory', 'import', file, '--project', 'conv']);
    const goal = 'Which pottery class did Ada join?';
    const { stdout: said } = await run(['--data', data, 'pack', goal, '--project', 'conv', '--explain']);
    expect(said).toMatch(/^Searched for: .*pottery/);
    expect(said).toMatch(/^IN THE PACK\n 1\. Hi Ben! I joined a pottery class yesterday\.$/m);
    expect(said).toMatch(/^ {4}[\d.]+ = \(?text [\d.]+ \+ /m);
    const one = await run(['--data', data, 'pack', goal, '--limit', '1', '--explain']);
    expect(one.stdout).toContain('left out (limit): the pack holds 1');
    const { explanation } = await runJson<{ explanation: { items: { id: string; lanes: object }[] } }>(
      ...[data, 'pack', goal, '--explain'],
    );
    expect(explanation.items[0]).toMatchObject({ id: 'D1:1', lanes: { text: expect.any(Number) } });

    const { stdout: answered } = await run(['--data', data, 'memory', 'ask', goal, '--project', 'conv']);
    expect(answered).toMatch(/^1\. Hi Ben! I joined a pottery class yesterday\.\n/);
    expect(answered).toContain('— episode · Ada · 2023-05-08 10:00 · conv · D1:1\n');
    expect(answered).toContain('from conv#D1:1');
    const { passages } = await runJson<{ passages: object[] }>(data, 'memory', 'ask', goal, '--limit', '1');
    expect(passages).toMatchObject([{ id: 'D1:1', author: 'Ada', project: 'conv' }]);
    const nothing = await run(['--data', data, 'memory', 'ask', 'zeppelin', 'hangars']);
    expect(nothing).toMatchObject({ code: 0, stderr: '' });
    expect(nothing.stdout).toMatch(/^Nothing is known about that\.\nWorth remembering once it is known: /);
    await run(['--data', data, 'memory', 'import', file, '--project', 'other']);
    const { stdout: mixed } = await run(['--data', data, 'pack', goal, '--project', '*']);
    expect(mixed).toMatch(/ · project (conv|other) `D1:1`/);
    const { stdout: table } = await run(['--data', data, 'memory', 'search', 'pottery', '--project', '*']);
    expect(table).toMatch(/^SCORE +KIND +ID +PROJECT +NAME +WHY\n/);
    const unknown = await run([
      '--data',
      data,
      'pack',
      'zeppelin',
      'hangars',
      '--project',
      'conv',
      '--explain',
    ]);
    expect(unknown.stdout).toContain('Nothing is known about this yet.');
  });

  test('says what is wrong with bad input', async () => {
    verifies('PACK-01');
    const data = temporaryFolder();
    for (const [args, code, message] of [
      [['pack', ' '], 2, 'goal is required'],
      [['pack', 'x', '--limit', 'ten'], 2, 'limit: must be a number; it was "ten"'],
      [['pack', 'x', '--intent', 'review'], 2, 'intent'],
      [['pack', 'x', '--format', 'short'], 2, 'format'],
      [['pack', 'x', '--project', 'nowhere'], 1, 'Project not found: nowhere'],
      [['memory', 'show', 'mem_nothing'], 1, 'Item not found: mem_nothing'],
      [['memory', 'import', '/does/not/exist.jsonl'], 2, '/does/not/exist.jsonl does not exist'],
      [['memory', 'relate', 'a', 'loves', 'b'], 2, 'loves'],
    ] as const) {
      const ended = await run(['--data', data, ...args]);
      expect(ended.stderr, args.join(' ')).toContain(message);
      expect(ended.code, args.join(' ')).toBe(code);
    }
  });
});

describe('the REST routes of memory', () => {
  test('write, read, relate, search, import and pack', async () => {
    verifies('PACK-05', 'PACK-12');
    const { url } = await startServer();
    const call = async (path: string, body?: unknown) => {
      const response = body === undefined ? await fetch(url + path) : await post(url + path, body);
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    const old = await call('/api/memory/items', {
      content: 'Deploys happen on Mondays.',
      kind: 'rule',
      title: 'Deploy day',
    });
    const fresh = await call('/api/memory/items', { content: 'Deploys happen on Tuesdays.', kind: 'rule' });
    expect([old.status, fresh.status]).toEqual([201, 201]);
    const [oldId, freshId] = [String(old.body.id), String(fresh.body.id)];
    expect(
      await call(`/api/memory/items/${freshId}/relations`, { type: 'contradicts', id: oldId }),
    ).toMatchObject({
      status: 200,
      body: { related: true },
    });
    expect((await call(`/api/memory/items/${oldId}`)).body).toMatchObject({ contradicted_by: [freshId] });
    expect((await call(`/api/memory/items/${oldId}/related`)).body.related).toMatchObject([
      { id: freshId, relationship: 'contradicts', direction: 'incoming', distance: 1 },
    ]);
    expect((await call('/api/memory/search?q=deploys&limit=1')).body.items).toHaveLength(1);
    expect(await call('/api/memory/search')).toMatchObject({
      status: 400,
      body: { code: 'invalid_arguments' },
    });
    expect((await call('/api/memory/passages?q=deploys&limit=1')).body.passages).toMatchObject([
      { id: freshId, text: 'Deploys happen on Tuesdays.' },
    ]);
    expect(await call('/api/memory/items/none')).toMatchObject({ status: 404, body: { code: 'not_found' } });
    const imported = await call('/api/memory/import', {
      items: [...LINES, { nothing: true }],
      project: 'conv',
    });
    expect(imported.body).toMatchObject({ read: 4, imported: 3, bad: [{ line: 4 }] });
    const asLines = await post(`${url}/api/memory/import?project=conv`, lines(LINES), {
      'content-type': 'application/x-ndjson',
    });
    expect(await asLines.json()).toMatchObject({ imported: 0, skipped: 3 });
    const pack = await call('/api/packs', { goal: 'When do deploys happen?' });
    expect(pack.body).toMatchObject({ total_items: 2, intent: 'build' });
    const explained = await call('/api/packs', { goal: 'When do deploys happen?', explain: true });
    expect(explained.body.explanation).toMatchObject({ considered: 2, left_out: [] });
    const compact = await call('/api/packs', { goal: 'When do deploys happen?', format: 'compact' });
    expect(compact.body).toMatchObject({
      total_items: 2,
      sections: [{ items: [{ content: '' }, { content: '' }] }],
    });
    expect(await call('/api/packs', { goal: 'deploys', format: 'short' })).toMatchObject({ status: 400 });
    expect(await call('/api/packs', { goal: '' })).toMatchObject({ status: 400 });
    expect((await call('/api/synthesis', { goal: 'deploys', output_type: 'handbook' })).body.run_id).toMatch(
      /^synthesis:/,
    );
  });
});

describe.each(ERAS)('a client of the %s era that shows its model the data', (era) => {
  test.each(TRANSPORTS)('reads each body once, over %s', async (transport) => {
    verifies('PACK-13');
    const data = temporaryFolder();
    const connected = async (name: string) => {
      if (transport === 'stdio') return (await connectStdio(era, data, [], name)).client;
      return connectHttp(`${(await startServer({ data })).url}/mcp`, era, undefined, fetch, name);
    };
    const goal = 'When is the kiln lit?';
    const content = 'The kiln is lit at noon on Thursdays.';
    const known = await connected('claude-code');
    await callTool(known, 'remember', { title: 'Kiln', content });
    const { structuredContent } = await callTool(known, 'context', { goal });
    expect(JSON.stringify(structuredContent).split(content)).toHaveLength(2);
    const unknown = await callTool(await connected('somebody'), 'context', { goal });
    expect(JSON.stringify(unknown.structuredContent).split(content)).toHaveLength(3);
    expect(unknown.content[0]!.text.split(content)).toHaveLength(2);
  });
});

describe('over stdio', () => {
  test('an item that an agent used is explained so, and its whole text can be expanded', async () => {
    const data = temporaryFolder();
    const folder = temporaryFolder();
    const { client } = await connectStdio('2025', data, ['--project', folder]);
    const content = 'The kiln is lit at noon on Thursdays.';
    const { structuredContent: item } = await callTool(client, 'remember', { content });
    const goal = 'When is the kiln lit?';
    await callTool(client, 'context', { goal });
    const expanded = await callTool(client, 'context_expand', { handle: item.id });
    expect(expanded.structuredContent).toMatchObject({ kind: 'item', items: [{ text: content }] });
    const explain = async (...more: string[]) =>
      (await run(['--data', data, ...more, 'pack', goal, '--project', folder, '--explain'])).stdout;
    const said = await explain();
    expect(said).toMatch(/ \+ use 0\.\d+/);
    expect(said).toContain('; used after 1 pack\n');
    const config = join(temporaryFolder(), 'infold.config.json');
    writeFileSync(config, JSON.stringify({ memory: { rankByUse: false } }));
    expect(await explain('--config', config)).not.toMatch(/use/);
  });

  test('ten agents remember at the same time and nothing is lost', async () => {
    verifies('PACK-07');
    const data = temporaryFolder();
    const { client } = await connectStdio('2026', data, ['--project', temporaryFolder()]);
    const { client: other } = await connectStdio('2025', data, ['--project', temporaryFolder()]);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        callTool(index % 2 === 0 ? client : other, 'remember', {
          content: `Observation ${index} of the comet`,
        }),
      ),
    );
    expect(new Set(answers.map(({ structuredContent }) => structuredContent.id)).size).toBe(10);
    const asked = { goal: 'observation of the comet', limit: 50 };
    const pack = await callTool(client, 'context', { ...asked, project: '*' });
    expect(pack.structuredContent.total_items).toBe(10);
    // Each connection has a project of its own.
    const own = await callTool(client, 'context', asked);
    expect(own.structuredContent.total_items).toBe(5);
  });
});

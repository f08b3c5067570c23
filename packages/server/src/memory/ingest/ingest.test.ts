import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { temporaryFolder, testConfig } from '../../testing/fixtures.suite.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { relate as relateItems } from '../actions/relate.ts';
import { idsOf, itemsOf, startMemory } from '../fixture.suite.ts';
import { readablePartitions } from '../queries.ts';
import { exportLines } from './export.ts';
import { markdownFiles, readMarkdown } from './folder.ts';
import { Importer } from './importer.ts';
import { LineReader } from './lines.ts';

const reader = { caller: localOwner, projectId: null, agentId: null };
const lines = new LineReader(testConfig().limits);

describe('import', () => {
  test('takes good lines and names the bad ones', async () => {
    verifies('PACK-12');
    const { agent } = await startMemory();
    const report = await agent.import([
      { content: 'fine' },
      { content: '' },
      { content: 'x', kind: 'Bad Kind' },
      { content: 'x', at: 'whenever' },
      { content: 'x', relations: [{ type: 'supersedes', id: 'missing' }] },
      { id: 'a', content: 'fine too' },
      { id: 'a', content: 'the same id again' },
      { id: 's', content: 'self', relations: [{ type: 'supersedes', id: 's' }] },
      'text',
    ] as object[]);
    expect(report).toMatchObject({ read: 9, imported: 2, skipped: 1 });
    expect(report.bad.map(({ line }) => line)).toEqual([2, 3, 4, 5, 8, 9]);
  });

  test('run twice adds nothing, and goes on where it was interrupted', async () => {
    verifies('PACK-12');
    const { agent } = await startMemory();
    const lines = Array.from({ length: 450 }, (_, index) =>
      index % 2 === 0
        ? { id: `n${index}`, content: `Line ${index}` }
        : { content: `Line ${index}`, source: `s${index}` },
    );
    expect(await agent.import(lines.slice(0, 300), 'p')).toMatchObject({ imported: 300, skipped: 0 });
    expect(await agent.import(lines, 'p')).toMatchObject({ imported: 150, skipped: 300 });
    expect(await agent.import(lines, 'p')).toMatchObject({ imported: 0, skipped: 450 });
  });

  test('where others are served too, it is written in small pieces, and they come in between', async () => {
    const { services } = await startMemory();
    const { journal, scrubber } = services;
    const seen: number[] = [];
    const giveWay = () => void seen.push(journal.head().seq);
    const before = journal.head().seq;
    const importer = new Importer({ journal, scrubber, caller: localOwner, giveWay });
    for (let number = 0; number < 100; number++) await importer.add(number, { content: `Line ${number}` });
    expect(await importer.finish()).toMatchObject({ imported: 100 });
    // Asked before every line, so also between any two of the five entries.
    expect(seen).toHaveLength(100);
    expect(new Set(seen).size).toBe(5);
    expect(journal.head().seq - before).toBe(5);
  });

  test('what is exported can be imported again and is the same', async () => {
    verifies('PACK-12');
    const { agent, services } = await startMemory();
    const lines = [
      {
        id: 'one',
        title: 'One',
        content: 'First\nline',
        kind: 'decision',
        tags: ['t'],
        domain: 'd',
        source: 's',
      },
      {
        id: 'two',
        content: 'Second',
        author: 'A',
        thread: 'x',
        ordinal: 1.5,
        at: '2024-02-03T04:05:06.789Z',
      },
      { id: 'three', content: 'Third', relations: [{ type: 'supersedes', id: 'one' }], metadata: { a: [1] } },
      { id: 'four', content: 'Fourth', url: 'https://example.com', valid_at: '2024-01-01T00:00:00.000Z' },
    ];
    await agent.import(lines, 'p');
    const written = (database = services.journal.database) =>
      [...exportLines(database, readablePartitions(database, reader))].map((line) => {
        const { project: _project, ...rest } = line as { project?: string };
        return rest;
      });
    expect(written()).toEqual(lines.map((line) => ({ kind: 'episode', ...line })));
    const other = await startMemory();
    await other.agent.import(written(), 'p');
    expect(written(other.services.journal.database)).toEqual(written());
  });

  test('a rehearsal writes nothing', async () => {
    verifies('PACK-12');
    const { services } = await startMemory();
    const { journal, scrubber } = services;
    const before = journal.head();
    const importer = new Importer({
      journal,
      scrubber,
      caller: localOwner,
      project: 'new one',
      dryRun: true,
    });
    await importer.add(1, { content: 'x' });
    expect(await importer.finish()).toMatchObject({ imported: 1 });
    expect(journal.head()).toEqual(before);
  });

  test('a rehearsal counts what is there, and what stands in the file twice, as the import then does', async () => {
    verifies('PACK-12');
    const { services, agent } = await startMemory();
    const { journal, scrubber } = services;
    await agent.import([{ content: 'known' }], 'p');
    const lines = [
      { content: 'known' },
      { content: 'new' },
      ...Array.from({ length: 250 }, (_, index) => ({ content: `line ${index}` })),
      { content: 'new' },
    ];
    for (const dryRun of [true, false]) {
      const importer = new Importer({ journal, scrubber, caller: localOwner, project: 'p', dryRun });
      for (const [index, line] of lines.entries()) await importer.add(index + 1, line);
      expect(await importer.finish()).toMatchObject({ imported: 251, skipped: 2, bad: [] });
    }
  });

  test('makes the project only for those who may', async () => {
    const { agent } = await startMemory();
    const bob = agent.as('bob', { projects: ['proj_x'] });
    const report = await bob.import([{ content: 'x' }], 'somewhere new');
    expect(report.bad).toMatchObject([{ line: 1, problem: expect.stringContaining('Project not found') }]);
  });

  test('any text is a line or a problem, never an exception', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const parsed = lines.parse(text);
        expect(parsed === undefined).toBe(text.trim() === '');
        expect(!parsed || 'line' in parsed || parsed.problem !== '').toBe(true);
      }),
    );
  });

  test('fields that are not ours are kept as metadata', () => {
    expect(lines.parse('{"content":"x","speaker":"A","title":null,"metadata":{"b":1}}')).toEqual({
      line: { content: 'x', metadata: { speaker: 'A', b: 1 } },
    });
  });
});

describe('a folder of Markdown', () => {
  test('becomes documents; a file that changed replaces what it said', async () => {
    verifies('PACK-12');
    const { agent, services } = await startMemory();
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'sub'));
    writeFileSync(
      join(folder, 'a.md'),
      '---\nkind: rule\ntags: [one, two]\n---\n# Walruses\n\nNever feed the walrus.',
    );
    writeFileSync(join(folder, 'sub', 'b.md'), 'No heading, about a heron.');
    writeFileSync(join(folder, 'c.md'), '---\n: [\n---\nbroken');
    const load = async () => {
      const { journal, scrubber } = services;
      const importer = new Importer({ journal, scrubber, caller: localOwner, project: 'docs' });
      for (const [index, path] of markdownFiles(folder).entries()) {
        const read = readMarkdown(lines, folder, path);
        if ('line' in read) await importer.add(index + 1, read.line, 'markdown');
        else importer.refuse(index + 1, read.problem);
      }
      return importer.finish();
    };
    expect(await load()).toMatchObject({
      imported: 2,
      bad: [{ problem: expect.stringContaining('front matter') }],
    });
    expect(itemsOf(await agent.context('walrus'))).toMatchObject([
      { type: 'rule', name: 'Walruses', source: 'a.md', metadata: { tags: ['one', 'two'] } },
    ]);
    writeFileSync(join(folder, 'a.md'), '# Walruses\n\nFeeding the walrus is fine now.');
    expect(await load()).toMatchObject({ imported: 1, skipped: 1 });
    expect(itemsOf(await agent.context('walrus')).map(({ content }) => content)).toEqual([
      '# Walruses\n\nFeeding the walrus is fine now.',
    ]);
  });
});

test('a comment in fenced code is no title of a file', () => {
  const folder = temporaryFolder();
  const titleOf = (text: string) => {
    const path = join(folder, 'set-up.md');
    writeFileSync(path, text);
    const read = readMarkdown(lines, folder, path);
    return 'line' in read ? read.line.title : read.problem;
  };
  const code = '```sh\n# install it\nnpm ci\n```\n';
  expect(titleOf(code)).toBe('set-up');
  expect(titleOf(`${code}\n# Setting up #\n`)).toBe('Setting up');
});

describe('relations between items that are there', () => {
  test('can be added once, and refuse a cycle of supersession with nothing written', async () => {
    verifies('PACK-04');
    const { agent, services } = await startMemory();
    const { journal } = services;
    const ids = [];
    for (const name of ['alpha', 'beta', 'gamma']) ids.push((await agent.remember(`The ${name} plan`)).id);
    const [a, b, c] = ids as [string, string, string];
    const relate = (item: string, type: string, id: string) => agent.act(relateItems, { item, type, id });
    expect(await relate(b, 'supersedes', a)).toEqual({ related: true });
    expect(await relate(b, 'supersedes', a)).toEqual({ related: false });
    expect(await relate(c, 'supersedes', b)).toEqual({ related: true });
    const before = journal.head();
    for (const [from, to] of [
      [a, c],
      [a, b],
      [a, a],
    ] as const) {
      await expect(relate(from, 'supersedes', to)).rejects.toThrow('cycle of supersession');
    }
    await expect(relate(c, 'supports', 'mem_nothing')).rejects.toThrow('does not exist: mem_nothing');
    expect(journal.head()).toEqual(before);
    expect(idsOf(await agent.context('plan'))).toEqual([c]);
  });
});

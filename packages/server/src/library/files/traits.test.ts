import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { testConfig } from '../../testing/fixtures.suite.ts';
import { Agent, startServer } from '../fixture.suite.ts';
import { traitsOf } from './traits.ts';

const rule = (front: string) => `---\n${front}\n---\n# Rule\n\n## Do\n\n- This.\n`;

describe('what front matter says about where a file applies', () => {
  test('is read from lists and from texts, by our names and by those of other tools', () => {
    verifies('LIB-18');
    expect(traitsOf(rule('tags: [go, web]\napplies_to: ["src/**", "*.go"]\nhosts: Codex'))).toEqual({
      tags: ['go', 'web'],
      appliesTo: ['src/**', '*.go'],
      hosts: ['codex'],
    });
    expect(traitsOf(rule('globs: *.ts,src/{a,b}/*.tsx'))).toEqual({ appliesTo: ['*.ts', 'src/{a,b}/*.tsx'] });
    expect(traitsOf(rule('applyTo: "**/*.py"'))).toEqual({ appliesTo: ['**/*.py'] });
    expect(traitsOf(rule('deprecated: true\nsuccessor: b/NEW.md'))).toEqual({
      deprecated: true,
      successor: 'b/NEW.md',
    });
  });

  test('is nothing where nothing is said, or where it means nothing', () => {
    expect(traitsOf('# Rule\n')).toBeNull();
    expect(traitsOf(rule('description: d'))).toBeNull();
    expect(traitsOf(rule('applies_to: "../out"\ndeprecated: false\nsuccessor: b.md\ntags: 3'))).toBeNull();
  });
});

describe('discovering', () => {
  const FILES = {
    'a/OLD.md': rule('deprecated: true\nsuccessor: b/NEW.md'),
    'b/NEW.md': rule('description: New'),
    'c/CODEX.md': rule('hosts: [codex]'),
    'd/GO.md': rule('applies_to: "*.go"'),
    'e/WEB.md': rule('applies_to: web/'),
  };

  test('with the files in work names first what applies to them, and last what is deprecated', async () => {
    verifies('LIB-18');
    const { agent } = await startServer(FILES);
    await agent.setup();
    const paths = async (input: object) => (await agent.discover({ ...input })).map(({ path }) => path);
    expect(await paths({})).toEqual(['b/NEW.md', 'c/CODEX.md', 'd/GO.md', 'e/WEB.md', 'a/OLD.md']);
    expect(await paths({ paths: ['/work-of/alice/web/a.css'] })).toEqual([
      'e/WEB.md',
      'b/NEW.md',
      'c/CODEX.md',
      'd/GO.md',
      'a/OLD.md',
    ]);
    const found = await agent.discover({ paths: ['cmd/main.go'], query: 'rule do' });
    expect(found[0]).toMatchObject({ path: 'd/GO.md', applies: true });
    expect(found.at(-1)).toMatchObject({ path: 'a/OLD.md', deprecated: true, successor: 'b/NEW.md' });
  });

  test('finds what applies also where it stands beyond what is shown', async () => {
    const { agent } = await startServer(FILES, { limits: { ...testConfig().limits, discoverItems: 2 } });
    await agent.setup();
    const found = await agent.discover({ paths: ['web/a.css'] });
    expect(found.map(({ path }) => path)).toEqual(['e/WEB.md', 'b/NEW.md']);
    expect((await agent.discover({ paths: ['web/a.css'], group: 'b' })).map(({ path }) => path)).toEqual([
      'b/NEW.md',
    ]);
  });

  test('loading a deprecated file says so, and what took its place', async () => {
    const { agent } = await startServer(FILES);
    await agent.setup();
    const id = await agent.idOf('a/OLD.md');
    const result = await agent.result('memory.load', { ids: [id], knownHashes: { [id]: '' } });
    expect(JSON.stringify(result)).toContain('a/OLD.md is deprecated; b/NEW.md has taken its place');
    expect(result.structuredContent).toMatchObject({ items: [{ deprecated: true, successor: 'b/NEW.md' }] });
  });

  test('a draft that changes where a rule applies counts for who sees the draft', async () => {
    const { agent, services } = await startServer(FILES);
    await agent.setup();
    const id = await agent.idOf('d/GO.md');
    await agent.draft('rule', { update: { id, body: rule('applies_to: "*.rs"') } });
    expect((await agent.discover({ paths: ['a.rs'] }))[0]).toMatchObject({ path: 'd/GO.md', applies: true });
    const other = new Agent(services);
    await other.setup('thread-2');
    expect((await other.discover({ paths: ['a.rs'] }))[0]).not.toHaveProperty('applies');
  });
});

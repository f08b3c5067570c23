import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { countTokens } from '../../kernel/tokens/count.ts';
import { startHost } from '../fixture.suite.ts';

const rule = (front: string) => `---\n${front}\n---\n# Rule\n\n## Do\n\n- This.\n`;

async function hostAtWork(files: Record<string, string>) {
  const host = await startHost({ 'a/ALL.md': rule('description: For all') });
  await host.start();
  // Published after the start: the window does not know of them.
  await host.server.publish(files);
  const use = async (tool: string, input: object, more = {}) =>
    (await host.hear({ kind: 'tool', tool, input, output: '', failed: false, isReplaceable: false }, more))
      .context;
  return { host, use };
}

describe('when a tool reads or changes a file', () => {
  test('rules that apply to it and of which the session has not heard are named, once', async () => {
    verifies('LIB-18', 'HOST-03');
    const { use, host } = await hostAtWork({
      'go/GO.md': rule('applies_to: "*.go"\ndescription: How Go is written'),
      'go/OLD.md': rule('applies_to: "*.go"\ndeprecated: true'),
      'go/CODEX.md': rule('applies_to: "*.go"\nhosts: [codex]'),
      'web/WEB.md': rule('applies_to: web/'),
      'b/PLAIN.md': rule('description: Says nothing of files'),
    });
    const first = await use('Read', { file_path: '/work-of/alice/cmd/main.go' });
    expect(first).toContain('Rules for cmd/main.go');
    expect(first).toContain('go/GO.md: How Go is written');
    expect(first).not.toMatch(/OLD|CODEX|WEB|PLAIN|ALL/);
    expect(countTokens(first!)).toBeLessThanOrEqual(300);
    expect(await use('Edit', { file_path: '/work-of/alice/cmd/main.go', old_string: 'a' })).toBeUndefined();
    expect(await use('Write', { file_path: '/work-of/alice/web/a.css', content: 'a' })).toContain(
      'web/WEB.md',
    );
    expect(await use('Bash', { command: 'ls web' })).toBeUndefined();
    await host.server.publish({ 'go/GO.md': rule('applies_to: "*.go"\ndescription: Another way') });
    expect(await use('Read', { file_path: 'cmd/main.go' })).toContain('Another way');
  });

  test('nothing is said to a subagent, late, or where hooks say nothing', async () => {
    const { use, host } = await hostAtWork({ 'go/GO.md': rule('applies_to: "*.go"') });
    const file = { file_path: '/work-of/alice/main.go' };
    expect(await use('Read', file, { agent: 'helper' })).toBeUndefined();
    expect(await use('Read', file, { isLate: true })).toBeUndefined();
    host.services.config.hooks = { ...host.services.config.hooks, wake: false };
    expect(await use('Read', file)).toBeUndefined();
    host.services.config.hooks = { ...host.services.config.hooks, wake: true };
    expect(await use('Read', file)).toContain('go/GO.md');
  });

  test('and at the start rules of other hosts are left out, and deprecated ones come last', async () => {
    const host = await startHost({
      'a/OLD.md': rule('deprecated: true\nsuccessor: b/NEW.md'),
      'b/NEW.md': rule('description: New'),
      'c/CODEX.md': rule('hosts: [codex]'),
    });
    const { context } = await host.start();
    expect(context).not.toContain('CODEX');
    expect(context!.indexOf('b/NEW.md: New')).toBeLessThan(
      context!.indexOf('a/OLD.md (deprecated: use b/NEW.md)'),
    );
    const other = await startHost({ 'c/CODEX.md': rule('hosts: [codex]') });
    other.host = 'codex';
    expect((await other.start()).context).toContain('c/CODEX.md');
    await other.call('memory.setup', { session_id: other.session });
    const { items } = await other.call<{ items: object[] }>('memory.discover');
    expect(items).toHaveLength(1);
    const third = await startHost({ 'c/CODEX.md': rule('hosts: [codex]') });
    await third.start();
    await third.call('memory.setup', { session_id: third.session });
    expect((await third.call<{ items: object[] }>('memory.discover')).items).toEqual([]);
  });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withoutInjected } from '@infold/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { countTokens } from '../../kernel/tokens/count.ts';
import { STYLE } from '../../library/fixture.suite.ts';
import { temporaryFolder } from '../../testing/fixtures.suite.ts';
import { hostOf } from '../../trust/sessions/queries.ts';
import { FOLDER, type HookHost, startHost } from '../fixture.suite.ts';

const BEFORE = { kind: 'before-compaction', trigger: 'auto' } as const;

/** A session with something of everything that a summary may lose. */
async function busy(): Promise<{ host: HookHost; open: string; folded: string; task: string }> {
  const host = await startHost({ 'coding/STYLE.md': STYLE });
  await host.start();
  const library = { project_path: undefined };
  await host.call('memory.setup', { session_id: host.session, ...library });
  const { items } = await host.call<{ items: { id: string }[] }>('memory.discover', library);
  const [rule] = items.map(({ id }) => id);
  await host.call('memory.load', { ids: [rule], knownHashes: { [rule!]: '' }, ...library });
  const first = await branch(host, 'Find the leak', 'Look at every open handle');
  await host.call('context_return', { branch_id: first, message: 'The pool never closes its sockets' });
  const open = await branch(host, 'Close the pool', 'Close each socket once, in the order of opening');
  await host.call('store_analysis_memory', {
    analysis_id: 'leak',
    findings: [{ finding: 'Sockets leak 12 kB each' }],
    ...library,
  });
  const { id: task } = await host.remember('Ship the fix', { kind: 'task', metadata: { status: 'doing' } });
  return { host, open, folded: first, task };
}

async function branch(host: HookHost, description: string, prompt: string): Promise<string> {
  return (await host.call<{ branch_id: string }>('context_branch', { description, prompt })).branch_id;
}

describe('before a compaction', () => {
  test('whoever writes the summary is told ids, tasks and constraints', async () => {
    const { host, open, task } = await busy();
    const { instructions, ...rest } = await host.hear(BEFORE);
    expect(rest).toEqual({});
    for (const text of [open, task, 'Naming/1: Use whole words', 'Forbidden: Nothing clever.'])
      expect(instructions).toContain(text);
    expect(instructions).not.toContain('every open handle');
    expect(countTokens(instructions!)).toBeLessThanOrEqual(600);
    expect(withoutInjected(instructions!)).toBe('');
  });

  test('nothing to keep is nothing to say', async () => {
    const host = await startHost();
    await host.start();
    expect(await host.hear(BEFORE)).toEqual({});
  });
});

describe('after a compaction', () => {
  test('what the summary may have lost comes back', async () => {
    verifies('HOST-04');
    const { host, open, folded, task } = await busy();
    await host.hear(BEFORE);
    const { context } = await host.start('compact');
    for (const text of [
      `${open} (depth 1`,
      'begun with: Close each socket once, in the order of opening',
      `${folded}, Find the leak: The pool never closes its sockets`,
      'Sockets leak 12 kB each',
      'Naming/1: Use whole words',
      `${task}, doing: Ship the fix`,
    ])
      expect(context).toContain(text);
    expect(countTokens(context!)).toBeLessThanOrEqual(1500);
    expect(withoutInjected(context!)).toBe('');
    // Claude Code says after that that it is done.
    await host.hear({ kind: 'after-compaction' });
    expect(hostOf(host.services.journal.database, host.sessionNow()!.id)).toMatchObject({ is_compacted: 0 });
    // One that was called off has lost nothing.
    await host.hear(BEFORE);
    expect(await host.prompt('go on')).toEqual({});
  });

  test('files in work come from the transcript and the journal, and results by their handles', async () => {
    verifies('HOST-04');
    const { host } = await busy();
    const transcript = join(temporaryFolder(), 'transcript.jsonl');
    const use = (name: string, input: object) => ({ type: 'tool_use', id: 'toolu_1', name, input });
    const lines = [
      { type: 'assistant', message: { content: [use('Read', { file_path: `${FOLDER}/src/pool.ts` })] } },
      { type: 'assistant', message: { content: [use('Edit', { file_path: `${FOLDER}/src/pool.ts` })] } },
      { payload: { type: 'function_call', name: 'read_file', arguments: '{"file_path":"/etc/hosts"}' } },
      {
        payload: { type: 'custom_tool_call', name: 'apply_patch', input: '*** Update File: src/socket.ts\n' },
      },
      { messages: [{ toolCalls: [{ name: 'write_file', args: { file_path: 'notes.md', content: 'x' } }] }] },
    ];
    writeFileSync(transcript, `cut off"}\n${lines.map((line) => JSON.stringify(line)).join('\n')}\n{"half`);
    const session = host.sessionNow()!;
    await host.services.meter.report(host.caller, session, [
      { tool: 'Read', input: { file_path: `${FOLDER}/README.md` }, output: 'text', tokens: 5 },
      {
        tool: 'Bash',
        input: { command: 'ls' },
        output: 'a\n[context_expand {"handle":"win_abc"} shows it]',
        tokens: 5,
      },
      {
        tool: 'Bash',
        input: { command: `npm test ${'x'.repeat(500)}` },
        output: '[context_expand {"handle":"win_def"} shows it]',
        tokens: 5,
      },
    ]);
    const { context } = await host.hear({ kind: 'session-start', source: 'compact' }, { transcript });
    const files = context!.split('Files in work:\n')[1]!.split('\n').slice(0, 5);
    expect(files).toEqual([
      '- notes.md (changed)',
      '- src/socket.ts (changed)',
      '- src/pool.ts (changed)',
      '- /etc/hosts',
      '- README.md',
    ]);
    expect(context).toContain('- win_abc: Bash: ls\n');
    expect(context).toMatch(/^- win_def: Bash: npm test x{10,100}…$/m);
  });

  test('a host that does not begin anew is told with the next prompt, once', async () => {
    const { host, open } = await busy();
    host.host = 'cursor';
    await host.hear(BEFORE);
    expect((await host.prompt('go on')).context).toContain(open);
    expect(await host.prompt('go on')).toEqual({});
  });

  test('Gemini is told when its transcript shows a compression, once for each', async () => {
    const { host, open } = await busy();
    host.host = 'gemini';
    const transcript = join(temporaryFolder(), 'transcript.jsonl');
    const compressed = (id: string) => {
      const said = { type: 'gemini', content: [{ text: 'Got it. Thanks for the additional context!' }], id };
      const summary = { type: 'user', content: [{ text: '<state_snapshot>' }], id: 'u' };
      return `${JSON.stringify({ $set: { messages: [summary, said] } })}\n`;
    };
    const ask = () => host.hear({ kind: 'prompt', text: 'go on' }, { transcript });
    writeFileSync(transcript, '{"$set":{"messages":[]}}\n');
    expect(await ask()).toEqual({});
    writeFileSync(transcript, compressed('one'));
    expect((await ask()).context).toContain(open);
    expect(await ask()).toEqual({});
    writeFileSync(transcript, compressed('one') + compressed('two'));
    expect((await ask()).context).toContain(open);
  });

  test('it can be switched off', async () => {
    const hooks = { wake: true, prompt: true, compaction: false, tools: true, shorten: true };
    const host = await startHost({ 'STYLE.md': STYLE }, { hooks });
    await host.start();
    expect(await host.hear(BEFORE)).toEqual({});
    expect(await host.start('compact')).toEqual({});
  });

  test('it keeps to its budget, whatever the journal holds', async () => {
    verifies('HOST-04');
    const text = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 4000 })
      .filter((each) => each.trim() !== '');
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 8 }), async (texts) => {
        const host = await startHost({
          'STYLE.md': `# Rules\n\n## One\n\n${texts.map((each) => `- ${each}\n`).join('')}`,
        });
        await host.start();
        for (const each of texts) {
          await host.remember(each, { kind: 'task', metadata: { status: 'doing' } });
          const folded = await branch(host, each.slice(0, 200), each);
          await host.call('context_return', { branch_id: folded, message: each });
        }
        await branch(host, texts[0]!.slice(0, 200), texts.join('\n'));
        const { context } = await host.start('compact');
        expect(countTokens(context!)).toBeLessThanOrEqual(1500);
        const { instructions } = await host.hear(BEFORE);
        expect(countTokens(instructions!)).toBeLessThanOrEqual(600);
        host.session = 'another';
        expect(countTokens((await host.start()).context!)).toBeLessThanOrEqual(800);
      }),
      { numRuns: 4 },
    );
  });
});

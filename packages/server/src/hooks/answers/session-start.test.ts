import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withoutInjected } from '@infold/protocol';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { FORGETTERS } from '../../cli/services/forgetters.ts';
import { countTokens } from '../../kernel/tokens/count.ts';
import { STYLE } from '../../library/fixture.suite.ts';
import { callerNamed, HOUR, temporaryFolder } from '../../testing/fixtures.suite.ts';
import { forget } from '../../trust/forget.ts';
import { hostOf } from '../../trust/sessions/queries.ts';
import { startHost } from '../fixture.suite.ts';

const RULES = { 'coding/STYLE.md': STYLE };

describe('at the start of a session', () => {
  test('a project about which nothing is known is told nothing', async () => {
    verifies('HOST-03');
    const host = await startHost();
    expect(await host.start()).toEqual({});
  });

  test('rules, tasks, decisions and the open branch are told, and nothing else', async () => {
    verifies('HOST-03');
    const host = await startHost({ ...RULES, 'context/SPEC.md': '# Not a rule\n' });
    const task = await host.remember('Fix the parser', { kind: 'task', metadata: { status: 'doing' } });
    await host.remember('Paint the shed', { kind: 'task', metadata: { status: 'done' } });
    const decision = await host.remember('We keep one file per project', { kind: 'decision' });
    await host.remember('Ada likes tea');
    host.session = 'another';
    await host.call('context_branch', { description: 'Look for the leak', prompt: 'find it' });
    const { context } = await host.start('resume');
    expect(context).toContain('coding/STYLE.md: How code looks');
    expect(context).toContain(`${task.id}, doing: Fix the parser`);
    expect(context).toContain(`${decision.id}, 2026-01-05: We keep one file per project`);
    expect(context).toContain('Look for the leak');
    expect(context).not.toMatch(/SPEC|shed|tea/);
    expect(countTokens(context!)).toBeLessThanOrEqual(800);
    expect(withoutInjected(`before ${context} after`)).toBe('before  after');
  });

  test('one that is resumed is told again only what is open or new', async () => {
    const host = await startHost(RULES);
    expect((await host.start()).context).toContain('STYLE');
    expect(await host.start('resume')).toEqual({});
    await host.remember('Only UTC in logs', { kind: 'decision' });
    const { context } = await host.start('resume');
    expect(context).toContain('Only UTC in logs');
    expect(context).not.toContain('STYLE');
    await host.server.publish({ 'coding/STYLE.md': `${STYLE}\n## More\n\nOf it.\n` });
    expect((await host.start('resume')).context).toContain('STYLE');
  });

  test('a window that was cleared knows nothing of what it was told', async () => {
    const host = await startHost(RULES);
    const first = await host.start();
    expect(await host.start('clear')).toEqual(first);
  });

  test('one whose session has ended meanwhile is told where it stopped', async () => {
    const host = await startHost();
    await host.start();
    const { branch_id } = await host.call<{ branch_id: string }>('context_branch', {
      description: 'Look for the leak',
      prompt: 'find it',
    });
    host.server.clock.advance(25 * HOUR);
    const { context } = await host.start('resume');
    expect(context).toContain('Branch of the session before this one');
    expect(context).toContain(`${branch_id}: Look for the leak`);
  });

  test('one that was forked is told where the other one is', async () => {
    const host = await startHost();
    await host.start();
    const { branch_id } = await host.call<{ branch_id: string }>('context_branch', {
      description: 'Look for the leak',
      prompt: 'find it',
    });
    const transcript = join(temporaryFolder(), 'fork.jsonl');
    writeFileSync(transcript, JSON.stringify({ forkedFrom: { sessionId: host.session } }));
    host.session = 'fork';
    const { context } = await host.hear({ kind: 'session-start', source: 'fork' }, { transcript });
    expect(context).toContain(`${branch_id}: Look for the leak`);
    expect(context).not.toContain('Open branch');
  });

  test('what came too late for the host does not count as told', async () => {
    const host = await startHost(RULES);
    const gone = AbortSignal.abort();
    expect(await host.hear({ kind: 'session-start', source: 'startup' }, { gone })).toEqual({});
    expect((await host.prompt('hello')).context).toContain('STYLE');
  });

  test('an agent that a model started is told by that model', async () => {
    const host = await startHost(RULES);
    const event = { kind: 'session-start', source: 'startup' } as const;
    expect(await host.hear(event, { agent: 'agent-1' })).toEqual({});
  });

  test('what another principal knows, or a token that may only read, is not told', async () => {
    const host = await startHost(RULES);
    await host.remember('Mine alone', { kind: 'decision', scope: 'private' });
    host.caller = callerNamed('bob');
    host.session = 'of-bob';
    expect((await host.start()).context).not.toContain('Mine alone');
    host.caller = callerNamed('eve', { scopes: ['read'] });
    await expect(host.start()).rejects.toThrow('write');
  });

  test('where the host has it is forgotten with the session', async () => {
    const host = await startHost();
    const event = { kind: 'session-start', source: 'startup' } as const;
    await host.hear(event, { transcript: '/home/ada/secret-plan.jsonl' });
    const { journal } = host.services;
    const { id } = host.sessionNow()!;
    await forget(journal, host.caller, { kind: 'session', id, org: host.caller.org }, FORGETTERS);
    expect(hostOf(journal.database, id)).toMatchObject({ transcript: null, folder: '[forgotten]' });
    expect(JSON.stringify(journal.entriesAfter(0, 1000))).not.toContain('secret-plan');
  });

  test('it can be switched off', async () => {
    const hooks = { wake: false, prompt: true, compaction: true, tools: true, shorten: true };
    const host = await startHost(RULES, { hooks });
    expect(await host.start()).toEqual({});
  });

  test('what comes late binds, and is not answered', async () => {
    const host = await startHost(RULES);
    const event = { kind: 'session-start', source: 'startup' } as const;
    expect(
      await host.hear(event, { isLate: true, transcript: '/home/ada/.claude/projects/-w/a.jsonl' }),
    ).toEqual({});
    const { database } = host.services.journal;
    const session = host.sessionNow()!;
    expect(hostOf(database, session.id)).toMatchObject({
      host: 'claude-code',
      folder: '/work-of/alice',
      transcript: '/home/ada/.claude/projects/-w/a.jsonl',
    });
  });
});

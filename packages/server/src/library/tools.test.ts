import type { DiscoverItem, LoadedItem } from '@infold/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { callerNamed, HOUR } from '../testing/fixtures.suite.ts';
import { Connection } from '../trust/sessions/resolve.ts';
import { DEFAULT_META_PROMPT } from './bootstrap.ts';
import { bareHash, contentHash } from './files/hashes.ts';
import { Agent, CODING, eventData, eventTypes, PROJECT, SPEC, STYLE, startServer } from './fixture.suite.ts';

describe('memory.setup', () => {
  test('answers the workspace, the host session and the meta prompt, and is on record', async () => {
    verifies('LIB-01', 'LIB-13');
    const { agent, project } = await startServer();
    const answer = await agent.setup('4f04001af902673e92094a7c59d86abb');
    expect(answer).toEqual({
      workspaceId: project.workspace_id,
      sessionId: '4f04001af902673e92094a7c59d86abb',
      mpf: { hash: bareHash(DEFAULT_META_PROMPT), content: DEFAULT_META_PROMPT },
    });
    expect(answer.workspaceId).toMatch(/^ws-[0-9a-f]{32}$/);
    expect(eventData(agent, 'attest.setup')).toMatchObject([
      { workspace_id: project.workspace_id, mpf_hash: answer.mpf!.hash, mpf_changed: true },
    ]);
  });

  test('sends no content to who knows the hash, in either form', async () => {
    verifies('LIB-01');
    const { agent } = await startServer();
    const { hash } = (await agent.setup()).mpf!;
    for (const knownHash of [hash, `sha256:${hash}`]) {
      expect((await agent.setup('thread-1', { knownHash })).mpf).toEqual({ hash, changed: false });
    }
    expect((await agent.setup('thread-1', { knownHash: 'other' })).mpf).toHaveProperty('content');
    expect(eventTypes(agent)).toEqual(['attest.setup']);
  });

  test('gives the published meta prompt, and records again when it has changed', async () => {
    verifies('LIB-01');
    const { agent, publish } = await startServer();
    const { hash } = (await agent.setup()).mpf!;
    await publish({ 'META_PROMPT.md': '# Ours\n' });
    expect((await agent.setup('thread-1', { knownHash: hash })).mpf).toEqual({
      hash: bareHash('# Ours\n'),
      content: '# Ours\n',
    });
    expect(eventTypes(agent)).toEqual(['attest.setup', 'attest.setup']);
  });

  test.each([
    [{}, 'session_id is required'],
    [{ session_id: 5 }, 'must be a string; it was 5'],
    [{ session_id: '' }, 'must not be empty'],
    [{ session_id: '../session' }, "may only contain letters, numbers, '-' and '_'"],
    [{ session_id: 'session.json' }, "may only contain letters, numbers, '-' and '_'"],
    [{ session_id: 'x'.repeat(129) }, 'must be at most 128 bytes'],
  ])('refuses %j', async (input, message) => {
    verifies('LIB-02');
    const { services } = await startServer();
    const agent = new Agent(services, undefined, Connection.alone(PROJECT));
    const before = services.journal.head().seq;
    expect((await agent.refusal('memory.setup', input)).error).toContain(message);
    expect(services.journal.head().seq).toBe(before);
  });

  test('names the session that a branch began on this connection', async () => {
    const { agent } = await startServer();
    const { session_id } = await agent.call<{ session_id: string }>('context_branch', {
      description: 'b',
      prompt: 'p',
      project_path: agent.connection.project,
    });
    await agent.setup('thread-7');
    const state = await agent.result('memory.discover', { session_id: 'thread-7' });
    expect(state._meta?.['infold/contextState']).toMatchObject({ session_id, branch_depth: 1 });
  });
});

describe('which session a call belongs to', () => {
  test.each(['memory.discover', 'memory.load', 'memory.refer', 'memory.submit', 'memory.reject', 'draft'])(
    '%s before setup says that setup is required',
    async (name) => {
      verifies('LIB-02');
      const { agent } = await startServer();
      const input = {
        'memory.load': { ids: ['p-1'], knownHashes: { 'p-1': '' } },
        'memory.refer': { refs: [{ ruleId: 'p-1', constraintId: 'A' }] },
        'memory.submit': { summary: 'done' },
        draft: { resource: 'rule', op: { discard: { id: 'x' } } },
      }[name];
      const refusal = await agent.refusal(name, input ?? {});
      expect(refusal).toMatchObject({ code: 'setup_required', retryable: true });
      expect(refusal.error).toContain('memory.setup with the exact host session_id is required');
    },
  );

  test('a request without a connection is asked for session_id', async () => {
    verifies('LIB-02');
    const { agent, services } = await startServer();
    await agent.setup('one');
    await agent.setup('two');
    const stranger = new Agent(services, undefined, Connection.alone(PROJECT));
    const refusal = await stranger.refusal('memory.discover');
    expect(refusal).toMatchObject({ code: 'session_required', retryable: false });
    expect(refusal.candidates).toHaveLength(2);
    expect(await stranger.discover({ session_id: 'one' })).toHaveLength(3);
    expect(await stranger.refusal('memory.discover', { session_id: 'three' })).toMatchObject({
      code: 'setup_required',
    });
  });

  test("a connection does not work in another one's session, even the only one, which ends after a day", async () => {
    verifies('KERN-17');
    const { agent, services, clock } = await startServer();
    await agent.setup();
    expect(await new Agent(services).refusal('memory.discover')).toMatchObject({ code: 'setup_required' });
    expect(await agent.discover()).toHaveLength(3);
    clock.advance(25 * HOUR);
    expect(await agent.refusal('memory.discover')).toMatchObject({ code: 'setup_required' });
  });

  test('the id may be left out on a connection, which has its own', async () => {
    verifies('LIB-02');
    const { agent, services } = await startServer();
    const { sessionId } = await agent.call<{ sessionId: string }>('memory.setup');
    expect(sessionId).toMatch(/^sess_/);
    expect(await agent.discover()).toHaveLength(3);
    const hosted = new Connection(PROJECT, { hostSession: 'thread-7' });
    const told = new Agent(services, undefined, hosted);
    expect(await told.call('memory.setup')).toMatchObject({ sessionId: 'thread-7' });
    expect(await told.discover()).toHaveLength(3);
  });

  test("nobody works in another principal's session or library", async () => {
    const { agent, services } = await startServer();
    await agent.setup('mine');
    const bob = new Agent(services, callerNamed('bob'));
    expect(await bob.refusal('memory.discover', { session_id: 'mine' })).toMatchObject({
      code: 'setup_required',
    });
    const elsewhere = new Agent(services, callerNamed('eve', { org: 'other' }));
    await elsewhere.setup();
    expect(await elsewhere.discover()).toEqual([]);
  });
});

describe('memory.discover', () => {
  test('shows what there is, with the fields of the protocol and no content', async () => {
    verifies('LIB-03');
    const { agent } = await startServer();
    await agent.setup();
    const items = await agent.discover();
    expect(items).toEqual([
      {
        id: expect.stringMatching(/^p-[0-9a-f-]{36}$/),
        kind: 'rule',
        path: 'coding/STYLE.md',
        name: 'STYLE',
        group: 'coding',
        hash: contentHash(STYLE),
        description: 'How code looks',
      },
      {
        id: expect.stringMatching(/^ctx-[0-9a-f-]{36}$/),
        kind: 'context',
        path: 'context/SPEC.md',
        name: 'SPEC',
        group: 'context',
        hash: contentHash(SPEC),
      },
      {
        id: expect.stringMatching(/^p-/),
        kind: 'workflow',
        path: 'workflow/CODING.md',
        name: 'CODING',
        group: 'workflow',
        hash: contentHash(CODING),
      },
    ]);
  });

  test('filters by kind, by folder and by the group that front matter names', async () => {
    verifies('LIB-03');
    const { agent } = await startServer({
      'coding/A.md': '# A\n',
      'coding/deep/B.md': '# B\n',
      'docs/C.md': '---\ngroup: coding\n---\n# C\n',
      'workflow/D.md': '# D\n',
      'TOP.md': '# T\n',
    });
    await agent.setup();
    const paths = async (input: Record<string, unknown>) =>
      (await agent.discover(input)).map(({ path }) => path);
    expect(await paths({ group: 'coding' })).toEqual(['coding/A.md', 'coding/deep/B.md', 'docs/C.md']);
    expect(await paths({ group: 'coding/deep' })).toEqual(['coding/deep/B.md']);
    expect(await paths({ group: 'docs' })).toEqual(['docs/C.md']);
    expect(await paths({ kind: 'workflow' })).toEqual(['workflow/D.md']);
    expect(await paths({ kind: 'rule', group: 'workflow' })).toEqual([]);
    expect(await paths({ group: 'coding', query: 'b' })).toEqual(['coding/deep/B.md']);
    expect(await paths({ kind: 'workflow', query: 'd' })).toEqual(['workflow/D.md']);
    expect((await agent.discover({ query: 'top' }))[0]).not.toHaveProperty('group');
    expect((await agent.refusal('memory.discover', { kind: 'recipe' })).error).toContain('kind');
  });

  test('finds by words in path, name, description and headings, best first', async () => {
    verifies('LIB-03');
    const { agent } = await startServer({
      'coding/STYLE.md': '---\ndescription: Zig style rules\n---\n# Style\n',
      'coding/zig/ERRORS.md': '# Errors\n## Handling failures\n',
      'ZIG.md': '# About\n',
      'web/ReactHooks.md': '# Hooks\n```\n# secretword\n```\n',
    });
    await agent.setup();
    const names = async (query: string) => (await agent.discover({ query })).map(({ name }) => name);
    expect(await names('zig')).toEqual(['ZIG', 'STYLE', 'ERRORS']);
    expect(await names('zig style')).toEqual(['STYLE', 'ZIG', 'ERRORS']);
    expect(await names('ZIG styl')).toEqual(['STYLE', 'ZIG', 'ERRORS']);
    expect(await names('how to handle a failure')).toEqual(['ERRORS']);
    expect(await names('hooks')).toEqual(['ReactHooks']);
    expect(await names('secretword')).toEqual([]);
    for (const odd of ['"', 'a" OR "b', '*', 'NEAR(', '-x', ':', '(', '{path}', "'; DROP TABLE", '\u0000']) {
      await expect(agent.discover({ query: odd })).resolves.toBeDefined();
    }
    expect(await names('  ')).toHaveLength(4);
  });

  test('ranks by any of the words, says how well each fits, and which words nothing has', async () => {
    verifies('LIB-03');
    const { agent } = await startServer({
      'coding/RETRY.md': '---\ndescription: Timeouts of payments\n---\n# Retry\n',
      'coding/TIMEOUTS.md': '# Timeouts\n',
      'context/PAYMENTS.md': '# Payments\n## Retry and timeouts\n',
      'OTHER.md': '# Other\n',
    });
    await agent.setup();
    const found = async (query: string) =>
      (await agent.discover({ query })).map(({ name, match, matched }) => [name, match, matched]);
    expect(await found('retry payment timeouts')).toEqual([
      ['RETRY', 1, ['retry', 'payment', 'timeouts']],
      ['PAYMENTS', 1, ['retry', 'payment', 'timeouts']],
      ['TIMEOUTS', 0.33, ['timeouts']],
    ]);
    expect(await found('timeouts of blockchain')).toEqual(
      ['TIMEOUTS', 'RETRY', 'PAYMENTS'].map((name) => [name, 0.5, ['timeouts']]),
    );
    const half = await agent.result('memory.discover', { query: 'timeouts of blockchain' });
    expect(half._meta?.['infold/notices']).toEqual(['No file contains: blockchain']);
    expect(await found('blockchain')).toEqual([]);
    for (const item of await agent.discover()) expect(item).not.toHaveProperty('match');
  });

  test('says of each file which words it has, whatever the files and the query', async () => {
    verifies('LIB-03');
    const words = ['apple', 'banana', 'cherry', 'damson', 'elder', 'fig'];
    const subsets = fc.array(fc.subarray(words), { minLength: 20, maxLength: 20 });
    const queries = fc.array(fc.subarray([...words, 'zebra'], { minLength: 1 }), {
      minLength: 10,
      maxLength: 10,
    });
    await fc.assert(
      fc.asyncProperty(subsets, queries, async (files, asked) => {
        const { agent } = await startServer(
          Object.fromEntries(files.map((having, index) => [`r/R${index}.md`, `# ${having.join(' ')}\n`])),
        );
        await agent.setup();
        for (const query of asked) {
          const found = await agent.discover({ query: query.join(' ') });
          const expected = files
            .map((having, index) => [`R${index}`, query.filter((word) => having.includes(word))] as const)
            .filter(([, matched]) => matched.length > 0);
          expect(new Map(found.map(({ name, matched }) => [name, [...matched!].sort()]))).toEqual(
            new Map(expected),
          );
          const shares = found.map(({ match }) => match!);
          expect(shares).toEqual([...shares].sort((one, other) => other - one));
        }
      }),
      { numRuns: 5 },
    );
  });

  test('finds few words among very many that others share, in order of fitness', async () => {
    verifies('LIB-03');
    const many = Object.fromEntries(
      Array.from({ length: 1200 }, (_, number) => [`notes/N${number}.md`, '# Note\n## Common shared\n']),
    );
    const { agent } = await startServer({
      ...many,
      'notes/COMMON.md': '# Note\n',
      'rare/ONE.md': '# Rare\n## Common\n',
      'rare/TWO.md': '# Rare\n',
    });
    await agent.setup();
    const found = async (query: string) =>
      (await agent.discover({ query })).map(({ name, match }) => [name, match]);
    expect((await found('rare common')).slice(0, 3)).toEqual([
      ['ONE', 1],
      ['TWO', 0.5],
      ['COMMON', 0.5],
    ]);
    const common = await found('common shared');
    expect(common).toHaveLength(50);
    expect(new Set(common.map(([, match]) => match))).toEqual(new Set([1]));
    expect((await found('common'))[0]).toEqual(['COMMON', 1]);
  });

  test('shows so many and says that there are more; its evidence keeps the first names', async () => {
    verifies('LIB-13');
    const files = Object.fromEntries(
      Array.from({ length: 25 }, (_, index) => [
        `r/Rule ${String(index).padStart(2, '0')}.md`,
        `# ${index}\n`,
      ]),
    );
    const { agent } = await startServer(files);
    await agent.setup();
    expect(await agent.discover()).toHaveLength(25);
    const { result_names, result_count } = eventData(agent, 'attest.discover')[0] as {
      result_names: string[];
      result_count: number;
    };
    expect(result_count).toBe(25);
    expect(result_names).toHaveLength(21);
    expect(result_names.at(-1)).toBe('... (+5 more)');
    expect(result_names).not.toContain('Rule 24');
    const limits = { ...agent.services.config.limits, discoverItems: 10 };
    const small = new Agent({ ...agent.services, config: { ...agent.services.config, limits } });
    for (const input of [{}, { query: 'rule' }]) {
      const result = await small.result('memory.discover', { session_id: 'thread-1', ...input });
      expect((result.structuredContent as { items: DiscoverItem[] }).items).toHaveLength(10);
      expect(result._meta?.['infold/notices']).toEqual([expect.stringContaining('first 10')]);
    }
  });
});

describe('memory.load', () => {
  test('gives content with its reminder, and constraints of rules and workflows', async () => {
    verifies('LIB-04', 'LIB-06');
    const { agent, project } = await startServer();
    await agent.setup();
    const id = await agent.idOf('workflow/CODING.md');
    const answer = await agent.call<{ workspaceId: string; items: LoadedItem[] }>('memory.load', {
      ids: [id],
      knownHashes: { [id]: '' },
    });
    expect(answer.workspaceId).toBe(project.workspace_id);
    const [item] = answer.items;
    expect({ ...item, content: '' }).toEqual({
      id,
      kind: 'workflow',
      path: 'workflow/CODING.md',
      changed: true,
      hash: contentHash(CODING),
      hasDraft: false,
      content: '',
      constraints: [
        {
          id: 'Steps',
          name: 'Steps',
          text: '1. Load relevant rules.\n2. Run tests.',
          textHash: bareHash('1. Load relevant rules.\n2. Run tests.'),
        },
        {
          id: 'Steps/1',
          name: 'Steps',
          text: 'Load relevant rules.',
          textHash: bareHash('Load relevant rules.'),
        },
        { id: 'Steps/2', name: 'Steps', text: 'Run tests.', textHash: bareHash('Run tests.') },
      ],
    });
    expect(item!.content!.startsWith(CODING)).toBe(true);
    expect(item!.content!.slice(CODING.length)).toMatch(/memory\.refer.*Steps, Steps\/1, Steps\/2/s);
    const [context] = await agent.load(await agent.idOf('context/SPEC.md'));
    expect(context).toMatchObject({ content: SPEC, constraints: [] });
  });

  test('leaves content out for who has it; constraints still come', async () => {
    verifies('LIB-05');
    const { agent } = await startServer();
    await agent.setup();
    const ids = (await agent.discover()).map(({ id }) => id);
    const first = await agent.load(...ids);
    for (const form of [(hash: string) => hash, (hash: string) => hash.replace('sha256:', '')]) {
      const knownHashes = Object.fromEntries(first.map(({ id, hash }) => [id, form(hash)]));
      const { items } = await agent.call<{ items: LoadedItem[] }>('memory.load', { ids, knownHashes });
      expect(items.map(({ changed, content }) => [changed, content])).toEqual(ids.map(() => [false, null]));
      expect(items.map(({ constraints }) => constraints)).toEqual(
        first.map(({ constraints }) => constraints),
      );
    }
  });

  test.each([
    [{ ids: ['p-1'] }, 'knownHashes is required'],
    [{ knownHashes: {} }, 'ids is required'],
    [{ ids: [], knownHashes: {} }, 'ids: must not be empty'],
    [{ ids: ['p-1', 'p-2'], knownHashes: { 'p-1': '' } }, 'missing: p-2'],
    [{ ids: 'p-1', knownHashes: {} }, 'ids: must be a list; it was "p-1"'],
    [{ ids: ['p-1'], knownHashes: { 'p-1': null } }, 'knownHashes.p-1: must be a string; it was null'],
  ])('refuses %j', async (input, message) => {
    verifies('LIB-04');
    const { agent } = await startServer();
    await agent.setup();
    expect(await agent.refusal('memory.load', input)).toMatchObject({
      code: 'invalid_arguments',
      error: expect.stringContaining(message),
    });
  });

  test('of an unknown id loads nothing', async () => {
    verifies('LIB-04');
    const { agent } = await startServer();
    await agent.setup();
    const id = await agent.idOf('coding/STYLE.md');
    for (const unknown of ['p-unknown', 'META_PROMPT.md', 'coding/STYLE.md', '__proto__']) {
      const knownHashes = Object.fromEntries([id, unknown].map((one) => [one, '']));
      const refusal = await agent.refusal('memory.load', { ids: [id, unknown], knownHashes });
      expect(['Unknown rule id', expect.stringContaining('missing: __proto__')]).toContainEqual(
        refusal.error,
      );
    }
    expect(eventTypes(agent)).not.toContain('attest.load');
  });

  test('takes an id twice as once and keeps the order', async () => {
    const { agent } = await startServer();
    await agent.setup();
    const [one, two] = (await agent.discover()).map(({ id }) => id);
    expect((await agent.load(two!, one!, two!)).map(({ id }) => id)).toEqual([two, one]);
  });
});

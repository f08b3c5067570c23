import { createHash } from 'node:crypto';
import type { SessionProof } from '@infold/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { runs } from '../../../../../test/support/runs.ts';
import { hexOf } from '../../journal/integrity/chain.ts';
import type { Journal, JournalEvent } from '../../journal/journal.ts';
import { forget } from '../../system/actions/forget.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { linkProject } from '../../trust/identity/commands.ts';
import { projectById } from '../../trust/identity/queries.ts';
import { anySessionNamed } from '../../trust/sessions/queries.ts';
import { accessStream, sessionStream } from '../../trust/streams.ts';
import { proveSession } from '../actions/prove-session.ts';
import type { FileChange } from '../events.ts';
import { bareHash, contentHash } from '../files/hashes.ts';
import { Agent, CODING, PROJECT, STYLE, startServer, type TestServer } from '../fixture.suite.ts';
import { attestInstructions } from '../instructions.ts';
import { fileByPath } from '../queries/files.ts';
import { checkSessionProof, signedText } from './check.ts';
import type { SessionEvidence } from './evidence.ts';

const HOST_ID = 'thread-1';
const REASON = 'It was in the way';
const SUMMARY = 'Renamed everything';
const PROMPT = 'Look for long names';
const NEW_STYLE = STYLE.replace('whole words', 'short words');

/** A session that did what sessions do, with a publication and another agent's work in between. */
async function workingServer(): Promise<TestServer> {
  const server = await startServer();
  const { agent, clock, publish } = server;
  await agent.setup(HOST_ID);
  const [style, coding] = [await agent.idOf('coding/STYLE.md'), await agent.idOf('workflow/CODING.md')];
  clock.advance(1000);
  await agent.load(style, coding);
  await agent.call('context_branch', { description: 'names', prompt: PROMPT, project_path: PROJECT });
  await agent.refer(style, 'Naming/1', { reason: REASON });
  clock.advance(1000);
  await publish({ 'coding/STYLE.md': NEW_STYLE, 'coding/NEW.md': STYLE, 'workflow/CODING.md': CODING });
  await agent.refer(style, 'Naming/1');
  await agent.load(style);
  await agent.call('memory.submit', { summary: SUMMARY });
  await agent.call('memory.reject');
  return server;
}

const prove = (server: TestServer, content = false, session = HOST_ID) =>
  server.library.act(localOwner, proveSession, { session, content });

async function proofOf(server: TestServer, content = false): Promise<{ text: string; proof: SessionProof }> {
  const { text } = await prove(server, content);
  return { text, proof: JSON.parse(text.split('\n')[0]!) as SessionProof };
}

function evidenceOf(text: string): SessionEvidence {
  const { evidence, problem } = checkSessionProof(text);
  if (!evidence) throw new Error(problem);
  return evidence;
}

/** As the holder of the key could write it. */
async function signedAgain(journal: Journal, proof: unknown): Promise<string> {
  const line = JSON.stringify(proof);
  const hash = createHash('sha256').update(line).digest('hex');
  const key = await journal.keys.current();
  return `${line}\n${JSON.stringify({ signature: hexOf(key.sign(signedText(hash))) })}\n`;
}

describe('a session proof', () => {
  test('says which rules were in force, loaded and declared, and which of that it proves', async () => {
    verifies('LIB-19');
    const server = await workingServer();
    const { text } = await prove(server);
    const evidence = evidenceOf(text);
    const session = anySessionNamed(server.services.journal.database, HOST_ID)!;
    expect(evidence.session).toMatchObject({
      id: session.id,
      host_ids: [HOST_ID],
      actors: [localOwner.actor],
    });
    expect(evidence.in_force).toMatchObject([
      { revision: 1, proven: true, count: 3, gone: [] },
      { revision: 2, proven: true, count: 4, gone: [] },
    ]);
    expect(evidence.in_force[0]!.files.map(({ path, revision }) => [path, revision])).toEqual([
      ['coding/STYLE.md', 1],
      ['context/SPEC.md', 1],
      ['workflow/CODING.md', 1],
    ]);
    expect(evidence.in_force[1]!.files).toEqual([
      { path: 'coding/STYLE.md', kind: 'rule', hash: contentHash(NEW_STYLE), revision: 2 },
      { path: 'coding/NEW.md', kind: 'rule', hash: contentHash(STYLE), revision: 2 },
    ]);
    expect(evidence.loaded).toMatchObject([
      { path: 'coding/STYLE.md', hash: contentHash(STYLE), revision: 1, proven: true, by: 'agent' },
      {
        path: 'workflow/CODING.md',
        hash: contentHash(CODING),
        revision: 1,
        revision_proven: true,
        proven: true,
      },
      { path: 'coding/STYLE.md', hash: contentHash(NEW_STYLE), revision: 2, proven: true },
    ]);
    expect(evidence.loaded[2]!.at - evidence.loaded[0]!.at).toBe(1000);
    expect(evidence.declared).toMatchObject([
      {
        ...{ path: 'coding/STYLE.md', rule_hash: contentHash(STYLE), revision: 1, proven: false },
        ...{ constraint_hash: bareHash('Use whole words'), loaded: true, stale: false },
      },
      { rule_hash: contentHash(NEW_STYLE), revision: 2, proven: false, stale: true },
    ]);
    expect(evidence.turns).toMatchObject([
      { outcome: 'submitted', proven: false },
      { outcome: 'rejected', proven: true },
    ]);
    expect(evidence.publications).toMatchObject([
      { revision: 1, proven: false },
      { revision: 2, proven: false },
    ]);
  });

  test('holds no text of a rule, reason, summary or prompt, unless it is asked for', async () => {
    verifies('LIB-19');
    const server = await workingServer();
    const { text } = await prove(server);
    for (const content of ['whole words', 'Naming', 'Forbidden', 'How code looks', REASON, SUMMARY, PROMPT]) {
      expect(text).not.toContain(content);
    }
    const { text: whole } = await prove(server, true);
    for (const content of ['whole words', 'short words', 'Naming', REASON, SUMMARY])
      expect(whole).toContain(content);
    // It proves nothing about rules.
    expect(whole).not.toContain(PROMPT);
    const evidence = evidenceOf(whole);
    for (const part of ['declared', 'turns', 'publications', 'loaded'] as const) {
      expect(evidence[part].map(({ proven }) => proven)).not.toContain(false);
    }
    const { declared } = evidenceOf(text);
    expect(evidence.declared).toEqual(
      declared.map((one) => ({ ...one, proven: true, revision_proven: true })),
    );
  });

  test('is of every entry of the session, in a journal that others write to', async () => {
    const server = await workingServer();
    const { proof } = await proofOf(server);
    const { journal } = server.services;
    const session = anySessionNamed(journal.database, HOST_ID)!;
    const own = [...journal.positionsOf(session.stream)].map(({ seq }) => seq);
    const streams = proof.set.entries.map(({ seq, stream }) => [seq, proof.set.streams[stream]]);
    expect(streams.filter(([, stream]) => stream === session.stream).map(([seq]) => seq)).toEqual(own);
    expect((await prove(server, false, session.id)).session_id).toBe(session.id);
    await expect(prove(server, false, 'nobody')).rejects.toMatchObject({ code: 'session_not_found' });
  });

  test('names what a host loaded, and where the file was only if it was in the project', async () => {
    verifies('LIB-19');
    const server = await workingServer();
    const { journal } = server.services;
    const session = anySessionNamed(journal.database, HOST_ID)!;
    for (const [file, reason] of [
      ['coding/NEW.md', 'session_start'],
      ['/home/ada/secret-client/AGENTS.md', null],
      ['AGENTS.md', 'because Ada said so'],
    ] as const) {
      await attestInstructions(journal, localOwner, session, { file, text: STYLE, reason });
    }
    const { text } = await prove(server);
    const host = evidenceOf(text).loaded.filter(({ by }) => by === 'host');
    expect(host).toMatchObject([
      { path: 'coding/NEW.md', hash: contentHash(STYLE), revision: 2, proven: true },
      { path: 'coding/NEW.md', proven: false },
      { path: 'coding/NEW.md', proven: false },
    ]);
    expect(text).not.toMatch(/secret-client|Ada said/);
  });

  test('follows files that are renamed, swapped and deleted while the session goes on', async () => {
    verifies('LIB-19');
    const server = await startServer();
    const { agent, library, project } = server;
    await agent.setup(HOST_ID);
    const change = (op: FileChange['op'], from: string, to = from): FileChange => {
      const { id, kind, hash } = fileByPath(library.database, project.workspace_id, from)!;
      const previous_path = op === 'rename' ? from : null;
      return { op, file_id: id, kind, path: to, previous_path, hash, group: null, description: null };
    };
    const publish = (changes: () => FileChange[]) =>
      library.publishChanges(localOwner, project, 'draft', changes);
    await publish(() => [change('rename', 'coding/STYLE.md', 'coding/LOOKS.md')]);
    await agent.load(await agent.idOf('coding/LOOKS.md'));
    await publish(() => [
      change('rename', 'coding/LOOKS.md', 'workflow/CODING.md'),
      change('rename', 'workflow/CODING.md', 'coding/LOOKS.md'),
      change('delete', 'context/SPEC.md'),
    ]);
    await agent.load(await agent.idOf('workflow/CODING.md'));
    const { in_force, loaded } = evidenceOf((await prove(server)).text);
    expect(in_force.map(({ revision, count, gone, proven }) => ({ revision, count, gone, proven }))).toEqual([
      { revision: 1, count: 3, gone: [], proven: true },
      { revision: 2, count: 3, gone: ['coding/STYLE.md'], proven: true },
      { revision: 3, count: 2, gone: ['context/SPEC.md'], proven: true },
    ]);
    expect(loaded).toMatchObject([
      { path: 'coding/LOOKS.md', hash: contentHash(STYLE), revision: 2, revision_proven: true },
      { path: 'workflow/CODING.md', hash: contentHash(STYLE), revision: 3, revision_proven: true },
    ]);
  });

  test('of a session whose texts were forgotten still says what it loaded and declared', async () => {
    const server = await workingServer();
    const before = evidenceOf((await prove(server)).text);
    const session = anySessionNamed(server.services.journal.database, HOST_ID)!;
    await server.library.act(localOwner, forget, { kind: 'session', id: session.id });
    const after = evidenceOf((await prove(server, true)).text);
    expect(after.loaded).toEqual(before.loaded);
    // The one without a reason had nothing to forget.
    expect(after.declared).toEqual(
      before.declared.map((one, index) => ({ ...one, proven: index === 1, revision_proven: index === 1 })),
    );
  });

  test('of a session that recorded no digest of its library only states what was in force', async () => {
    const { library, services, project } = await startServer();
    const { org, principal, actor } = localOwner;
    const session_id = 'sess_old';
    const started = { session_id, org, principal, project_id: project.id, host_id: null };
    // As an earlier version wrote it.
    const { workspace_id, id: project_id } = project;
    const setup = { session_id, workspace_id, project_id, mpf_hash: null, mpf_changed: false, drafts: false };
    const item = {
      ...{ id: 'p-1', kind: 'rule' as const, path: 'coding/STYLE.md', hash: contentHash(STYLE) },
      ...{ changed: true, draft: false },
    };
    for (const event of [
      { type: 'session.started', data: started },
      { type: 'attest.setup', data: setup },
      { type: 'attest.load', data: { session_id, workspace_id, items: [item] } },
    ] satisfies JournalEvent[]) {
      await services.journal.commit({
        stream: sessionStream(org, principal, project.id, session_id),
        actor,
        decide: () => ({ events: [event], answer: null }),
      });
    }
    const { text } = await library.act(localOwner, proveSession, { session: session_id });
    const { in_force, set_up, loaded } = evidenceOf(text);
    expect(loaded).toMatchObject([{ proven: true, revision: 1, revision_proven: false }]);
    expect(in_force).toMatchObject([{ revision: 1, count: 3, proven: false, recorded_by: null }]);
    expect(set_up).toMatchObject([{ proven: true, mpf_hash: null }]);
  });

  test('shows a setup that names a model, and hides one that tells more', async () => {
    const { library, agent } = await startServer();
    await agent.setup('named', { model: 'vendor/model-5.1:latest' });
    const other = new Agent(agent.services);
    await other.setup('talking', { model: 'the one that Kim runs at home' });
    const setUp = async (session: string) =>
      evidenceOf((await library.act(localOwner, proveSession, { session })).text).set_up;
    expect(await setUp('named')).toMatchObject([{ proven: true }]);
    expect(await setUp('talking')).toMatchObject([{ proven: false }]);
  });

  test('is about the library that the session worked with, whatever the project has now', async () => {
    verifies('LIB-19');
    const server = await workingServer();
    const { services, project } = server;
    const { text: before } = await prove(server);
    const hub = { id: 'hub', url: 'https://hub.example', project_id: 'proj_there', project: 'shop' };
    const link = (workspaceId: string | undefined) =>
      services.journal.commit({
        stream: accessStream('local'),
        actor: localOwner.actor,
        decide: (database) =>
          linkProject(
            projectById(database, 'local', project.id)!,
            'local',
            workspaceId === undefined ? null : { ...hub, workspaceId },
          ),
      });
    await link('ws-of-the-hub');
    const { text } = await prove(server);
    const { session: _, journal: _j, ...evidence } = evidenceOf(text);
    expect(evidenceOf(before)).toMatchObject(evidence);
    expect(evidence.workspace_id).toBe(project.workspace_id);
    // One that began with the hub's library is about that, also when the project has its own again.
    const late = new Agent(services);
    await late.setup('late');
    await link(undefined);
    const { text: ofHub } = await prove(server, false, 'late');
    expect(evidenceOf(ofHub).workspace_id).toBe('ws-of-the-hub');
    // One file lists one library.
    await late.load(await late.idOf('coding/STYLE.md'));
    await expect(prove(server, false, 'late')).rejects.toThrow(
      /worked with two libraries.*"infold hub join" or "infold hub leave"/,
    );
  });
});

describe('a session proof that was tampered with', () => {
  test('is refused, whichever byte was changed', async () => {
    verifies('LIB-19');
    const server = await workingServer();
    const { text } = await prove(server, true);
    const bytes = Buffer.from(text);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 127 }), (at, change) => {
        const copy = Buffer.from(bytes);
        copy[at]! ^= change;
        if (copy.toString() !== text) expect(checkSessionProof(copy.toString()).evidence).toBeUndefined();
      }),
      { numRuns: runs(300) },
    );
    for (const cut of [0, 1, 100, text.length - 1])
      expect(checkSessionProof(text.slice(0, cut)).problem).toBeDefined();
    for (const more of ['\n', ' ', text]) expect(checkSessionProof(text + more).problem).toBeDefined();
  });

  test('is refused where it contradicts itself, even if the holder of the key has signed it', async () => {
    verifies('LIB-19');
    const server = await workingServer();
    const { journal } = server.services;
    const { proof } = await proofOf(server);
    const { library, set } = proof;
    const entries = set.entries;
    const entryWith = (type: string) =>
      entries.findIndex((entry) => (entry.says?.[0]?.type ?? entry.body?.data ?? '').includes(type));
    const withEntry = (index: number, change: object) => ({
      ...proof,
      set: { ...set, entries: entries.map((entry, at) => (at === index ? { ...entry, ...change } : entry)) },
    });
    const [load, refer, published] = ['attest.load', 'attest.refer', 'library.published'].map(entryWith) as [
      number,
      number,
      number,
    ];
    const [first, second] = library!.files as [object, object];
    const swapped = [...entries];
    [swapped[load], swapped[refer]] = [entries[refer]!, entries[load]!];
    const own = entries.findIndex(
      ({ rev, stream }) => set.streams[stream] === proof.session.stream && rev === 2,
    );
    const cases: [string, unknown, RegExp][] = [
      [
        'a file is left out',
        { ...proof, library: { ...library!, files: library!.files.slice(1) } },
        /recorded/,
      ],
      [
        'another hash',
        {
          ...proof,
          library: { ...library!, files: [{ ...first, hash: 'a'.repeat(64) }, ...library!.files.slice(1)] },
        },
        /recorded/,
      ],
      ['a file twice', { ...proof, library: { ...library!, files: [second, ...library!.files] } }, /twice/],
      ['another revision', { ...proof, library: { ...library!, revision: 5 } }, /recorded|revision/],
      ['no library', { ...proof, library: null }, /neither to the session nor to its library/],
      [
        'another library',
        { ...proof, library: { ...library!, workspace_id: 'ws-other' } },
        /neither to the session/,
      ],
      [
        'another session',
        { ...proof, session: { ...proof.session, id: 'sess_other' } },
        /is not the stream of/,
      ],
      [
        'entries swapped',
        { ...proof, set: { ...set, entries: swapped } },
        /not in its place|does not follow/,
      ],
      [
        'an entry is left out',
        { ...proof, set: { ...set, entries: entries.filter((_, at) => at !== own) } },
        /does not follow|no path|do not lead/,
      ],
      [
        'a body of another entry',
        withEntry(load, { body: entries[own]!.body ?? { salt: '00', data: '{}' } }),
        /not what was written/,
      ],
      ['both shown and stated', withEntry(load, { says: entries[refer]!.says }), /something else is said/],
      [
        'a statement about another session',
        withEntry(refer, {
          says: [
            {
              type: 'attest.reject',
              data: { session_id: 'sess_other', workspace_id: library!.workspace_id },
            },
          ],
        }),
        /not about the session/,
      ],
      [
        'a publication in the session',
        withEntry(refer, { says: entries[published]!.says }),
        /not about the session/,
      ],
      [
        'another publication',
        withEntry(published, {
          says: [
            {
              type: 'library.published',
              data: { workspace_id: library!.workspace_id, revision: 7, changes: [] },
            },
          ],
        }),
        /before the session/,
      ],
      ['a stream that is not there', withEntry(load, { stream: 99 }), /names a stream/],
      [
        'newer than the checkpoint',
        { ...proof, set: { ...set, checkpoint: { ...set.checkpoint, seq: 1 } } },
        /newer than the checkpoint/,
      ],
      [
        'more paths',
        { ...proof, set: { ...set, path: { ...set.path, intervals: [...set.path.intervals, ''] } } },
        /paths that no entry has/,
      ],
      ['a field that is not known', { ...proof, more: 1 }, /no session proof/],
    ];
    const { proof: whole } = await proofOf(server, true);
    const listed = {
      ...whole.library!,
      files: [{ ...first, hash: 'a'.repeat(64) }, ...library!.files.slice(1)],
    };
    cases.push(['not what was published', { ...whole, library: listed }, /did not publish coding\/STYLE.md/]);
    const others = entries.filter((_, index) => index !== own).map(({ seq }) => seq);
    const incomplete = { ...proof, set: await journal.proveSet(others) };
    cases.push(['an entry was never there', incomplete, /of its session, where 2 should be/]);
    const foreign = { ...proof, set: await journal.proveSet([1, ...entries.map(({ seq }) => seq)]) };
    cases.push(["somebody else's entry", foreign, /entry 1 belongs neither/]);
    const none = { ...proof, set: await journal.proveSet([entries[published]!.seq]) };
    cases.push(['no entry of the session', none, /no entry of the session/]);
    for (const [name, changed, problem] of cases) {
      const { evidence, problem: told } = checkSessionProof(await signedAgain(journal, changed));
      expect([name, told, evidence]).toEqual([name, expect.stringMatching(problem), undefined]);
    }
  });

  test('is refused where another key signed it, and where it is no proof at all', async () => {
    const [server, other] = [await workingServer(), await workingServer()];
    const { proof } = await proofOf(server);
    const forged = await signedAgain(other.services.journal, proof);
    expect(checkSessionProof(forged).problem).toBe('it is not as it was signed');
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}\n{"signature":"${'0'.repeat(128)}"}\n`;
    for (const text of ['', '\n\n', '{}\n{}\n', 'null\nnull\n', deep]) {
      expect(checkSessionProof(text).problem).toMatch(/no session proof/);
    }
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { callsOf } from '../cli/services/calls.ts';
import { startServer } from '../fold/fixture.suite.ts';
import { forget } from '../system/actions/forget.ts';
import { callerNamed, errorOf } from '../testing/fixtures.suite.ts';
import { localOwner } from '../trust/identity/caller.ts';
import { decisionWith, Talk } from './fixture.suite.ts';
import { conversationById, conversationByKey, decisionsOf, totals } from './queries.ts';

const TABLES = ['window_conversation', 'window_turn', 'window_decision', 'window_anchor'];

/** Two conversations with a decision and an original each. */
async function setUp() {
  const { agent, services, folder } = await startServer();
  const { journal } = services;
  const archive = services.parts.windowArchive;
  await archive.open();
  onTestFinished(() => archive.close());
  const talkOf = async (session: string | null, word: string, caller = localOwner) => {
    const talk = await Talk.begin(journal, { host_session: session }, caller);
    const decision = decisionWith({
      effect: {
        kind: 'replace',
        text: `[infold shortened: ${word}]`,
        mark: { request: `asked-${word}`, message: 1 },
      },
      anchors: [{ call: `call_${word}`, digest: `digest-${word}` }],
    });
    const reopen = decisionWith({
      effect: { kind: 'reopen' },
      anchors: [{ call: `open_${word}`, digest: 'd' }],
    });
    await talk.ask({ digest: `asked-${word}`, system_digest: `sys-${word}` }, [decision, reopen]);
    await talk.answer(1);
    const kept = { handle: decision.handle, text: `All of the ${word}`, conversation: talk.id, session };
    archive.keep(caller, [kept]);
    return { ...kept, talk };
  };
  /** Whether any file of the data folder holds the text. */
  const holds = (text: string) =>
    readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((item) => item.isFile())
      .some((item) => readFileSync(join(item.parentPath ?? item.path, item.name)).includes(text));
  const dump = () => TABLES.map((name) => journal.database.all(`SELECT * FROM ${name}`));
  return { agent, services, journal, archive, talkOf, holds, dump, call: callsOf(services, localOwner) };
}

test('a session takes the texts and originals of its conversations with it, and leaves the figures', async () => {
  const { agent, journal, archive, talkOf, holds, dump, call } = await setUp();
  await agent.call('memory.setup', { session_id: 'host-1' });
  const gone = await talkOf('host-1', 'marigold');
  const kept = await talkOf('host-2', 'bluebell');
  const { id } = journal.database.get<{ id: string }>('SELECT id FROM session')!;
  const before = totals(journal.database, gone.talk.id);
  expect(holds('marigold')).toBe(true);
  expect(await call(forget, { kind: 'session', id })).toMatchObject({ results: 1 });
  expect(holds('marigold')).toBe(false);
  expect(holds('bluebell')).toBe(true);
  expect(await archive.read(localOwner, gone.handle)).toBeUndefined();
  expect(await archive.read(localOwner, kept.handle)).toBe(kept.text);
  expect(decisionsOf(journal.database, gone.talk.id)).toEqual([]);
  expect(decisionsOf(journal.database, kept.talk.id)).toHaveLength(2);
  expect(conversationById(journal.database, gone.talk.id)).toMatchObject({ host_session: null, turns: 1 });
  expect(totals(journal.database, gone.talk.id)).toEqual(before);
  // A host that goes on begins a new one.
  const { org, principal } = localOwner;
  expect(conversationByKey(journal.database, org, principal, 'host-1')).toBeUndefined();
  expect(await journal.verify()).toMatchObject({ ok: true });
  const tables = dump();
  await journal.rebuild();
  expect(dump()).toEqual(tables);
});

test('a conversation is forgotten by its own id or by its host’s, where we never had a session', async () => {
  const { talkOf, holds, call } = await setUp();
  const { talk } = await talkOf(null, 'marigold');
  await talkOf('host-2', 'bluebell');
  await call(forget, { kind: 'session', id: talk.id });
  expect([holds('marigold'), holds('bluebell')]).toEqual([false, true]);
  await call(forget, { kind: 'session', id: 'host-2' });
  expect(holds('bluebell')).toBe(false);
  expect((await errorOf(() => call(forget, { kind: 'session', id: 'host-3' }))).code).toBe('not_found');
});

test('a principal takes everything that was theirs, and nothing of others', async () => {
  const { journal, talkOf, holds, call, dump } = await setUp();
  await talkOf('host-1', 'marigold', callerNamed('alice'));
  await talkOf('host-1', 'bluebell');
  expect(await call(forget, { kind: 'principal', id: 'alice' })).toMatchObject({ results: 1 });
  expect([holds('marigold'), holds('bluebell')]).toEqual([false, true]);
  // Again, with what the first forgetting left.
  await call(forget, { kind: 'session', id: 'host-1' });
  expect(holds('bluebell')).toBe(false);
  const tables = dump();
  await journal.rebuild();
  expect(dump()).toEqual(tables);
});

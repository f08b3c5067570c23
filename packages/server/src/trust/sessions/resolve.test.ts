import { describe, expect, test } from 'vitest';
import { callerNamed, errorOf, HOUR, movableClock, openTestJournal } from '../../testing/fixtures.suite.ts';
import { type Caller, localOwner } from '../caller.ts';
import { resolveProject } from '../projects.ts';
import { hostIdOf } from './queries.ts';
import { Connection, lookUpSession, sessionIfAny, sessionOrNew } from './resolve.ts';

const DAY = 24 * HOUR;

interface Question {
  connection?: Connection;
  caller?: Caller;
  project?: string;
  sessionId?: string;
}

async function setUp() {
  const clock = movableClock();
  const journal = await openTestJournal(clock);
  const ask = ({
    connection = new Connection(),
    caller = localOwner,
    project,
    sessionId,
  }: Question = {}) => ({
    caller,
    connection,
    project: resolveProject(journal.database, caller, project ?? '/home/someone/shop'),
    sessionId,
    now: clock.read(),
  });
  const begin = (question?: Question) => sessionOrNew(journal, ask(question));
  const find = (question?: Question) => sessionIfAny(journal.database, ask(question));
  const lookUp = (question?: Question) => lookUpSession(journal.database, ask(question));
  const count = () => journal.database.all('SELECT id FROM session').length;
  /** What any door does in a session: the event keeps it alive. */
  const work = (session: { stream: string }) =>
    journal.commit({
      stream: session.stream,
      actor: localOwner.actor,
      decide: () => ({ events: [{ type: 'note.written', data: {} }], answer: null }),
    });
  return { clock, journal, begin, find, lookUp, count, work };
}

describe('a call that names its session', () => {
  test('belongs to it, whatever the connection is bound to', async () => {
    const { begin, find } = await setUp();
    const connection = new Connection();
    const first = await begin({ connection, sessionId: 'window-1' });
    const second = await begin({ sessionId: 'window-2' });
    expect(second.id).not.toBe(first.id);
    expect(find({ connection })?.id).toBe(first.id);
    expect(find({ connection, sessionId: second.id })?.id).toBe(second.id);
  });

  test("the host's id and ours are two names of one session", async () => {
    const { begin, find, journal, count } = await setUp();
    const session = await begin({ sessionId: 'thread-7' });
    expect(session.id).toMatch(/^sess_/);
    expect(hostIdOf(journal.database, session.id)).toBe('thread-7');
    expect(find({ sessionId: 'thread-7' })?.id).toBe(session.id);
    expect(find({ sessionId: session.id })?.id).toBe(session.id);
    expect((await begin({ sessionId: 'thread-7' })).id).toBe(session.id);
    expect((await begin({ sessionId: session.id })).id).toBe(session.id);
    expect(count()).toBe(1);
  });

  test('an unknown id is an error for a read', async () => {
    const { begin, find } = await setUp();
    await begin();
    const error = await errorOf(() => find({ sessionId: 'sess_nowhere' }));
    expect(error.code).toBe('session_not_found');
    expect(error.message).toContain('sess_nowhere');
  });

  test('an ended session of ours is replaced by one new session, not by one for each call', async () => {
    const { begin, clock, count } = await setUp();
    const old = await begin();
    clock.advance(DAY);
    const next = await begin({ sessionId: old.id });
    expect(next.id).not.toBe(old.id);
    expect((await begin({ sessionId: old.id })).id).toBe(next.id);
    expect(count()).toBe(2);
  });
});

describe('a call that names no session', () => {
  test('belongs to none before one began', async () => {
    const { find, lookUp, count } = await setUp();
    expect(find()).toBeUndefined();
    expect(lookUp()).toEqual({ kind: 'none' });
    expect(count()).toBe(0);
  });

  test('belongs to what its connection was bound to', async () => {
    const { begin, find } = await setUp();
    const windows = [new Connection(), new Connection()] as const;
    const first = await begin({ connection: windows[0], sessionId: 'one' });
    const second = await begin({ connection: windows[1], sessionId: 'two' });
    expect(find({ connection: windows[0] })?.id).toBe(first.id);
    expect(find({ connection: windows[1] })?.id).toBe(second.id);
  });

  test('a connection is bound in each project by itself', async () => {
    const { begin, find } = await setUp();
    const connection = new Connection();
    const here = await begin({ connection, project: '/a' });
    const there = await begin({ connection, project: '/b' });
    expect(here.id).not.toBe(there.id);
    expect(find({ connection, project: '/a' })?.id).toBe(here.id);
    expect(find({ connection, project: '/b' })?.id).toBe(there.id);
  });

  test("belongs to the principal's only live session in the project", async () => {
    const { begin, find, count } = await setUp();
    const session = await begin();
    expect(find()?.id).toBe(session.id);
    expect((await begin()).id).toBe(session.id);
    expect(count()).toBe(1);
  });

  test('with several live ones a read belongs to none and is told which there are', async () => {
    const { begin, find, lookUp } = await setUp();
    const sessions = [await begin({ sessionId: 'one' }), await begin({ sessionId: 'two' })];
    expect(find()).toBeUndefined();
    const lookup = lookUp();
    expect(lookup.kind).toBe('several');
    const ids = lookup.kind === 'several' ? lookup.sessions.map(({ id }) => id) : [];
    expect(ids.sort()).toEqual(sessions.map(({ id }) => id).sort());
  });

  test('with several live ones a write begins a new one for its connection', async () => {
    const { begin, count } = await setUp();
    await begin({ sessionId: 'one' });
    await begin({ sessionId: 'two' });
    const connection = new Connection();
    const own = await begin({ connection });
    expect(count()).toBe(3);
    expect((await begin({ connection })).id).toBe(own.id);
    expect(count()).toBe(3);
  });
});

describe('several callers', () => {
  test('two windows of one principal on one project keep apart when their hosts name them', async () => {
    const { begin, find } = await setUp();
    const windows = ['left', 'right'].map((name) => ({ name, connection: new Connection() }));
    for (const { name, connection } of windows) await begin({ connection, sessionId: name });
    const found = windows.map(({ connection }) => find({ connection })?.id);
    expect(new Set(found).size).toBe(2);
    // Unnamed calls of later connections in the same two windows still find the right one by name.
    expect(windows.map(({ name }) => find({ sessionId: name })?.id)).toEqual(found);
  });

  test('two principals never share, nor find each other by id or by host id', async () => {
    const { begin, find } = await setUp();
    const bob = callerNamed('bob');
    const ours = await begin({ sessionId: 'thread' });
    expect(find({ caller: bob })).toBeUndefined();
    await errorOf(() => find({ caller: bob, sessionId: ours.id }));
    await errorOf(() => find({ caller: bob, sessionId: 'thread' }));
    const theirs = await begin({ caller: bob, sessionId: 'thread' });
    expect(theirs.id).not.toBe(ours.id);
    expect(theirs.stream).not.toBe(ours.stream);
    expect(find({ sessionId: 'thread' })?.id).toBe(ours.id);
    expect(find({ caller: bob, sessionId: 'thread' })?.id).toBe(theirs.id);
  });

  test('a principal of another organisation with the same name is another principal', async () => {
    const { begin, find } = await setUp();
    const ours = await begin();
    const namesake = callerNamed(localOwner.principal, { org: 'acme' });
    expect(find({ caller: namesake })).toBeUndefined();
    await errorOf(() => find({ caller: namesake, sessionId: ours.id }));
  });

  test("a token of other projects does not reach a session by its id, even its own principal's", async () => {
    const { begin, find } = await setUp();
    const secret = await begin({ project: '/secret', sessionId: 'thread' });
    const open = await begin({ project: '/open' });
    const caller = { ...localOwner, projects: [open.project_id] };
    expect(find({ caller, project: '/open', sessionId: open.id })?.id).toBe(open.id);
    const error = await errorOf(() => find({ caller, project: '/open', sessionId: secret.id }));
    expect(error.code).toBe('session_not_found');
    await errorOf(() => find({ caller, project: '/open', sessionId: 'thread' }));
  });
});

describe('first calls at the same time', () => {
  test('of one connection begin one session', async () => {
    const { begin, count } = await setUp();
    const connection = new Connection();
    const sessions = await Promise.all(Array.from({ length: 8 }, () => begin({ connection })));
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(1);
    expect(count()).toBe(1);
  });

  test('with one host id begin one session', async () => {
    const { begin, count } = await setUp();
    const sessions = await Promise.all(Array.from({ length: 8 }, () => begin({ sessionId: 'thread' })));
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(1);
    expect(count()).toBe(1);
  });

  test('of one connection begin one session even where other windows have theirs', async () => {
    const { begin, count } = await setUp();
    await begin({ sessionId: 'one' });
    await begin({ sessionId: 'two' });
    const connection = new Connection();
    const sessions = await Promise.all(Array.from({ length: 8 }, () => begin({ connection })));
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(1);
    expect(count()).toBe(3);
  });

  test('a failed beginning does not stand in the way of the next', async () => {
    const { begin, count } = await setUp();
    const connection = new Connection();
    const reader = { ...localOwner, scopes: ['read'] as const };
    expect((await errorOf(() => begin({ connection, caller: reader }))).code).toBe('project_not_found');
    expect((await begin({ connection })).id).toMatch(/^sess_/);
    expect(count()).toBe(1);
  });
});

describe('time', () => {
  test('a session lives 24 hours after its last event', async () => {
    const { begin, find, clock, work } = await setUp();
    const session = await begin();
    clock.advance(DAY - 1);
    expect(find()?.id).toBe(session.id);
    await work(session);
    clock.advance(DAY - 1);
    expect(find()?.id).toBe(session.id);
    clock.advance(1);
    expect(find()).toBeUndefined();
    expect((await errorOf(() => find({ sessionId: session.id }))).code).toBe('session_not_found');
  });

  test('a bound connection moves on to a new session when its own has ended', async () => {
    const { begin, find, clock } = await setUp();
    const connection = new Connection();
    const old = await begin({ connection });
    clock.advance(DAY);
    expect(find({ connection })).toBeUndefined();
    const next = await begin({ connection });
    expect(next.id).not.toBe(old.id);
    expect(find({ connection })?.id).toBe(next.id);
  });

  test("a host's id names the new session after the old one has ended", async () => {
    const { begin, find, clock, count } = await setUp();
    const old = await begin({ sessionId: 'thread' });
    clock.advance(DAY);
    const next = await begin({ sessionId: 'thread' });
    expect(next.id).not.toBe(old.id);
    expect(find({ sessionId: 'thread' })?.id).toBe(next.id);
    expect(count()).toBe(2);
  });

  test('an ended one does not count among several', async () => {
    const { begin, find, clock } = await setUp();
    await begin({ sessionId: 'old' });
    clock.advance(DAY);
    const next = await begin({ sessionId: 'new' });
    expect(find()?.id).toBe(next.id);
  });

  test('a clock that jumps back shortens no life', async () => {
    const { begin, find, clock, work } = await setUp();
    const session = await begin();
    clock.advance(-10 * HOUR);
    expect(find()?.id).toBe(session.id);
    await work(session);
    clock.advance(10 * HOUR + DAY - 1);
    expect(find()?.id).toBe(session.id);
    clock.advance(1);
    expect(find()).toBeUndefined();
  });

  test('the lifetime can be set', async () => {
    const { begin, journal, clock } = await setUp();
    const session = await begin();
    clock.advance(HOUR);
    const question = {
      caller: localOwner,
      connection: new Connection(),
      project: resolveProject(journal.database, localOwner, '/home/someone/shop'),
      sessionId: undefined,
      now: clock.read(),
    };
    expect(sessionIfAny(journal.database, { ...question, lifetime: HOUR + 1 })?.id).toBe(session.id);
    expect(sessionIfAny(journal.database, { ...question, lifetime: HOUR })).toBeUndefined();
  });
});

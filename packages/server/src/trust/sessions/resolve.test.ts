import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { callerNamed, errorOf, HOUR, movableClock, openTestJournal } from '../../testing/fixtures.suite.ts';
import { type Caller, localOwner } from '../identity/caller.ts';
import { resolveProject } from '../identity/projects.ts';
import { hostIdOf } from './queries.ts';
import {
  Connection,
  lookUpSession,
  sessionIfAny,
  sessionOrNew,
  sessionToWrite,
  writeToSession,
} from './resolve.ts';

const DAY = 24 * HOUR;

interface Question {
  connection?: Connection;
  caller?: Caller;
  project?: string;
  sessionId?: string;
  hostSession?: string;
  about?: string;
  beginsAlone?: boolean;
}

async function setUp() {
  const clock = movableClock();
  const journal = await openTestJournal(clock);
  const ask = ({
    connection = new Connection(),
    caller = localOwner,
    project: spec,
    ...more
  }: Question = {}) => {
    const project = resolveProject(journal.database, caller, spec ?? '/home/someone/shop');
    const projectId = spec === undefined ? undefined : project.id;
    return { caller, connection, project, projectId, now: clock.read(), lifetime: DAY, ...more };
  };
  const begin = (question?: Question) => sessionOrNew(journal, ask(question));
  const find = (question?: Question) => sessionIfAny(journal.database, ask(question));
  const write = (question?: Question) => sessionToWrite(journal.database, ask(question));
  const lookUp = (question?: Question) => lookUpSession(journal.database, ask(question));
  const count = () => journal.database.all('SELECT id FROM session').length;
  /** What any door does in a session: the event keeps it alive. */
  const work = (session: { stream: string }) =>
    journal.commit({
      stream: session.stream,
      actor: localOwner.actor,
      decide: () => ({ events: [{ type: 'note.written', data: {} }], answer: null }),
    });
  return { clock, journal, ask, begin, find, write, lookUp, count, work };
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
    const { find, write, lookUp, count } = await setUp();
    expect(find()).toBeUndefined();
    expect(write()).toBeUndefined();
    expect(lookUp()).toEqual({ kind: 'none', hostId: null });
    expect(count()).toBe(0);
  });

  test("belongs to its connection's own session, never to another connection's", async () => {
    verifies('KERN-17');
    const { begin, find, write, count } = await setUp();
    const windows = [new Connection(), new Connection()] as const;
    const first = await begin({ connection: windows[0] });
    expect(find({ connection: windows[1] })).toBeUndefined();
    expect(write({ connection: windows[1] })).toBeUndefined();
    const second = await begin({ connection: windows[1] });
    expect(second.id).not.toBe(first.id);
    expect(find({ connection: windows[0] })?.id).toBe(first.id);
    expect(find({ connection: windows[1] })?.id).toBe(second.id);
    expect(count()).toBe(2);
  });

  test('a connection has one session, whatever project its calls name', async () => {
    const { begin, find, count } = await setUp();
    const connection = new Connection();
    const here = await begin({ connection, project: '/a' });
    expect((await begin({ connection, project: '/b' })).id).toBe(here.id);
    expect(find({ connection, project: '/c' })?.id).toBe(here.id);
    expect(count()).toBe(1);
  });

  test('goes on in the session that a write has named', async () => {
    const { begin, find, write } = await setUp();
    const other = await begin();
    const connection = new Connection();
    const own = await begin({ connection });
    expect(find({ connection, sessionId: other.id })?.id).toBe(other.id);
    expect(find({ connection })?.id).toBe(own.id);
    expect(write({ connection, sessionId: other.id })?.id).toBe(other.id);
    expect(find({ connection })?.id).toBe(other.id);
  });
});

describe("a host that tells its session's id", () => {
  test('when it opens the connection, joins that session', async () => {
    const { begin, find, count } = await setUp();
    const first = await begin({ connection: new Connection(undefined, { hostSession: 'thread' }) });
    const again = new Connection(undefined, { hostSession: 'thread' });
    expect(find({ connection: again })?.id).toBe(first.id);
    expect((await begin({ connection: again })).id).toBe(first.id);
    expect(count()).toBe(1);
  });

  test('beside each call, keeps agents apart who share a connection', async () => {
    const { begin, find, count } = await setUp();
    const connection = new Connection();
    const own = await begin({ connection });
    const sub = await begin({ connection, hostSession: 'subagent' });
    expect(sub.id).not.toBe(own.id);
    expect(find({ connection, hostSession: 'subagent' })?.id).toBe(sub.id);
    expect(find({ connection })?.id).toBe(own.id);
    expect(count()).toBe(2);
  });

  test('does so for a request that stands alone too', async () => {
    const { begin, find } = await setUp();
    const session = await begin({ connection: Connection.alone(), hostSession: 'thread' });
    expect(find({ connection: Connection.alone(), hostSession: 'thread' })?.id).toBe(session.id);
  });

  test('is outranked by the call itself', async () => {
    const { begin, find } = await setUp();
    const [one, other] = [await begin({ sessionId: 'one' }), await begin({ sessionId: 'other' })];
    const connection = new Connection(undefined, { hostSession: 'one' });
    expect(find({ connection })?.id).toBe(one.id);
    expect(find({ connection, hostSession: 'other' })?.id).toBe(other.id);
    expect(find({ connection, hostSession: 'other', sessionId: 'one' })?.id).toBe(one.id);
  });

  test('that has not begun is no error for a read', async () => {
    const { find } = await setUp();
    expect(find({ hostSession: 'thread' })).toBeUndefined();
  });
});

describe('a request that stands alone', () => {
  const alone = { connection: Connection.alone() };

  test('reads in the only live session there is', async () => {
    const { begin, find } = await setUp();
    expect(find(alone)).toBeUndefined();
    const session = await begin();
    expect(find(alone)?.id).toBe(session.id);
  });

  test('of several reads in the one of the project that it names, or in none', async () => {
    const { begin, find } = await setUp();
    const one = await begin({ project: '/one' });
    await begin({ project: '/other' });
    expect(find(alone)).toBeUndefined();
    expect(find({ ...alone, project: '/one' })?.id).toBe(one.id);
    await begin({ project: '/one' });
    expect(find({ ...alone, project: '/one' })).toBeUndefined();
  });

  test('is asked which session a write is for, even where there is one', async () => {
    const { begin, write, count } = await setUp();
    expect(write(alone)).toBeUndefined();
    const session = await begin();
    for (const work of [() => write(alone), () => begin(alone)]) {
      const error = await errorOf(work);
      expect(error).toMatchObject({ code: 'session_required', retryable: false });
      expect(error.message).toContain(session.id);
      expect(error.details).toMatchObject({ candidates: [{ session_id: session.id, project: 'shop' }] });
    }
    expect(count()).toBe(1);
  });

  test('begins a session where it may, each time a new one', async () => {
    const { begin, count } = await setUp();
    const first = await begin({ ...alone, beginsAlone: true });
    const second = await begin({ connection: Connection.alone(), beginsAlone: true });
    expect(second.id).not.toBe(first.id);
    expect(count()).toBe(2);
  });

  test('writes in the session of what it is about', async () => {
    const { begin, write } = await setUp();
    const session = await begin();
    await begin();
    expect(write({ ...alone, about: session.id })?.id).toBe(session.id);
    const error = await errorOf(
      () => write({ ...alone, caller: callerNamed('bob'), about: session.id }) ?? begin({ ...alone }),
    );
    expect(error.code).toBe('session_required');
  });
});

test('a session, its project and what it begins with are one entry', async () => {
  const { ask, journal } = await setUp();
  const before = journal.head().seq;
  const { session, entry } = await writeToSession(journal, ask(), (_database, { id }, isNew) => ({
    events: [{ type: 'note.written', data: { session_id: id, isNew } }],
    answer: null,
  }));
  expect(journal.head().seq).toBe(before + 1);
  expect(entry?.events.map(({ type }) => type)).toEqual(['project.added', 'session.started', 'note.written']);
  expect(session.project_id).toBe(ask().project.id);
  expect(ask().project.registered).toBe(true);
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
    const connection = new Connection();
    const session = await begin({ connection });
    clock.advance(DAY - 1);
    expect(find({ connection })?.id).toBe(session.id);
    await work(session);
    clock.advance(DAY - 1);
    expect(find({ connection })?.id).toBe(session.id);
    clock.advance(1);
    expect(find({ connection })).toBeUndefined();
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
    expect(find({ connection: Connection.alone() })?.id).toBe(next.id);
  });

  test('a clock that jumps back shortens no life', async () => {
    const { begin, find, clock, work } = await setUp();
    const connection = new Connection();
    const session = await begin({ connection });
    clock.advance(-10 * HOUR);
    expect(find({ connection })?.id).toBe(session.id);
    await work(session);
    clock.advance(10 * HOUR + DAY - 1);
    expect(find({ connection })?.id).toBe(session.id);
    clock.advance(1);
    expect(find({ connection })).toBeUndefined();
  });

  test('the lifetime can be set', async () => {
    const { ask, begin, journal, clock } = await setUp();
    const session = await begin();
    clock.advance(HOUR);
    const question = ask({ connection: Connection.alone() });
    expect(sessionIfAny(journal.database, { ...question, lifetime: HOUR + 1 })?.id).toBe(session.id);
    expect(sessionIfAny(journal.database, { ...question, lifetime: HOUR })).toBeUndefined();
  });
});

import { type Api, ApiError, createApi } from '@infold/client/api';
import type { JournalEntry } from '@infold/protocol';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { runJson, type Server, startServer, temporaryFolder } from '../support/program.ts';

let server: Server;
const tokens: Record<string, string> = {};

async function token(data: string, name: string, ...flags: string[]): Promise<void> {
  const made = await runJson<{ token: string }>(data, 'token', 'create', '--name', name, ...flags);
  tokens[name] = made.token;
}

beforeAll(async () => {
  const data = temporaryFolder();
  for (const name of ['open', 'closed'])
    await runJson(data, 'project', 'add', '--name', name, '--org', 'team');
  await token(data, 'ann', '--org', 'team');
  await token(data, 'ben', '--org', 'team');
  await token(data, 'guest', '--org', 'team', '--project', 'open');
  await token(data, 'stranger', '--org', 'other');
  await token(data, 'head', '--org', 'team', '--scope', 'read,write,review,admin');
  server = await startServer({ data, args: ['--toolsets', 'fold,library,memory,transient,gateway'] });
});

const apiOf = (name: string): Api => createApi({ url: server.url, token: tokens[name]! });

/** Follows the journal for the rest of the test. */
function follow(api: Api, input: Parameters<Api['events']>[0] = {}): JournalEntry[] {
  const seen: JournalEntry[] = [];
  const end = new AbortController();
  onTestFinished(() => end.abort());
  void (async () => {
    for await (const entry of api.events(input, { signal: end.signal })) seen.push(entry);
  })();
  return seen;
}

const soon = (condition: () => boolean) =>
  expect.poll(condition, { timeout: 60_000, interval: 5 }).toBe(true);
const types = (entries: readonly JournalEntry[]) =>
  entries.flatMap(({ events }) => events.map(({ type }) => type));
const report = (api: Api, id: string, project: string) =>
  api.reportOperations({ id, project, operations: [{ tool: 'bash', input: 'ls', tokens: 5 }] });

describe('the typed client', () => {
  test('calls actions by name, and reads lists page by page', async () => {
    verifies('KERN-19');
    const api = apiOf('ann');
    for (const id of ['thread-1', 'thread-2', 'thread-3']) await report(api, id, 'open');
    const ids: (string | null)[] = [];
    for await (const session of api.listSessions.all({ limit: 2 })) ids.push(session.host_id);
    expect(ids.toSorted()).toEqual(['thread-1', 'thread-2', 'thread-3']);
    const { next, sessions } = await api.listSessions({ limit: 2 });
    expect(sessions).toHaveLength(2);
    expect(next).not.toBeNull();
    expect(await api.readSession({ id: 'thread-2' })).toMatchObject({ host_id: 'thread-2', live: true });
  });

  test('throws what the server says', async () => {
    const refused = apiOf('ann').readSession({ id: 'nobody' });
    await expect(refused).rejects.toBeInstanceOf(ApiError);
    await expect(refused).rejects.toMatchObject({ status: 404, code: 'session_not_found' });
    await expect(apiOf('ann').listSessions({ limit: 5000 })).rejects.toMatchObject({
      status: 400,
      message: 'Invalid arguments for listSessions: limit: must be a whole number from 1 to 200; it was 5000',
    });
    await expect(createApi({ url: server.url }).listSessions()).rejects.toMatchObject({ status: 401 });
  });
});

describe('the entries of a session', () => {
  const big = 'a line of a long file\n'.repeat(5000);
  const work = async (api: Api, id: string, project: string, count = 5) => {
    for (let call = 0; call < count; call++) {
      await api.reportOperations({
        ...{ id, project },
        operations: [
          { tool: 'Read', call_id: `${id}-${call}-a`, input: { path: 'a' }, output: big, tokens: 5000 },
          { tool: 'Bash', call_id: `${id}-${call}-b`, input: 'ls', output: 'a', tokens: 2 },
        ],
      });
    }
  };
  const entriesOf = async (api: Api, id: string, limit: number) => {
    const entries: JournalEntry[] = [];
    for await (const entry of api.listSessionEntries.all({ id, limit })) entries.push(entry);
    return entries;
  };

  test('are read page by page, and are what the stream tells of it in brief', async () => {
    verifies('CON-03', 'KERN-19');
    const api = apiOf('ann');
    await work(api, 'paged', 'open');
    const told = follow(api, { since: 0, session: 'paged', brief: true });
    await soon(() => types(told).filter((type) => type === 'operation.completed').length === 10);
    for (const limit of [1, 2, 1000]) expect(await entriesOf(api, 'paged', limit)).toEqual(told);
    expect(JSON.stringify(told).length).toBeLessThan(10_000);
    const operations = told.flatMap(({ seq, events }) => events.map((event) => ({ seq, ...event })));
    const named = operations.filter(({ type }) => type === 'operation.completed');
    expect(named.map(({ data }) => data as object)).toEqual(
      named.map((_, place) => ({
        ...{ session_id: expect.any(String), branch_id: null, source: 'reported', secrets: 0 },
        ...(place % 2 === 0
          ? { tool: 'Read', tokens: 5000, about: 'a' }
          : { tool: 'Bash', tokens: 2, about: 'ls' }),
        call_id: `paged-${Math.floor(place / 2)}-${place % 2 === 0 ? 'a' : 'b'}`,
      })),
    );
    const { head, next } = await api.listSessionEntries({ id: 'paged' });
    expect(next).toBeNull();
    expect(head).toBeGreaterThanOrEqual(told.at(-1)!.seq);
    await report(api, 'paged', 'open');
    const after = follow(api, { since: head, session: 'paged', brief: true });
    await soon(() => after.length > 0);
    expect((await entriesOf(api, 'paged', 1000)).filter(({ seq }) => seq > head)).toEqual(after);
  });

  test('are for who may read the session alone', async () => {
    verifies('CON-06', 'KERN-10');
    await work(apiOf('ann'), 'mine', 'closed', 1);
    for (const other of ['ben', 'guest', 'stranger', 'head']) {
      const answer = apiOf(other).listSessionEntries({ id: 'mine' });
      await expect(answer).rejects.toMatchObject({ status: 404, code: 'session_not_found' });
    }
    await expect(apiOf('ann').listSessionEntries({ id: 'mine', cursor: 'x' })).rejects.toMatchObject({
      status: 400,
    });
  });
});

describe('/api/events', () => {
  test('tells of an entry soon after it was written', async () => {
    verifies('KERN-19');
    const api = apiOf('ann');
    const seen = follow(api);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const waits: number[] = [];
    for (let count = 1; count <= 10; count++) {
      await report(api, 'live', 'open');
      const written = performance.now();
      await soon(() => types(seen).filter((type) => type === 'operation.completed').length >= count);
      waits.push(performance.now() - written);
      // What follows at once may come in one piece with what follows that.
      await new Promise((resolve) => setTimeout(resolve, 110));
    }
    // The median, because this machine may be busy with something else.
    expect(waits.toSorted((one, other) => one - other)[5]).toBeLessThan(1000);
  });

  test('goes on after the position that is named, and after Last-Event-ID', async () => {
    const api = apiOf('ann');
    await report(api, 'again', 'open');
    const all = follow(api, { since: 0, session: 'again' });
    await soon(() => types(all).includes('operation.completed'));
    expect(all.every(({ kind }) => kind === 'session')).toBe(true);
    const last = all.at(-1)!.seq;
    const response = await fetch(`${server.url}/api/events?since=0&session=again`, {
      headers: { authorization: `Bearer ${tokens.ann}`, 'last-event-id': String(last) },
    });
    await report(api, 'again', 'open');
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('data: ')) text += (await reader.read()).value;
    await reader.cancel();
    expect(Number(/^id: (\d+)\ndata: /m.exec(text)![1])).toBeGreaterThan(last);
  });

  test('shows everybody what they may read and nothing else', async () => {
    verifies('KERN-19', 'KERN-10');
    const [ann, ben, guest, stranger, head] = ['ann', 'ben', 'guest', 'stranger', 'head'].map(apiOf) as [
      Api,
      Api,
      Api,
      Api,
      Api,
    ];
    const seen = {
      ann: follow(ann, { since: 0 }),
      ben: follow(ben, { since: 0 }),
      guest: follow(guest, { since: 0 }),
      stranger: follow(stranger, { since: 0 }),
      head: follow(head, { since: 0 }),
    };
    const remember = (project: string, content: string) =>
      fetch(`${server.url}/api/memory/items`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${tokens.ann}` },
        body: JSON.stringify({ content, project }),
      });
    await report(ann, 'private-work', 'closed');
    await remember('closed', 'Only for members of the closed project');
    await remember('open', 'For everybody who works in the open project');
    const holds = (entries: readonly JournalEntry[], text: string) => JSON.stringify(entries).includes(text);
    await soon(() =>
      Object.values(seen)
        .slice(0, 3)
        .every((entries) => holds(entries, 'For everybody')),
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(holds(seen.ann, 'operation.completed')).toBe(true);
    for (const other of [seen.ben, seen.guest, seen.stranger, seen.head]) {
      expect(types(other)).not.toContain('operation.completed');
    }
    expect(holds(seen.ben, 'Only for members')).toBe(true);
    expect(holds(seen.guest, 'Only for members')).toBe(false);
    expect(seen.stranger).toEqual([]);
    expect(types(seen.head)).toContain('token.created');
    expect(types(seen.ben)).not.toContain('token.created');
    expect(
      holds(seen.head, '"hash":"') && /"token.created","data":\{[^}]*"hash"/.test(JSON.stringify(seen.head)),
    ).toBe(false);
  });

  test('ends with its token', async () => {
    const made = await runJson<{ id: string; token: string }>(
      server.data,
      ...['token', 'create', '--name', 'brief', '--org', 'team'],
    );
    const api = createApi({ url: server.url, token: made.token });
    const ended = (async () => {
      for await (const _ of api.events());
    })();
    await new Promise((resolve) => setTimeout(resolve, 300));
    await runJson(server.data, 'token', 'revoke', made.id);
    await expect(ended).rejects.toMatchObject({ status: 401 });
  });

  test('goes on over a restart of the server, with what was written meanwhile', async () => {
    verifies('KERN-19', 'CON-03');
    const data = temporaryFolder();
    const first = await startServer({ data });
    const states: string[] = [];
    const seen: JournalEntry[] = [];
    const ending = new AbortController();
    onTestFinished(() => ending.abort());
    const following = (async () => {
      const options = { signal: ending.signal, onState: (state: string) => states.push(state) };
      const events = createApi({ url: first.url }).events({ brief: true }, options);
      for await (const entry of events) seen.push(entry);
    })();
    await soon(() => states.length === 1);
    await first.stop();
    await soon(() => states.length === 2);
    await runJson(data, 'project', 'add', '--name', 'meanwhile');
    // The last of its kind wins.
    const again = await startServer({ data, args: ['--port', String(first.port)] });
    await expect.poll(() => types(seen), { timeout: 60_000 }).toContain('project.added');
    await report(createApi({ url: again.url }), 'after', 'meanwhile');
    await soon(() => types(seen).includes('operation.completed'));
    expect(states).toEqual(['open', 'waiting', 'open']);
    const seqs = seen.map(({ seq }) => seq);
    expect(seqs).toEqual([...new Set(seqs)].toSorted((one, other) => one - other));
    ending.abort();
    await following;
  });

  test.each([
    ['since=-1', 'Invalid arguments for watchEvents: since: must be a whole number of at least 0; it was -1'],
    ['session=none', 'Session not found'],
    ['sinse=1', 'Unknown parameter "sinse"'],
  ])('refuses %s', async (query, message) => {
    const response = await fetch(`${server.url}/api/events?${query}`, {
      headers: { authorization: `Bearer ${tokens.ann}` },
    });
    expect(response.ok).toBe(false);
    expect(((await response.json()) as { error: string }).error).toContain(message);
  });
});

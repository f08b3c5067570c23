import { createHash, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { declineDraft } from '../../../packages/server/src/library/actions/review.ts';
import { verifies } from '../../requirements.ts';
import { type FakeAnswer, fakeHub, receivedBy, TestEdge, TestHub } from '../../support/hub.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const at = (seq: number, line = 'one') => ({
  seq,
  hash: seq === 0 ? '0'.repeat(64) : sha256(`${line} ${seq}`),
});

describe('a malicious edge', () => {
  let hub: TestHub;
  let tokens: Record<'mallory' | 'alice', string>;
  let shop: string;
  let secretProject: string;
  const EDGES = { mine: `edge_${'m'.repeat(20)}`, hers: `edge_${'a'.repeat(20)}` };

  beforeAll(async () => {
    hub = await TestHub.start();
    await hub.publish('shop', { 'a/A.md': '# A\n\n## A\n\n- a\n' });
    await hub.publish('board', { 'a/A.md': '# A\n\n## A\n\n- a\n' });
    const { projects } = (await (
      await ask('GET', '/api/projects', (await hub.token('first')).token)
    ).json()) as {
      projects: { id: string; name: string }[];
    };
    shop = projects.find(({ name }) => name === 'shop')!.id;
    secretProject = projects.find(({ name }) => name === 'board')!.id;
    tokens = {
      mallory: (await hub.token('mallory', { projects: [shop] })).token,
      alice: (await hub.token('alice', { projects: [shop] })).token,
    };
  });

  const ask = (method: string, path: string, token: string, body?: unknown) =>
    fetch(`${hub.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const entry = (seq: number, more: object = {}) => ({
    ...{ id: randomUUID(), ...at(seq), at: Date.now(), agent: null, project: shop, session: 'sess_x' },
    events: [{ type: 'attest.reject', data: { reason: null } }],
    ...more,
  });
  const post = async (who: 'mallory' | 'alice', body: object): Promise<[number, Record<string, unknown>]> => {
    const whole = { edge: EDGES.mine, after: at(0), now: Date.now(), ...body };
    const response = await ask('POST', '/api/hub/events', tokens[who], whole);
    return [response.status, (await response.json()) as Record<string, unknown>];
  };
  const batch = (...entries: { id: string; seq: number; hash: string }[]) => {
    const { seq, hash } = entries.at(-1)!;
    return { upto: { seq, hash }, entries };
  };

  test('cannot say who it is, nor where it works', async () => {
    verifies('LIB-18');
    const head = hub.services.journal.head();
    for (const forged of [{ principal: 'alice' }, { org: 'other' }, { actor: {} }]) {
      expect((await post('mallory', batch(entry(1, forged))))[0]).toBe(400);
      const events = [{ type: 'attest.reject', data: { reason: null, ...forged } }];
      expect((await post('mallory', batch(entry(1, { events }))))[0]).toBe(400);
    }
    expect((await post('mallory', { ...batch(entry(1)), principal: 'alice' }))[0]).toBe(400);
    const events = [{ type: 'token.created', data: {} }];
    expect((await post('mallory', batch(entry(1, { events }))))[0]).toBe(400);
    const [status, { code }] = await post('mallory', batch(entry(1), entry(2, { project: secretProject })));
    expect([status, code]).toEqual([403, 'project_denied']);
    expect((await post('mallory', batch(entry(1, { project: 'proj_unknown' }))))[0]).toBe(403);
    expect(receivedBy(hub)).toEqual([]);
    // Refused access is on record, and nothing else was written.
    const written = hub.services.journal.entriesAfter(head.seq, 1000).flatMap(({ events }) => events);
    expect(written.filter(({ type }) => type !== 'access.denied')).toEqual([]);
  });

  test('cannot send more than a batch may hold, nor out of order', async () => {
    verifies('LIB-18');
    const many = Array.from({ length: 1001 }, (_, index) => entry(index + 1));
    expect((await post('mallory', batch(...many)))[0]).toBe(400);
    const long = [{ type: 'attest.agent_report', data: { summary: 'x'.repeat(20_000) } }];
    const heavy = Array.from({ length: 150 }, (_, index) => entry(index + 1, { events: long }));
    expect((await post('mallory', batch(...heavy)))[0]).toBe(413);
    const same = entry(1);
    for (const wrong of [
      batch(entry(2), entry(1)),
      batch(same, { ...same, seq: 2 }),
      { ...batch(entry(1), entry(2)), upto: at(1) },
      { ...batch(entry(1)), upto: at(1, 'other') },
    ]) {
      expect((await post('mallory', wrong))[0]).toBe(400);
    }
    expect(receivedBy(hub)).toEqual([]);
  });

  test('cannot repeat, skip or rewrite what it sent, nor go on for somebody else', async () => {
    verifies('LIB-18');
    const first = batch(entry(1), entry(2));
    expect(await post('mallory', first)).toEqual([200, { accepted: 2, duplicates: 0, position: at(2) }]);
    // The same batch, and a gap: both are told where the hub is.
    for (const again of [first, { after: at(5), ...batch(entry(6)) }]) {
      const [status, { code, position }] = await post('mallory', again);
      expect([status, code, position]).toEqual([409, 'position_mismatch', at(2)]);
    }
    const changed = { after: at(2, 'other'), ...batch(entry(3)) };
    for (let times = 0; times < 3; times++) {
      const [status, { code }] = await post('mallory', changed);
      expect([status, code]).toEqual([409, 'history_changed']);
    }
    const { id } = first.entries[0]!;
    const rewritten = { after: at(2), ...batch(entry(3, { id })) };
    expect((await post('mallory', rewritten))[1]).toMatchObject({ code: 'history_changed' });
    const refused = hub.services.journal
      .entriesAfter(0, 1000)
      .flatMap(({ events }) =>
        events.flatMap((event) => (event.type === 'hub.refused' ? [event.data.reason] : [])),
      );
    expect(refused).toEqual(['position', 'entry']);
    expect((await post('alice', { after: at(2), ...batch(entry(3)) }))[0]).toBe(403);
    // The same entries on another line count once; those of somebody else with the same ids are their own.
    const other = { edge: `edge_${'n'.repeat(20)}`, ...first };
    expect((await post('mallory', other))[1]).toMatchObject({ accepted: 0, duplicates: 2 });
    expect((await post('alice', { edge: EDGES.hers, ...first }))[1]).toMatchObject({ accepted: 2 });
    expect(receivedBy(hub).map(({ batch: { principal } }) => principal)).toEqual([
      ...['mallory', 'mallory', 'alice', 'alice'],
    ]);
  });

  test('cannot bring secrets, a time of its own, or a draft at a path that is not safe', async () => {
    const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');
    const edge = `edge_${'s'.repeat(20)}`;
    const events = [{ type: 'attest.reject', data: { reason: `It is ${secret}` } }];
    const ahead = entry(1, { events, at: Date.now() + 1e12 });
    const behind = entry(2, { at: 5 });
    expect((await post('mallory', { edge, ...batch(ahead, behind) }))[0]).toBe(200);
    const [one, other] = receivedBy(hub).filter(({ batch: { edge_id } }) => edge_id === edge);
    expect(JSON.stringify(one)).not.toContain(secret);
    for (const { at } of [one!, other!]) {
      expect(at).toBeLessThanOrEqual(Date.now());
      expect(at).toBeGreaterThan(Date.now() - 10 * 60_000);
    }
    expect((await post('mallory', { edge, after: at(2), ...batch(entry(3, { session: secret })) }))[0]).toBe(
      400,
    );
    const proposal = {
      ...{ resource: 'rule', op: 'create', file_id: null, path: '../../etc/A.md', new_path: null },
      ...{ base_hash: null, body: '# A\n', description: null },
    };
    const draft = { edge, draft_id: 'draft_1', project: shop, proposal };
    const response = await ask('POST', '/api/hub/drafts', tokens.mallory, draft);
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([
      400,
      'unsafe_path',
    ]);
    const elsewhere = { ...draft, project: secretProject };
    expect((await ask('POST', '/api/hub/drafts', tokens.mallory, elsewhere)).status).toBe(403);
    const manifest = await ask('GET', `/api/hub/manifest?project=${secretProject}`, tokens.mallory);
    expect(manifest.status).toBe(403);
  });
});

describe('drafts of a malicious edge', () => {
  const SECRET = '# Board\n\n## Plans\n\n- Nobody may know\n';
  const OWN = '# Own\n\n## A\n\n- a\n';
  let hub: TestHub;
  let token: string;
  let shop: string;
  let ids: Map<string, string>;
  let drafts = 0;

  beforeAll(async () => {
    hub = await TestHub.start();
    await hub.publish('shop', { 'a/OWN.md': OWN, 'security/KEYS.md': '# Keys\n\n## A\n\n- a\n' });
    await hub.publish('board', { 'a/PLANS.md': SECRET });
    const { database } = hub.services.journal;
    const { project_id } = database.get<{ project_id: string }>(
      "SELECT project_id FROM library_workspace JOIN library_file ON workspace_id = library_workspace.id WHERE path = 'a/OWN.md'",
    )!;
    shop = project_id;
    const files = database.all<{ id: string; path: string }>('SELECT id, path FROM library_file');
    ids = new Map(files.map(({ id, path }) => [path, id]));
    token = (await hub.token('mallory', { projects: [shop] })).token;
  });

  const ask = async (method: string, path: string, body?: unknown): Promise<[number, string]> => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const response = await fetch(`${hub.url}${path}`, {
      ...{ method, headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return [response.status, await response.text()];
  };
  const propose = async (proposal: object, more: object = {}) => {
    const whole = { file_id: null, new_path: null, base_hash: null, body: null, description: null };
    return ask('POST', '/api/hub/drafts', {
      ...{ edge: `edge_${'d'.repeat(20)}`, draft_id: `draft_${++drafts}`, project: shop },
      ...{ proposal: { resource: 'rule', ...whole, ...proposal } },
      ...more,
    });
  };
  const hashOf = (text: string) => `sha256:${sha256(text)}`;

  test('show nothing of what other projects have published, by whatever hash they name', async () => {
    verifies('LIB-18');
    const file_id = ids.get('a/OWN.md')!;
    const of = { file_id, path: 'a/OWN.md', base_hash: hashOf(SECRET) };
    const answers = [
      await propose({ ...of, op: 'rename', new_path: 'a/MINE.md' }),
      await propose({ ...of, file_id: null, path: 'a/NONE.md', op: 'rename', new_path: 'a/MINE.md' }),
      await propose({ ...of, op: 'update', body: `${OWN}- b\n` }),
      await propose({ ...of, op: 'delete' }),
    ];
    expect(answers.map(([status]) => status)).toEqual([400, 400, 200, 200]);
    for (const [status, text] of answers) {
      expect(text).not.toContain('Nobody may know');
      if (status !== 200) continue;
      const { id } = JSON.parse(text) as { id: string };
      const [, open] = await ask('GET', `/api/library/drafts/${id}`);
      expect(JSON.parse(open)).toMatchObject({ conflict: { reason: 'changed', base: null } });
      // A closed draft is compared with what it was made from.
      await hub.call(declineDraft, { id });
      const [, closed] = await ask('GET', `/api/library/drafts/${id}`);
      expect(JSON.parse(closed)).toMatchObject({ status: 'declined' });
      for (const shown of [open, closed]) expect(shown).not.toContain('Nobody may know');
    }
    // What the project has published itself is shown.
    const [, own] = await propose({ ...of, base_hash: hashOf(OWN), op: 'rename', new_path: 'a/MOVED.md' });
    const [, shown] = await ask('GET', `/api/library/drafts/${(JSON.parse(own) as { id: string }).id}`);
    expect(JSON.parse(shown)).toMatchObject({ content: OWN, conflict: null });
  });

  test('say which file they are about, and no other', async () => {
    const keys = ids.get('security/KEYS.md')!;
    const body = '# Own\n\n## A\n\n- Open to all\n';
    const base_hash = hashOf('# Keys\n\n## A\n\n- a\n');
    const of = { file_id: keys, base_hash, op: 'update', body };
    for (const wrong of [
      { ...of, path: 'a/OWN.md' },
      { ...of, path: 'security/KEYS.md', resource: 'context' },
      { ...of, path: 'META_PROMPT.md', resource: 'mpf' },
      { ...of, file_id: null, path: 'security/KEYS.md' },
      { ...of, path: 'a/NEW.md', op: 'create', base_hash: null },
    ]) {
      expect(await propose(wrong)).toEqual([400, expect.stringContaining('invalid_arguments')]);
    }
    expect((await propose({ ...of, path: 'security/KEYS.md' }))[0]).toBe(200);
  });
});

describe('a malicious hub', () => {
  const PROJECT = { id: 'proj_1', name: 'shop' };
  const file = (path: string, text: string, id = `p-${sha256(path).slice(0, 12)}`) => ({
    ...{ id, path, kind: 'rule', hash: `sha256:${sha256(text)}` },
    text,
  });
  type File = ReturnType<typeof file>;
  const digestOf = (files: readonly File[]) => {
    const digest = Buffer.alloc(32);
    for (const { id, path, kind, hash } of files) {
      const added = Buffer.from(sha256(`${id}\t${path}\t${kind}\t${hash}\n`), 'hex');
      for (const [place, byte] of added.entries()) digest[place]! ^= byte;
    }
    return digest.toString('hex');
  };
  const manifest = (files: readonly File[], more: object = {}): FakeAnswer => ({
    body: {
      hub: {
        id: 'fake',
        org: 'local',
        principal: 'alice',
        scopes: ['read', 'write'],
        now: Date.now(),
        head: at(1),
      },
      ...{
        project: PROJECT,
        revision: 7,
        digest: digestOf(files),
        since: 0,
        news: 0,
        position: null,
        seen: at(1).hash,
        next: null,
      },
      files: files.map(({ text: _, ...rest }) => rest),
      ...more,
    },
  });
  const long = 'x'.repeat(70_000);
  const good = [file('a/GOOD.md', '# Good\n'), file('a/LONG.md', long)];
  /** So many that their texts take two requests. */
  const many = Array.from({ length: 150 }, (_, index) => file(`many/N${index}.md`, `# N ${index}\n`));

  /** A hub that was honest until the edge had joined. */
  async function turning(evil: (path: string, query: URLSearchParams) => FakeAnswer | undefined) {
    let isEvil = false;
    const hub = await fakeHub(({ path, query }) => {
      const answer = isEvil ? evil(path, query) : undefined;
      if (answer) return answer;
      const projects = [{ ...PROJECT, path: null, hash: 'x', workspace_id: 'ws-1' }];
      if (path === '/api/projects') return { body: { projects, next: null } };
      if (path === '/api/hub/manifest') return manifest(good);
      if (path.startsWith('/api/hub/files/')) return texts(good);
      return undefined;
    });
    const edge = await TestEdge.open({ limits: { hubLibraryBytes: 100_000 } });
    await edge.join(hub, 'a token');
    isEvil = true;
    return { hub, edge };
  }
  const texts = (files: readonly File[]): FakeAnswer => ({
    body: { files: files.map(({ hash, text }) => ({ hash, text })) },
  });
  const serving =
    (files: readonly File[], sent = files) =>
    (path: string) =>
      path === '/api/hub/manifest'
        ? manifest(files)
        : path.startsWith('/api/hub/files/')
          ? texts(sent)
          : undefined;

  const bad = file('a/BAD.md', '# Bad\n');
  const more = file('a/MORE.md', 'y'.repeat(40_000));
  const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');
  const cases: [string, RegExp, (path: string, query: URLSearchParams) => FakeAnswer | undefined][] = [
    ...['../../etc/A.md', '/etc/A.md', 'a/../../B.md', 'a\\..\\B.md', '.git/A.md', 'a/%2e%2e/B.md'].map(
      (path): (typeof cases)[number] => [`the path ${path}`, /is not safe/, serving([file(path, '# A\n')])],
    ),
    ['a path that is no document', /is not Markdown/, serving([file('a/run.sh', '# A\n')])],
    [
      'a text that does not have its hash',
      /does not have its hash/,
      serving([bad], [{ ...bad, text: '# Other\n' }]),
    ],
    ['no text at all', /does not send the content/, serving([bad], [])],
    [
      'a text that nobody asked for',
      /sends the content sha256:[0-9a-f]{64}, which nobody asked for/,
      serving([bad], [bad, { ...good[0]!, text: '# Evil\n' }]),
    ],
    [
      'a text in the answer to another request',
      /nobody asked for/,
      (path) => {
        if (path === '/api/hub/manifest') return manifest(many);
        if (!path.startsWith('/api/hub/files/')) return undefined;
        const [asked, others] = [true, false].map((is) =>
          many.filter(({ hash }) => path.includes(hash) === is),
        );
        // Each answer also has what another request asks for, with a text that is not its own.
        return texts([...asked!, ...others!.map((one) => ({ ...one, text: '# Evil\n' }))]);
      },
    ],
    [
      'a meta prompt over the limit',
      /META_PROMPT.md: body holds 70000 bytes/,
      serving([file('META_PROMPT.md', 'x'.repeat(70_000), 'META_PROMPT.md')]),
    ],
    [
      'a meta prompt over the limit that is here as another file',
      /META_PROMPT.md: body holds 70000 bytes/,
      serving([...good, file('META_PROMPT.md', long, 'META_PROMPT.md')]),
    ],
    [
      'more bytes than a library may have, a little in each revision',
      /have more than 100000 bytes/,
      serving([...good, more], [more]),
    ],
    [
      'pages without files, and without end',
      /a page without files/,
      (path, query) => {
        const next = `page-${Number(query.get('cursor')?.slice(5) ?? 0) + 1}`;
        return path === '/api/hub/manifest' ? manifest([], { next }) : undefined;
      },
    ],
    [
      'pages of one file',
      /has more than 1000 pages/,
      (path, query) => {
        const page = Number(query.get('cursor')?.slice(5) ?? 0);
        if (path !== '/api/hub/manifest') return undefined;
        return manifest([file(`a/N${page}.md`, '# N\n')], { next: `page-${page + 1}` });
      },
    ],
    ['a secret', /holds a secret/, serving([file('a/KEY.md', `# Key\n\n${secret}\n`)])],
    ['a file twice', /is in it twice/, serving([bad, bad])],
    ['an id that is none', /has the id/, serving([file('a/A.md', '# A\n', 'META_PROMPT.md')])],
    [
      'another digest than that of its files',
      /digest is not that of its files/,
      (path) => (path === '/api/hub/manifest' ? manifest([bad], { digest: sha256('x') }) : undefined),
    ],
    [
      'a thousand revisions a second',
      /faster than it can be read/,
      (path, query) =>
        path === '/api/hub/manifest'
          ? manifest([bad], {
              revision: Math.ceil(performance.now() * 1000),
              next: query.get('cursor') ? 'b' : 'a',
            })
          : undefined,
    ],
    [
      'another hub',
      /another hub answers/,
      (path) => {
        if (path !== '/api/hub/manifest') return undefined;
        const { body } = manifest([bad]) as { body: { hub: object } };
        return { body: { ...body, hub: { ...body.hub, id: 'other' } } };
      },
    ],
    ['what is no manifest', /is wrong at/, () => ({ body: { files: 'all' } })],
    ['what is no JSON', /no JSON/, () => ({ body: '<html>' })],
    [
      'an error full of signs',
      /answered 500: a \[2J b/,
      () => ({ status: 500, body: { error: 'a\u001b[2J\n\u202eb' } }),
    ],
  ];

  test.each(cases)('with %s is refused by name, and nothing is written', async (_what, problem, evil) => {
    verifies('LIB-18');
    const { edge } = await turning(evil);
    const head = edge.services.journal.head();
    await expect(edge.edge.sync()).rejects.toThrow(problem);
    expect(edge.services.journal.head()).toEqual(head);
    expect((await edge.edge.status())!.problem).toMatch(problem);
    const agent = await edge.agent('still');
    expect([...(await agent.loadAll()).keys()]).toEqual(['a/GOOD.md', 'a/LONG.md']);
    expect(agent.notices.join()).toMatch(problem);
  });

  test('that points elsewhere does not get the token there', async () => {
    const thief = await fakeHub(() => ({ body: {} }));
    const hub = await fakeHub(() => undefined);
    const edge = await TestEdge.open();
    const redirecting = await fakeHub(({ path }) => ({
      ...{ status: 307, headers: { Location: `${thief.url}${path}` }, body: '' },
    }));
    await expect(edge.join(redirecting, 'a token')).rejects.toMatchObject({ code: 'hub_unreachable' });
    expect(redirecting.asked).toEqual(['GET /api/projects']);
    await expect(edge.join({ url: 'http://hub.example' }, 'a token')).rejects.toThrow(/unencrypted/);
    await expect(edge.join({ url: `${hub.url}?token=x` }, 'a token')).rejects.toThrow(/written as/);
    expect(thief.asked).toEqual([]);
  });
});

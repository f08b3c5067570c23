/**
 * Writes a data folder with events of every kind, with the program as it is built now:
 *
 *     npm run build && node test/golden/write.mjs test/golden/v4
 *
 * A golden folder is written once, by the version that it is named after, and never again.
 */
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { command, overStdio, serve, until } from './program.mjs';

/** Findings of this folder are there whenever it is opened. */
const KEPT_FINDINGS = { INFOLD_LIMITS_FINDING_LIFETIME: String(100 * 365 * 24 * 60 * 60_000) };
const RECORDS = fileURLToPath(new URL('../../examples/records/infold.config.json', import.meta.url));
const SHOP = '/home/me/shop';
const inShop = { project_path: SHOP };

const [target] = process.argv.slice(2);
if (target === undefined || existsSync(target)) {
  console.error('Name a folder that does not exist yet: node test/golden/write.mjs test/golden/v4');
  process.exit(2);
}
const data = resolve(target);
const scratch = mkdtempSync(join(tmpdir(), 'infold-golden-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
const infold = (...args) => command(data, args);
const inProject = (...args) => infold(...args, '--project', SHOP);

/** Files in a folder of their own, for what is imported. */
function folderOf(files) {
  const folder = mkdtempSync(join(scratch, 'files-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** A session that ends because nobody used it, with a branch in it whose agent comes back too late. */
async function expire() {
  const server = await serve(data, { INFOLD_LIMITS_SESSION_LIFETIME: '1000' });
  const agent = await server.agent();
  const here = { project_path: '/home/me/visit' };
  const leave = (description, more = {}) =>
    agent.call('context_branch', { description, prompt: 'Nobody comes back to this', ...here, ...more });
  const { session_id, branch_id } = await leave('Left open');
  await leave('Left open below', { session_id });
  await until(async () => (await server.api(`/sessions/${session_id}`)).ended_at !== null);
  await agent.call('context_return', { message: 'It was about Curlew', branch_id, ...here });
  await agent.close();
  await server.stop();
}

const MONEY = '# Money\n\n## Amounts\n\n- Amounts are whole numbers.\n- An amount has a currency.\n';

/** The shop's library, and the owner's settings. */
async function prepare() {
  const files = {
    'META_PROMPT.md': '# The shop\n\nLoad the rules that a task touches.\n',
    'coding/MONEY.md': MONEY,
    'coding/ERRORS.md': '# Errors\n\n## Content\n\nSay what was wrong and what would be right.\n',
    'context/GLOSSARY.md': '# Words\n\n## Basket\n\nWhat a customer has chosen.\n',
    'workflow/RELEASE.md': '# Release\n\n## Steps\n\n- Run the tests\n- Write the notes\n',
  };
  await inProject('library', 'import', folderOf(files), '--publish');
  await infold('project', 'set', SHOP, '--mirror', 'on', '--remember', 'off');
  await infold('project', 'add', '--name', 'warehouse');
  // An organisation's library, from which the warehouse selects: it has one file of its own instead, and protects the others.
  const common = {
    'common/LABELS.md': '---\ntags: [stock]\n---\n# Labels\n\n## Text\n\n- Two languages.\n',
    'common/FORKLIFTS.md': '# Forklifts\n\n## Speed\n\n- Walk beside them.\n',
  };
  const publish = (files, project) =>
    infold('library', 'import', folderOf(files), '--publish', '--project', project);
  await publish(common, 'organisation');
  const inWarehouse = (...args) => infold('library', ...args, '--project', 'warehouse');
  await inWarehouse('select', '--path', 'common/**', '--tag', 'stock');
  await inWarehouse('select', '--path', 'common/**');
  await publish({ 'common/FORKLIFTS.md': '# Forklifts\n\n## Speed\n\n- We have none.\n' }, 'warehouse');
  await publish({ 'common/LABELS.md': `${common['common/LABELS.md']}- Large letters.\n` }, 'organisation');
  await inWarehouse('protect', 'common/**', '--reviewer', 'rita');
  await inWarehouse('protect', 'drafts/**', '--approvals', '2');
  await inWarehouse('protect', 'drafts/**', '--none');
}

/** One agent's day in every door: branches, rules, memory, findings, messages. Its session gets its name late. */
async function work(server) {
  const agent = await overStdio(data, ['--project', SHOP, '--config', RECORDS], KEPT_FINDINGS);
  const branch = (description, prompt, more = {}) =>
    agent.call('context_branch', { description, prompt, ...inShop, ...more });
  const outer = await branch('Find the rounding error', 'Look into checkout.ts', { budget: 100_000 });
  const session_id = 'golden-thread';
  await agent.call('memory.setup', { session_id });
  await branch('Read the logs', 'Which totals are wrong?');
  // Put together here, so that no file holds anything that looks like a secret. It is replaced before it is kept.
  const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');
  await agent.call('remember', {
    ...{ title: 'Rounding', kind: 'decision', source: 'adr/0007', tags: ['money'], domain: 'billing' },
    content: `Totals are rounded once, at the end. Kestrel agreed. ${secret}`,
    project: SHOP,
    idempotency_key: 'rounding-1',
  });
  await agent.call('context_return', { message: `Totals of three items are wrong. ${secret}`, ...inShop });
  await agent.call('pod_send', {
    kind: 'reflection',
    text: 'It is the tax',
    context: { id: outer.branch_id },
  });

  const { items } = await agent.call('memory.discover', { kind: 'rule', session_id });
  const ids = items.map(({ id }) => id);
  const known = Object.fromEntries(ids.map((id) => [id, '']));
  await agent.call('memory.load', { ids, knownHashes: known, session_id });
  const ruleId = items.find(({ path }) => path === 'coding/MONEY.md').id;
  const refs = [{ ruleId, constraintId: 'Amounts/1', reason: 'The total is a sum' }];
  await agent.call('memory.refer', { refs, session_id });
  const draft = (op) => agent.call('draft', { resource: 'rule', op, session_id });
  await draft({ update: { id: ruleId, body: `${MONEY}- Round once.\n`, description: 'Rounding' } });
  await draft({ create: { path: 'coding/NAMES.md', body: '# Names\n\n## Words\n\n- Whole words\n' } });
  await draft({ create: { path: 'coding/OOPS.md', body: '# Oops\n' } });
  await draft({ discard: { id: 'coding/OOPS.md' } });
  await agent.call('memory.submit', { summary: 'The rounding error is understood', session_id });
  await agent.call('memory.load', { ids: [ruleId], knownHashes: { [ruleId]: '' }, session_id });
  await agent.call('memory.reject', { reason: 'The second try did not follow the rules', session_id });

  const { handle } = await agent.call('search_records', { model: 'activity', per_page: 10 });
  const { scratch_ref } = await agent.call('search_records', { model: 'activity', per_page: 3, lean: true });
  const store = (analysis_id, finding, more) =>
    agent.call('store_analysis_memory', { analysis_id, findings: [finding], project: SHOP, ...more });
  const right = { finding: 'Ten activities are filed right', category: 'checked', metadata: { pages: 1 } };
  await store('reclassify', right, { sources: [handle], idempotency_key: 'page-1' });
  await store('reclassify', { finding: 'Three are unsorted' }, { scratch_ref, persistent: true });
  await store('mistaken', { finding: 'Nothing to see' });
  await agent.call('clear_analysis_memories', { analysis_id: 'mistaken', project: SHOP });

  const { sections } = await agent.call('context', { goal: 'Fix the rounding of totals', project: SHOP });
  const relations = [{ type: 'supports', id: sections[0].items[0].id }];
  await agent.call('remember', { content: 'Rounding once was tested.', project: SHOP, relations });
  await agent.call('synthesis_plan', {
    goal: 'How totals are rounded',
    output_type: 'briefing',
    project: SHOP,
  });
  // More than an entry keeps in the file: it lies beside it.
  const log = 'GET /checkout 200, nothing unusual here\n'.repeat(8000);
  const operations = [{ tool: 'Read', call_id: 'call-1', input: { path: 'access.log' }, output: log }];
  const collapsed = [{ call_id: 'call-1', summary: 'Nothing in the log' }];
  await server.api(`/sessions/${session_id}/operations`, { body: { operations, collapsed } });
  await agent.call('context_return', { message: 'The tax was rounded twice, in checkout.ts', ...inShop });
  await branch('Mend it', 'Round once');
  await agent.close();
}

/** A second session in the same project, with what a rollback leaves. */
async function rollBack(server) {
  const agent = await server.agent();
  const here = { ...inShop, session_id: 'second-thread' };
  const branch = (description) => agent.call('context_branch', { description, prompt: 'Try it', ...here });
  const { branch_id } = await branch('First try');
  await branch('Below the first try');
  await agent.call('context_return', { message: 'It leads nowhere', ...here });
  await agent.call('context_rollback', { branch_id, restore_state: true, ...here });
  await agent.close();
}

async function remember(server) {
  const item = async (fields) => (await server.api('/memory/items', { body: fields })).id;
  const mondays = await item({
    content: 'Deploys happen on Mondays, says Wren.',
    kind: 'rule',
    project: SHOP,
  });
  const tuesdays = await item({
    ...{ content: 'Deploys happen on Tuesdays, says Wren.', kind: 'rule', project: SHOP },
    relations: [{ type: 'supersedes', id: mondays }],
  });
  const anyDay = await item({
    content: 'Deploys may happen on any day, says Heron.',
    kind: 'rule',
    project: SHOP,
  });
  await inProject('memory', 'relate', anyDay, 'contradicts', tuesdays);
  await inProject('memory', 'relate', anyDay, 'relates_to', tuesdays);
  await inProject('memory', 'unrelate', anyDay, 'relates_to', tuesdays);
  await item({
    ...{ content: 'Everybody may ask Plover.', scope: 'organisation', kind: 'note', author: 'Ada' },
    ...{ url: 'https://example.com/plover', valid_at: '2024-01-01T00:00:00Z', metadata: { floor: 2 } },
  });
  await item({ content: 'I prefer short names, says Dunlin.', scope: 'private', kind: 'preference' });
  await item({ content: 'Today I met Siskin.', agent_id: 'scribe', scope: 'diary', kind: 'note' });
  const said = [
    { id: 'D1:1', content: 'I joined a pottery class.', author: 'Ada', at: '2023-05-08T10:00:00Z' },
    { id: 'D1:2', content: 'Which one?', author: 'Ben', at: '2023-05-08T10:01:00Z' },
    { id: 'D1:3', content: 'The one by the canal.', author: 'Ada', at: '2023-05-08T10:02:00Z' },
  ].map((line, index) =>
    JSON.stringify({ ...line, thread: 's1', ordinal: index + 1, source: `talk#${line.id}` }),
  );
  const file = join(folderOf({ 'talk.jsonl': `${said.join('\n')}\n` }), 'talk.jsonl');
  await infold('memory', 'import', file, '--project', 'talk');
  return { forgotten: await item({ content: 'Gannet lives at number four.', kind: 'note', project: SHOP }) };
}

/** A pod with two participants and nested contexts, one of which concludes; another that retention shortens. */
async function talk(server) {
  const ada = await server.participant({ pod: 'room', participant: 'ada' });
  const ben = await server.participant({ pod: 'room', participant: 'ben' });
  const reasoning = { id: 'reason-789', type: 'reasoning' };
  const metadata = { trigger: 'security-analysis' };
  await ada.say({ id: 'm-1', kind: 'chat', payload: { text: 'Good morning' } });
  await ada.say({
    ...{ id: 'm-2', kind: 'reflection', context: { ...reasoning, metadata } },
    payload: { thought: 'Is it safe?' },
  });
  await ben.say({
    ...{ id: 'm-3', kind: 'reflection', context: { id: 'deeper', type: 'reasoning', parent: 'reason-789' } },
    payload: { thought: 'Only for readers' },
  });
  await ada.say({ id: 'm-4', kind: 'conclusion', context: reasoning, payload: { decision: 'Deny it' } });
  await ben.say({
    id: 'm-5',
    kind: 'chat',
    correlation_id: 'reason-789',
    to: ['ada'],
    payload: { text: 'Agreed' },
  });
  const aside = { id: 'aside-1', type: 'aside' };
  await ben.say({ id: 'm-6', kind: 'reflection', context: aside, payload: { text: 'Bittern has the keys' } });
  await until(async () =>
    JSON.stringify(await server.api('/pods/room/contexts/aside-1')).includes('"concluded"'),
  );
  // Said by another process; the server, which alone knows how deep asides may stand, refuses the second one.
  await infold('pod', 'send', 'room', 'From the command line', '--from', 'carol', '--id', 'm-7');
  const below = ['--context', 'aside-2', '--type', 'aside', '--parent', 'reason-789'];
  await command(data, ['pod', 'send', 'room', 'Too deep', ...below], 2);
  await Promise.all([ada.leave(), ben.leave()]);
  const dan = await server.participant({ pod: 'chatter', participant: 'dan' });
  for (let count = 1; count <= KEPT + 4; count++) {
    const context = count % 2 === 0 ? { context: { id: 'topic', type: 'reasoning' } } : {};
    await dan.say({ id: `c-${count}`, kind: 'chat', payload: { text: `Remark ${count}` }, ...context });
    // An entry goes as a whole: remarks that share one would stay together.
    await until(async () => (await server.api('/pods/chatter/messages?limit=100')).messages.length === count);
  }
  await dan.leave();
}

/** Others with tokens of their own: a colleague, a reviewer, a guest who is forgotten, another organisation. */
async function share(server) {
  const token = async (name, ...flags) => infold('token', 'create', '--name', name, ...flags);
  const [alice, rita, guest] = [
    await token('alice'),
    await token('rita', '--scope', 'read,write,review'),
    await token('guest'),
  ];
  const everything = ['--scope', 'read,write,review,admin'];
  const rival = await token('rival', '--org', 'rivals', '--capability', 'chat', ...everything);
  await token('warehouse-only', '--project', 'warehouse', '--scope', 'read', '--expires', '30d');
  const lost = await token('lost');
  await infold('token', 'revoke', lost.id);

  const library = (path, { token: bearer }, body) =>
    server.api(`/library${path}?project=${encodeURIComponent(SHOP)}`, { token: bearer, body });
  const { items } = await library('/items', alice);
  const idOf = (path) => items.find((item) => item.path === path).id;
  const propose = async (op, resource = 'rule') =>
    (await library('/drafts', alice, { resource, op })).draft.id;
  const step = (draft, name, who, body = {}) => library(`/drafts/${draft}/${name}`, who, body);
  const errors = await propose({
    update: { id: idOf('coding/ERRORS.md'), body: '# Errors\n\n## Content\n\n- Be kind.\n' },
  });
  const moved = await propose({ rename: { id: idOf('workflow/RELEASE.md'), new_path: 'workflow/SHIP.md' } });
  const gone = await propose({ delete: { id: idOf('context/GLOSSARY.md') } }, 'context');
  await propose({ update: { id: 'META_PROMPT.md', body: '# The shop\n\nAsk first.\n' } }, 'mpf');
  for (const draft of [errors, moved, gone]) await step(draft, 'submit', alice);
  await step(errors, 'comment', rita, { text: 'Is that all?' });
  await step(errors, 'comment', rita, { text: 'To whom?', line: 5 });
  await step(errors, 'approve', rita, { note: 'Short and good' });
  await step(errors, 'publish', rita);
  await step(moved, 'approve', rita);
  await step(moved, 'publish', rita);
  await step(gone, 'decline', rita, { note: 'Somebody needs it' });
  // What the owner's agent drafted is out of date now, and put on what is published.
  const newer = folderOf({ 'coding/MONEY.md': `# Currency\n\n${MONEY}` });
  await inProject('library', 'import', newer, '--publish');
  await inProject('library', 'rebase', 'coding/MONEY.md', '--take', 'draft');
  await inProject('library', 'restore', 'coding/ERRORS.md', '1');

  for (const who of [alice, guest]) {
    const agent = await server.agent(who.token);
    const { name } = who;
    const here = { ...inShop, session_id: `thread-of-${name}` };
    const branch = (description) => agent.call('context_branch', { description, prompt: 'Look', ...here });
    const { branch_id } = await branch(`What ${name} does`);
    await branch('Folded along with it');
    const { session_id } = here;
    await agent.call('remember', { content: `Notes of ${name} on Lapwing.`, project: SHOP, session_id });
    await agent.call('context_return', { message: `What ${name} found`, branch_id, ...here });
    await agent.close();
    await converse(server, `host-of-${name}`, who.token);
  }
  const stranger = await server.agent(rival.token);
  await stranger.call('remember', { content: 'Rivals know of Lapwing too.', project: '/home/they/shop' });
  await stranger.call('context_branch', {
    description: 'Elsewhere',
    prompt: 'Compete',
    project_path: '/home/they/shop',
  });
  await stranger.call('pod_send', { pod: 'room', kind: 'chat', text: 'Another room of the same name' });
  await stranger.close();
  await server.api('/sessions', { token: 'nobody', expected: 401 });
  return { alice };
}

/** This folder as a hub: an edge sends what its agents did and a draft, and then another history. */
async function receive(server, { token }) {
  const { projects } = await server.api('/projects', { token });
  const { id: project } = projects.find(({ path }) => path === SHOP);
  const { files } = await server.api(`/hub/manifest?project=${project}`, { token });
  const { id, kind, path, hash } = files.find((file) => file.path === 'coding/MONEY.md');
  const edge = `edge_${'g'.repeat(20)}`;
  const at = (seq, digit) => ({ seq, hash: digit.repeat(64) });
  const entry = (seq, digit, type, data) => ({
    ...{
      id: `0190c2f0-0000-7000-8000-00000000000${seq}`,
      ...at(seq, digit),
      at: Date.now(),
      agent: 'scribe',
    },
    ...{ project, session: 'edge-thread', events: [{ type, data }] },
  });
  const entries = [
    entry(3, 'b', 'attest.load', { items: [{ id, kind, path, hash, changed: true, draft: false }] }),
    entry(4, 'c', 'attest.agent_report', { summary: 'Dotterel counted the money' }),
  ];
  const send = (after, upto, sent, expected) =>
    server.api('/hub/events', {
      token,
      expected,
      body: { edge, after, upto, now: Date.now(), entries: sent },
    });
  await send(at(2, 'a'), at(4, 'c'), entries);
  await send(at(4, 'd'), at(4, 'd'), [], 409);
  const proposal = {
    ...{ resource: 'rule', op: 'update', file_id: id, path, new_path: null, base_hash: hash },
    ...{ body: `${MONEY}- Count twice.\n`, description: 'From an edge' },
  };
  await server.api('/hub/drafts', {
    token,
    body: { edge, draft_id: 'draft_of_the_edge', project, proposal },
  });
}

/** This folder as an edge: a project has the library of a hub for a while, and sends a draft there. */
async function visitHub() {
  const team = mkdtempSync(join(scratch, 'team-'));
  const there = (...args) => command(team, args);
  const rules = folderOf({
    'META_PROMPT.md': '# The team\n',
    'team/TIDE.md': '# Tide\n\n## Ebb\n\n- Wait.\n',
  });
  await there('library', 'import', rules, '--publish', '--project', '/srv/team');
  const { token } = await there('token', 'create', '--name', 'edge-of-golden');
  const hub = await serve(team, {});
  const project = '/home/me/harbour';
  await infold('hub', 'join', hub.url, '--token', token, '--project', project, '--to', 'team');
  const agent = await overStdio(data, ['--project', project]);
  const session_id = 'harbour-thread';
  await agent.call('memory.setup', { session_id, model: 'plover-1' });
  const draft = (op) => agent.call('draft', { resource: 'rule', op, session_id });
  await draft({ create: { path: 'team/MOON.md', body: '# Moon\n\n## Full\n\n- Look up.\n' } });
  await draft({ submit: { id: 'team/MOON.md' } });
  await agent.close();
  await infold('library', 'sync');
  await infold('hub', 'leave');
  await hub.stop();
}

/** Somebody is told of a publication: the first time in vain, then because it was asked for. The next server knows nothing of it. */
async function notify() {
  let isUp = false;
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(isUp ? 204 : 503).end());
  });
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${receiver.address().port}/`;
  const webhook = { name: 'bell', url, secret: 'golden '.repeat(4), events: ['publication.*'] };
  const env = { INFOLD_WEBHOOKS: JSON.stringify([webhook]) };
  const told = await serve(data, env);
  const bell = async () => (await told.api('/webhooks')).webhooks[0];
  const files = folderOf({ 'coast/DUNES.md': '# Dunes\n\n## Grass\n\n- Keep off.\n' });
  await infold('library', 'import', files, '--publish', '--project', '/home/me/coast');
  await until(async () => (await bell()).failures > 0);
  isUp = true;
  await told.api('/webhooks/bell/retry', { body: {} });
  await until(async () => (await bell()).delivered === 1);
  await told.stop();
  receiver.close();
}

/** Evidence of ten years ago and earlier goes, soon after a server has started. */
async function expireEvidence() {
  const { events } = await infold('verify');
  const server = await serve(data, { INFOLD_EVIDENCE_RETENTION_DAYS: '3650' });
  for (;;) {
    const now = await infold('verify');
    if (now.events > events) break;
  }
  await server.stop();
}

/** A model that answers everything alike. */
async function startModel() {
  const usage = {
    input_tokens: 40,
    cache_read_input_tokens: 300,
    cache_creation_input_tokens: 60,
    output_tokens: 9,
  };
  const answer = { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Done' }], usage };
  const model = createServer((request, response) => {
    request.resume().on('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(answer));
    });
  });
  await once(model.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${model.address().port}`, stop: () => model.close() };
}

/** A host that asks a model twice, and reads the same file twice: the second time a line is enough. */
async function converse(server, session, token) {
  const file = 'Whimbrel counts waders on the mud.\n'.repeat(60);
  const read = (id) => [
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id, name: 'Read', input: { file_path: '/waders.txt' } }],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: file }] },
  ];
  const begun = [{ role: 'user', content: 'Which birds are there?' }, ...read('toolu_1')];
  for (const messages of [begun, [...begun, ...read('toolu_2')]]) {
    const place = token === undefined ? '' : `/~${token}`;
    const response = await fetch(`${server.url}/model/anthropic${place}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-claude-code-session-id': session },
      body: JSON.stringify({ model: 'claude-sonnet-4-5', max_tokens: 100, messages }),
    });
    if (!response.ok) throw new Error(`The model answered ${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  }
  const turnsOf = async () => (await server.api(`/windows/${session}/turns`, { token })).turns;
  await until(async () => (await turnsOf()).every(({ answer }) => answer !== null));
  if (!(await turnsOf()).some(({ gone }) => gone.length > 0)) throw new Error('Nothing left the window');
}

/** Messages that retention leaves in a pod: more than any other pod here has. */
const KEPT = 60;

/** Takes the oldest remarks out, as a server does half a minute after it started. */
async function shorten() {
  const gateway = { history: { mode: 'durable', count: KEPT } };
  const server = await serve(data, { INFOLD_GATEWAY: JSON.stringify(gateway) });
  await until(async () => {
    const { messages } = await infold('pod', 'replay', 'chatter');
    return !JSON.stringify(messages).includes('Remark 1"');
  });
  await server.stop();
}

await expire();
await notify();
await prepare();
const aside = { idleMs: 300, remember: true, depth: 1, metadata: { audience: 'team' } };
const gateway = { templates: { aside } };
const model = await startModel();
const upstreams = { anthropic: { url: model.url } };
const server = await serve(data, {
  INFOLD_GATEWAY: JSON.stringify(gateway),
  INFOLD_WINDOW_UPSTREAMS: JSON.stringify(upstreams),
});
await work(server);
await rollBack(server);
const { forgotten } = await remember(server);
await talk(server);
await converse(server, 'host-thread');
await server.api('/windows/host-thread/switch', { body: { enabled: false } });
const { alice } = await share(server);
await receive(server, alice);
await server.stop();
model.stop();
await visitHub();
await expireEvidence();
await infold('forget', '--item', forgotten);
await infold('forget', '--principal', 'guest');
await infold('key', 'rotate');
await shorten();
// Indexes of records, and originals of what left windows, are caches.
for (const name of [
  'records',
  'window.db',
  'window.db-wal',
  'window.db-shm',
  'hub.lock',
  'hub-state.json',
  'webhooks',
]) {
  rmSync(join(data, name), { recursive: true, force: true });
}
const report = await infold('verify');
console.log(`${target}: ${report.entries} entries, ${report.events} events, ${report.erased} erased`);
console.log(readdirSync(data, { recursive: true }).join('\n'));

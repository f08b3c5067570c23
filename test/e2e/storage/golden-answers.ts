import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { callTool, connectStdio, runJson, startServer, temporaryFolder } from '../support/program.ts';

/**
 * What every door answers from a golden folder, less what may change from version to version: scores, times, and
 * fields that came later.
 */

const SHOP = '/home/me/shop';
const IN_SHOP = `project=${encodeURIComponent(SHOP)}`;
const YEARS = 100 * 365 * 24 * 60 * 60_000;
/** Whenever the folder is opened, its sessions live and its contexts are open as they were when it was written. */
const AS_WRITTEN = { limits: { sessionLifetime: YEARS }, gateway: { idleMs: YEARS } };

type Fields = Record<string, unknown>;
type Listed<Name extends string> = Record<Name, Fields[]>;
type Ask = <Answer = Fields>(...args: string[]) => Promise<Answer>;

/** The named fields of each; those that are not there are left out. */
function pick(rows: readonly Fields[], ...names: string[]): Fields[] {
  return rows.map((row) =>
    Object.fromEntries(names.filter((name) => name in row).map((name) => [name, row[name]])),
  );
}

const byId = (one: Fields, other: Fields) => String(one.id).localeCompare(String(other.id));
const sorted = (rows: readonly Fields[]) => [...rows].sort(byId);

/** Asked in this order: serving may write, asking on the command line does not. */
export async function answersOf(data: string): Promise<Fields> {
  const config = join(temporaryFolder(), 'infold.config.json');
  writeFileSync(config, JSON.stringify(AS_WRITTEN));
  const people = await onTheCommandLine(data);
  const owner = await asTheOwner(data, config, people.branches);
  return { ...people, ...owner, ...(await overTheNetwork(data, config)) };
}

async function onTheCommandLine(data: string): Promise<Fields & { branches: Fields[] }> {
  const ask: Ask = (...args) => runJson(data, ...args);
  const { tokens } = await ask<Listed<'tokens'>>('token', 'list');
  const { projects } = await ask<Listed<'projects'>>('project', 'list');
  const { denials } = await ask<Listed<'denials'>>('denials');
  const { sessions } = await ask<Listed<'sessions'>>('sessions', '--all');
  const { drafts } = await ask<Listed<'drafts'>>('library', 'drafts', '--all', '--project', SHOP);
  const { turns } = await ask<Listed<'turns'>>('attest', 'turns', '--project', SHOP);
  const pods: Fields = {};
  for (const [pod, ...flags] of [['room'], ['chatter'], ['room', '--org', 'rivals']] as const) {
    const { messages } = await ask<Listed<'messages'>>('pod', 'replay', pod, '--limit', '10', ...flags);
    const { contexts } = await ask<Listed<'contexts'>>('pod', 'contexts', pod, ...flags);
    pods[[pod, ...flags].join(' ')] = {
      messages: messages.map(messageOf),
      contexts: contexts.map(contextOf),
    };
  }
  const file = join(temporaryFolder(), 'memory.jsonl');
  await ask('memory', 'export', file);
  const kept = readFileSync(file, 'utf8').trim().split('\n');
  const branches: Fields[] = [];
  for (const { id } of sorted(sessions)) {
    const { main } = await ask<{ main: { children: Fields[] } }>('tree', String(id));
    branches.push(...main.children.map(branchOf));
  }
  const shop = String(projects.find(({ path }) => path === SHOP)?.id);
  const { messages: mirrored } = await ask<Listed<'messages'>>('pod', 'replay', shop);
  return {
    tokens: pick(sorted(tokens), 'id', 'name', 'org', 'scopes', 'projects', 'capabilities', 'revoked_at'),
    projects: pick(sorted(projects), 'id', 'name', 'path', 'hash', 'workspace_id'),
    denials: pick(denials, 'principal', 'action', 'resource', 'code', 'count'),
    sessions: pick(
      sorted(sessions).map((session) => ({ ...session, ...(session.context_state as Fields) })),
      ...['id', 'host_id', 'project_id', 'principal', 'started_at', 'ended_at', 'folded_total', 'branches'],
      ...['active_branch_id', 'branch_depth', 'total_tokens', 'main_thread_tokens', 'current_branch_tokens'],
    ),
    drafts: pick(
      sorted(drafts),
      ...['id', 'draft_path', 'item_id', 'resource', 'op', 'status', 'path', 'new_path', 'hash', 'base_hash'],
      ...['description', 'drafted_by', 'decided_by', 'note', 'conflict'],
    ),
    turns: turns.map(turnOf),
    branches,
    memory: await memory(ask),
    kept: pick(sorted(kept.map((line) => JSON.parse(line) as Fields)), ...ITEM, 'project', 'relations'),
    pods,
    branches_in_pod: mirrored.map(({ seq, envelope }) => ({
      ...{ seq, kind: (envelope as Fields).kind },
      context: ((envelope as Fields).context as Fields | undefined)?.id ?? null,
    })),
  };
}

/** Over MCP, as a host of the owner's asks. */
async function asTheOwner(data: string, config: string, branches: readonly Fields[]): Promise<Fields> {
  const { client } = await connectStdio('2026', data, ['--project', SHOP, '--config', config]);
  const worked = branches.find(({ description }) => description === 'Find the rounding error');
  const expanded = await callTool(client, 'context_expand', { handle: worked?.id, per_page: 100 });
  const answers = {
    trajectory: pick(expanded.structuredContent.items as Fields[], 'type', 'tool', 'tokens'),
    findings: await findings(client),
    retried: await retried(client),
  };
  await client.close();
  return answers;
}

/** Over REST, by new tokens for those who wrote it: their own are known to nobody. */
async function overTheNetwork(data: string, config: string): Promise<Fields> {
  const token = async (name: string, ...flags: string[]) =>
    (await runJson<{ token: string }>(data, 'token', 'create', '--name', name, ...flags)).token;
  const rita = await token('rita', '--scope', 'read,write,review');
  const alice = await token('alice');
  const rival = await token('rival', '--org', 'rivals');
  const server = await startServer({ data, args: ['--config', config] });
  const as =
    (bearer: string): Get =>
    async <Answer>(path: string) => {
      const headers = { authorization: `Bearer ${bearer}` };
      const response = await fetch(`${server.url}/api${path}`, { headers });
      if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
      return (await response.json()) as Answer;
    };
  const answers = {
    branches_of_alice: await branchesOf(as(alice)),
    library: await library(as(rita)),
    memory_of_alice: await found(as(alice), 'Lapwing'),
    memory_of_rivals: await found(as(rival), 'Lapwing'),
    correlation: await correlation(as(rita)),
  };
  await server.stop();
  return answers;
}

type Get = <Answer = Fields>(path: string) => Promise<Answer>;

async function branchesOf(get: Get): Promise<Fields[]> {
  const { sessions } = await get<Listed<'sessions'>>('/sessions');
  const all: Fields[] = [];
  for (const { id } of sorted(sessions)) {
    all.push(...(await get<Listed<'branches'>>(`/sessions/${id}/branches`)).branches);
  }
  return pick(
    sorted(all),
    ...['id', 'session_id', 'parent_branch_id', 'depth', 'description', 'status', 'tokens', 'operations'],
    ...['secrets_scrubbed', 'budget', 'summary', 'folded_by', 'created_at', 'ended_at'],
  );
}

async function library(get: Get): Promise<Fields> {
  const { items } = await get<Listed<'items'>>(`/library/items?${IN_SHOP}`);
  const files: Fields[] = [];
  for (const item of sorted(items)) {
    const { content } = await get(`/library/items/${item.id}?${IN_SHOP}`);
    const { revisions } = await get<Listed<'revisions'>>(`/library/items/${item.id}/history?${IN_SHOP}`);
    const [picked] = pick([item], 'id', 'kind', 'path', 'name', 'group', 'hash', 'description', 'revision');
    files.push({
      ...picked,
      content,
      revisions: pick(revisions, 'revision', 'op', 'path', 'hash', 'source', 'by'),
    });
  }
  const { drafts } = await get<Listed<'drafts'>>(`/library/drafts?status=published&${IN_SHOP}`);
  const comments: Fields = {};
  for (const { id, draft_path } of sorted(drafts)) {
    const details = await get<Listed<'comments'>>(`/library/drafts/${id}?${IN_SHOP}`);
    comments[String(draft_path)] = pick(details.comments, 'by', 'text', 'at');
  }
  return { files, comments };
}

/** Names of birds, each of which stands in one or two items. Gannet was forgotten. */
const WORDS = [
  'Kestrel',
  'Wren',
  'Heron',
  'Plover',
  'Dunlin',
  'Bittern',
  'Lapwing',
  'Gannet',
  'pottery',
  'canal',
  'tax',
];

/** Those of the answers that come from full-text indexes, the one thing that no comparison of tables sees. */
export function searchesOf(data: string): Promise<Fields> {
  return memory((...args) => runJson(data, ...args));
}

async function memory(ask: Ask): Promise<Fields> {
  const words: [string, Fields[]][] = [];
  for (const word of WORDS) {
    const { items } = await ask<Listed<'items'>>('memory', 'search', word, '--limit', '50');
    words.push([word, holding(items, word)]);
  }
  const { sections } = await ask<Listed<'sections'>>('pack', 'Siskin', '--agent', 'scribe');
  const diary = sections.flatMap(({ items }) => items as Fields[]);
  const [tuesdays] = words.find(([word]) => word === 'Wren')![1];
  const { related } = await ask<Listed<'related'>>('memory', 'related', String(tuesdays!.id));
  return {
    ...Object.fromEntries(words),
    diary: pick(diary, 'id', 'name').filter(({ name }) => String(name).includes('Siskin')),
    related: pick(sorted(related), 'id', 'relationship', 'direction', 'distance'),
  };
}

const ITEM = [
  ...['id', 'kind', 'title', 'content', 'source', 'url', 'origin', 'project_id', 'scope', 'domain', 'tags'],
  ...['author', 'thread', 'ordinal', 'at', 'valid_at', 'created_at', 'superseded_by'],
];

/** What is found by a word and holds it; ranking may bring others along. */
function holding(items: readonly Fields[], word: string): Fields[] {
  return pick(sorted(items.filter(({ content }) => String(content).includes(word))), ...ITEM);
}

async function found(get: Get, word: string): Promise<Fields[]> {
  return holding((await get<Listed<'items'>>(`/memory/search?q=${word}&limit=50`)).items, word);
}

async function findings(client: Client): Promise<Fields> {
  const recalled = async (analysis_id: string) => {
    const input = { analysis_id, project: SHOP, session_id: 'golden-thread' };
    const { structuredContent } = await callTool(client, 'recall_analysis_memories', input);
    const names = ['id', 'analysis_id', 'finding', 'category', 'metadata', 'persistent', 'created_at'];
    return pick(sorted(structuredContent.findings as Fields[]), ...names);
  };
  return { reclassify: await recalled('reclassify'), mistaken: await recalled('mistaken') };
}

async function correlation(get: Get): Promise<Fields> {
  const { contexts, linked } = await get<Listed<'contexts' | 'linked'>>('/correlations/reason-789');
  return { contexts: pick(contexts, 'pod', 'id', 'type'), linked: linked.map(messageOf) };
}

/** A call that was made then, with a key, and is made again now is answered as it was. */
async function retried(client: Client): Promise<Fields> {
  const { structuredContent } = await callTool(client, 'remember', {
    ...{ title: 'Rounding', kind: 'decision', source: 'adr/0007', tags: ['money'], domain: 'billing' },
    content: 'Totals are rounded once, at the end. Kestrel agreed. [REDACTED:github-token]',
    project: SHOP,
    idempotency_key: 'rounding-1',
  });
  return pick([structuredContent], 'id', 'created', 'error')[0]!;
}

function messageOf({ seq, epoch, envelope }: Fields): Fields {
  const names = ['id', 'ts', 'from', 'to', 'kind', 'context', 'correlation_id', 'payload'];
  return { seq, epoch, ...pick([envelope as Fields], ...names)[0] };
}

function contextOf(context: Fields): Fields {
  const names = ['id', 'type', 'parent', 'state', 'messages', 'tokens', 'created_at', 'last_at', 'summary'];
  return { ...pick([context], ...names)[0], children: (context.children as Fields[]).map(contextOf) };
}

function branchOf(branch: Fields): Fields {
  const names = ['id', 'description', 'status', 'tokens', 'operations', 'summary'];
  return { ...pick([branch], ...names)[0], children: (branch.children as Fields[]).map(branchOf) };
}

function turnOf(turn: Fields): Fields {
  const names = [
    'session_id',
    'turn',
    'project_id',
    'agent',
    'started_at',
    'ended_at',
    'outcome',
    'summary',
    'reason',
  ];
  return {
    ...pick([turn], ...names)[0],
    discovered: pick(turn.discovered as Fields[], 'kind', 'group', 'query', 'result_count'),
    loaded: pick(turn.loaded as Fields[], 'id', 'path', 'hash', 'changed', 'draft'),
    claimed: pick(
      turn.claimed as Fields[],
      'rule_id',
      'path',
      'constraint_id',
      'rule_hash',
      'reason',
      'loaded',
      'stale',
    ),
    drafted: pick(turn.drafted as Fields[], 'draft_id', 'action', 'path'),
  };
}

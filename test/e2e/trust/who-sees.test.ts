import { describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { Peer } from '../support/gateway.ts';
import { callTool, connectHttp, post, runJson, type Server, startServer } from '../support/program.ts';
import { EVERY_DOOR } from '../support/sample-calls.ts';

/** What a branch holds, each by a word that stands nowhere else. */
const ABOUT = 'Marigold the index';
const PROMPT = 'promptzanzibar';
const INPUT = 'inputquito';
const OUTPUT = 'outputbergen';
const SUMMARY = 'The marigold index is missing on summaryoslo';
const REPORT = 'The turn tidied the marigold reporttunis';
const FINDING = 'The marigold record is wrong findinglima';
const OWNER = 'aliceprincipal';
const SESSION = 'sessionwindhoek';
const OWN = { PROMPT, INPUT, OUTPUT, OWNER, SESSION };

interface Readers {
  server: Server;
  project: string;
  branch: string;
  session: string;
  tokens: Record<'owner' | 'writer' | 'reader' | 'reviewer' | 'elsewhere' | 'rival', string>;
}

/** Alice works in a project; others have tokens for it, for another project and for another organisation. */
async function work(mirror?: string): Promise<Readers> {
  const server = await startServer({ args: EVERY_DOOR });
  const { data } = server;
  const { id: project } = await runJson<{ id: string }>(data, 'project', 'add', '--name', 'shop');
  await runJson(data, 'project', 'add', '--name', 'elsewhere');
  if (mirror !== undefined) await runJson(data, 'project', 'set', 'shop', '--mirror', mirror);
  const token = async (name: string, ...flags: string[]) =>
    (await runJson<{ token: string }>(data, 'token', 'create', '--name', name, ...flags)).token;
  const tokens = {
    owner: await token(OWNER, '--project', 'shop'),
    writer: await token('writer', '--project', 'shop'),
    reader: await token('reader', '--project', 'shop', '--scope', 'read'),
    reviewer: await token('reviewer', '--project', 'shop', '--scope', 'read,review'),
    elsewhere: await token('elsewhere', '--project', 'elsewhere'),
    rival: await token('rival', '--org', 'rivals'),
  };
  const client = await connectHttp(`${server.url}/mcp`, '2025', tokens.owner);
  await callTool(client, 'memory.setup', { session_id: SESSION });
  const begun = await callTool(client, 'context_branch', {
    description: ABOUT,
    prompt: PROMPT,
    project_path: project,
    session_id: SESSION,
  });
  const { branch_id: branch, session_id: session } = begun.structuredContent as Record<string, string>;
  await post(
    `${server.url}/api/sessions/${SESSION}/operations`,
    { operations: [{ tool: 'Read', branch_id: branch, input: { path: INPUT }, output: OUTPUT }] },
    { authorization: `Bearer ${tokens.owner}` },
  );
  await callTool(client, 'store_analysis_memory', {
    analysis_id: 'marigold',
    findings: [{ finding: FINDING }],
    persistent: true,
    project,
  });
  await callTool(client, 'context_return', { message: SUMMARY, branch_id: branch!, project_path: project });
  await callTool(client, 'memory.submit', { summary: REPORT });
  return { server, project, branch: branch!, session: session!, tokens };
}

/** Every door through which somebody could look for it, and all that it answered. */
async function look(
  { server, project, branch, session }: Readers,
  token: string,
): Promise<Map<string, string>> {
  const headers = { authorization: `Bearer ${token}` };
  const client = await connectHttp(`${server.url}/mcp`, '2026', token);
  const get = async (path: string) => (await fetch(`${server.url}/api/${path}`, { headers })).text();
  const tool = async (name: string, input: object) =>
    JSON.stringify(await callTool(client, name, input as never).catch((error: Error) => error.message));
  const resource = async (uri: string) =>
    JSON.stringify(await client.readResource({ uri }).catch((error: Error) => error.message));
  const heard = async () => {
    const peer = await Peer.join(server.url, { pod: project, since: '0' }, { headers }).catch(
      () => undefined,
    );
    if (!peer) return '';
    await peer.next(({ kind }) => kind === 'fold/return', 2000).catch(() => undefined);
    return JSON.stringify(peer.frames);
  };
  const q = encodeURIComponent('marigold index');
  const goal = 'Where is the marigold index missing';
  return new Map([
    ['GET sessions', await get('sessions')],
    ['GET session', (await get(`sessions/${session}`)).replaceAll(session, '')],
    ['GET branches', (await get(`sessions/${session}/branches`)).replaceAll(session, '')],
    ['GET branch', (await get(`branches/${branch}`)).replaceAll(branch, '')],
    ['context_expand', (await tool('context_expand', { handle: branch })).replaceAll(branch, '')],
    ['infold://branch', (await resource(`infold://branch/${branch}`)).replaceAll(branch, '')],
    ['infold://session', (await resource(`infold://session/${session}`)).replaceAll(session, '')],
    ['resources/list', JSON.stringify(await client.listResources())],
    ['GET memory/search', await get(`memory/search?q=${q}`)],
    ['GET memory/items', await get(`memory/items/${branch}`)],
    ['GET related', await get(`memory/items/${branch}/related`)],
    ['context', await tool('context', { goal, project })],
    ['context deep', await tool('context', { goal, project, layer: 'deep_search', format: 'full' })],
    ['POST packs', await (await post(`${server.url}/api/packs`, { goal, project }, headers)).text()],
    ['synthesis_plan', await tool('synthesis_plan', { goal, project })],
    ['recall', await tool('recall_analysis_memories', { query: 'marigold', project })],
    ['/ws', await heard()],
    ['GET messages', await get(`pods/${project}/messages?limit=500`)],
    ['GET search', await get(`pods/${project}/search?q=marigold`)],
    ['GET contexts', await get(`pods/${project}/contexts`)],
    ['GET context', await get(`pods/${project}/contexts/${branch}`)],
    ['GET correlations', await get(`correlations/${branch}`)],
    ['pod_read', await tool('pod_read', { pod: project, since: 0 })],
    ['pod_contexts', await tool('pod_contexts', { pod: project })],
    ['GET turns', await get(`attestation/turns?project=${project}`)],
    ['GET agents', await get(`attestation/agents?project=${project}`)],
    ['GET rules', await get(`attestation/rules?project=${project}`)],
  ]);
}

const MEMORY = ['GET memory/search', 'GET memory/items', 'context', 'context deep', 'POST packs'];
const POD = ['/ws', 'GET messages', 'GET contexts', 'GET context', 'pod_read', 'pod_contexts'];

function found(doors: Map<string, string>, words: Record<string, string>): string[] {
  return [...doors].flatMap(([door, text]) =>
    Object.entries(words).flatMap(([name, word]) => (text.includes(word) ? [`${door}: ${name}`] : [])),
  );
}

describe('what one member of a project does', () => {
  test('others see by its summary alone, and strangers not at all', async () => {
    verifies('KERN-10', 'PACK-06');
    const readers = await work();
    const { tokens, session } = readers;
    const own = { ...OWN, session };
    for (const reader of ['writer', 'reader'] as const) {
      const doors = await look(readers, tokens[reader]);
      expect(`${reader} sees ${found(doors, own).join(', ')}`).toBe(`${reader} sees `);
      for (const door of [...MEMORY, ...POD]) expect(`${door} ${doors.get(door)}`).toContain('summaryoslo');
    }
    // Who reviews what agents do with rules sees who they are, and nothing of their work.
    const reviewed = await look(readers, tokens.reviewer);
    expect(found(reviewed, own).filter((one) => !/^GET (turns|agents): /.test(one))).toEqual([]);
    expect(reviewed.get('GET turns')).toContain(OWNER);
    for (const stranger of ['elsewhere', 'rival'] as const) {
      const doors = await look(readers, tokens[stranger]);
      const everything = { ...own, ABOUT, SUMMARY: 'summaryoslo', REPORT, FINDING };
      expect(`${stranger} sees ${found(doors, everything).join(', ')}`).toBe(`${stranger} sees `);
    }
    const mine = await look(readers, tokens.owner);
    for (const door of ['GET branch', 'context_expand', 'infold://branch']) {
      for (const word of [PROMPT, INPUT, OUTPUT, 'summaryoslo'])
        expect(`${door} ${mine.get(door)}`).toContain(word);
    }
    expect(mine.get('GET memory/items')).toContain(OWNER);
  });

  test('is told in full where the project shares it, and in its pod not at all where it is off', async () => {
    const full = await work('full');
    const doors = await look(full, full.tokens.reader);
    for (const word of [PROMPT, INPUT, OUTPUT, OWNER]) expect(doors.get('GET messages')).toContain(word);
    expect(doors.get('GET memory/items')).toContain(OWNER);
    for (const door of ['GET sessions', 'GET branch', 'context_expand', 'infold://branch', 'GET turns']) {
      expect(found(new Map([[door, doors.get(door)!]]), { ...OWN, session: full.session })).toEqual([]);
    }
    const off = await work('off');
    const none = await look(off, off.tokens.writer);
    for (const door of POD) expect(`${door} ${none.get(door)}`).not.toContain('summaryoslo');
    expect(found(none, { ...OWN, session: off.session })).toEqual([]);
    expect(none.get('GET memory/search')).toContain('summaryoslo');
  });
});

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import {
  callTool,
  connectHttp,
  connectStdio,
  ERAS,
  type Era,
  runJson,
  startServer,
  TRANSPORTS,
  type TransportName,
  temporaryFolder,
  until,
} from '../support/program.ts';

const PROJECT = '/home/someone/shop';
const everyWay = TRANSPORTS.flatMap((transport) => ERAS.map((era) => ({ transport, era })));

type Kind = 'tools' | 'resources' | 'prompts';

/** A client and the lists that it was told have changed. */
async function watch(client: Client, era: Era): Promise<Kind[]> {
  const told: Kind[] = [];
  for (const kind of ['tools', 'resources', 'prompts'] as const) {
    client.setNotificationHandler(`notifications/${kind}/list_changed`, () => {
      told.push(kind);
    });
  }
  if (era === '2026') {
    await client.listen({ toolsListChanged: true, resourcesListChanged: true, promptsListChanged: true });
  }
  return told;
}

/** A client of a server whose configuration is in a file. */
async function connect(transport: TransportName, era: Era) {
  const data = temporaryFolder();
  const config = join(temporaryFolder(), 'infold.config.json');
  const writeConfig = (text: string) => writeFileSync(config, text);
  const configure = (toolsets: string[]) => writeConfig(JSON.stringify({ toolsets }));
  configure(['fold', 'library']);
  const args = ['--config', config];
  const open = async () => {
    if (transport === 'stdio') return (await connectStdio(era, data, [...args, '--project', PROJECT])).client;
    const server = await startServer({ data, args });
    return connectHttp(`${server.url}/mcp?names=portable&project=${PROJECT}`, era);
  };
  const client = await open();
  return { client, data, configure, writeConfig, told: await watch(client, era) };
}

async function publish(data: string, path: string, text: string, project = PROJECT): Promise<void> {
  const folder = temporaryFolder();
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
  await runJson(data, 'library', 'import', folder, '--project', project, '--publish');
}

describe.each(everyWay)('changed lists, over $transport in $era', ({ transport, era }) => {
  test('are declared', async () => {
    verifies('KERN-16');
    const { client } = await connect(transport, era);
    expect(client.getServerCapabilities()).toMatchObject({
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
    });
  });

  test('resources: a session begins, a file is published; of another project nothing is told', async () => {
    verifies('KERN-16');
    const { client, data, told } = await connect(transport, era);
    const listed = async () => (await client.listResources()).resources.map(({ uri }) => uri);
    expect((await listed()).filter((uri) => uri.startsWith('infold://session/'))).toEqual([]);
    await callTool(client, 'context_branch', { description: 'a', prompt: 'b', project_path: PROJECT });
    await until(() => told.includes('resources'));
    expect((await listed()).filter((uri) => uri.startsWith('infold://session/'))).toHaveLength(1);

    told.length = 0;
    await publish(data, 'coding/ELSEWHERE.md', '# Elsewhere\n\n## A\n\nB\n', '/home/someone/blog');
    await publish(data, 'coding/STYLE.md', '# Style\n\n## Names\n\nWhole words.\n');
    await until(() => told.includes('resources'));
    expect(await listed()).toContain('infold://library/coding/STYLE.md');
    expect(told.filter((kind) => kind === 'resources')).toHaveLength(1);
    expect(told).not.toContain('prompts');
  });

  test('prompts: a workflow is published', async () => {
    const { client, data, told } = await connect(transport, era);
    await publish(data, 'workflow/RELEASE.md', '# Release\n\n## Steps\n\n1. Tag it.\n');
    await until(() => told.includes('prompts'));
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ title }) => title)).toContain('RELEASE');
  });

  test('tools: a door is opened and closed in the configuration file, which is not always whole', async () => {
    const { client, configure, writeConfig, told } = await connect(transport, era);
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    expect(await names()).not.toContain('remember');
    configure(['fold', 'memory']);
    await until(() => told.includes('tools'));
    expect(await names()).toEqual(expect.arrayContaining(['context_branch', 'remember']));
    expect(await names()).not.toContain('memory_load');
    expect((await callTool(client, 'remember', { content: 'It opened' })).isError).toBe(false);
    expect((await callTool(client, 'memory_load')).content[0]?.text).toBe('Unknown tool');
    writeConfig('{"toolsets": ["fo');
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(await names()).toContain('remember');
    configure(['fold']);
    await until(async () => !(await names()).includes('remember'));
    expect(told.filter((kind) => kind === 'tools')).toHaveLength(2);
  });
});

test.each(ERAS)('who may not see a session is not told that it began (%s era)', async (era) => {
  verifies('KERN-10');
  const server = await startServer();
  const clientOf = async (name: string) => {
    const { token } = await runJson<{ token: string }>(server.data, 'token', 'create', '--name', name);
    return connectHttp(`${server.url}/mcp?project=${PROJECT}`, era, token);
  };
  const [alice, bob] = [await clientOf('alice'), await clientOf('bob')];
  const told = { alice: await watch(alice, era), bob: await watch(bob, era) };
  await callTool(bob, 'context_branch', { description: 'a', prompt: 'b', project_path: PROJECT });
  await until(() => told.bob.includes('resources'));
  expect(told.alice).toEqual([]);
});

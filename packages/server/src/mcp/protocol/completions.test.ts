import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import type { PromptSource } from '../../call/prompt.ts';
import type { ResourceDefinition } from '../../call/resource.ts';
import { testServices } from '../../testing/fixtures.suite.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { Connection } from '../../trust/sessions/resolve.ts';
import { ResourceHub } from './resources.ts';
import { createProtocolServer } from './server.ts';

const shelf = (more: Partial<ResourceDefinition> = {}): ResourceDefinition => ({
  template: 'infold://shelf/{id}',
  name: 'shelf',
  title: 'A shelf',
  description: 'What stands on a shelf',
  mimeType: 'text/plain',
  read: (id) => ({ text: `The shelf ${id}` }),
  list: () => ['attic', 'cellar', 'ceiling'].map((id) => ({ id, title: id })),
  streams: '',
  changedBy: () => [],
  ...more,
});

const recipe: PromptSource = {
  streams: '',
  list: () => [
    {
      name: 'recipe',
      title: 'Recipe',
      arguments: [
        { name: 'dish', description: 'What to cook', required: true },
        { name: 'guests', description: 'For how many' },
      ],
    },
  ],
  get: (name, _context, { dish, guests = '2' }) =>
    name === 'recipe'
      ? {
          content: [
            { type: 'text', text: `Cook ${dish} for ${guests}.` },
            { type: 'image', mimeType: 'image/png', data: 'AAAA' },
          ],
        }
      : undefined,
};

async function connect(definition: ResourceDefinition = shelf()) {
  const services = await testServices();
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const exchange = { caller: localOwner, connection: new Connection(), spelling: 'portable' as const };
  const resources = new ResourceHub(services.journal, [definition]);
  await createProtocolServer(
    { ...services, resources, prompts: [recipe] },
    'legacy',
    exchange,
    'stdio',
  ).connect(serverSide);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(clientSide);
  onTestFinished(() => client.close());
  return client;
}

const typing = (value: string, uri = 'infold://shelf/{id}') => ({
  ref: { type: 'ref/resource' as const, uri },
  argument: { name: 'id', value },
});

test('an address is completed with what is listed', async () => {
  const client = await connect();
  const { completion } = await client.complete(typing('ce'));
  expect(completion).toEqual({ values: ['cellar', 'ceiling'], hasMore: false });
});

test('a family that knows more than it lists is asked, and no more than 100 values are told', async () => {
  const complete = (typed: string) => Array.from({ length: 101 }, (_, index) => `${typed}-${index}`);
  const client = await connect(shelf({ complete }));
  const { completion } = await client.complete(typing('x'));
  expect(completion.values).toHaveLength(100);
  expect(completion).toMatchObject({ values: expect.arrayContaining(['x-0', 'x-99']), hasMore: true });
});

test('arguments of a prompt are free text', async () => {
  const client = await connect();
  const ref = { type: 'ref/prompt' as const, name: 'recipe' };
  const { completion } = await client.complete({ ref, argument: { name: 'dish', value: 's' } });
  expect(completion).toEqual({ values: [], hasMore: false });
});

test('what is not there cannot be completed', async () => {
  const client = await connect();
  await expect(client.complete(typing('x', 'infold://cupboard/{id}'))).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('infold://cupboard/{id}'),
  });
  const ref = { type: 'ref/prompt' as const, name: 'song' };
  await expect(client.complete({ ref, argument: { name: 'key', value: '' } })).rejects.toMatchObject({
    code: -32602,
  });
});

test('a prompt is told its arguments, and may hold more than text', async () => {
  const client = await connect();
  const { messages } = await client.getPrompt({ name: 'recipe', arguments: { dish: 'soup', guests: '4' } });
  expect(messages).toEqual([
    { role: 'user', content: { type: 'text', text: 'Cook soup for 4.' } },
    { role: 'user', content: { type: 'image', mimeType: 'image/png', data: 'AAAA' } },
  ]);
});

test('a prompt without an argument that it needs is refused, and the argument named', async () => {
  const client = await connect();
  await expect(client.getPrompt({ name: 'recipe', arguments: { guests: '4' } })).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('dish'),
  });
});

test('a resource may be no text', async () => {
  const client = await connect(shelf({ mimeType: 'image/png', read: () => ({ blob: 'AAAA' }) }));
  const { contents } = await client.readResource({ uri: 'infold://shelf/attic' });
  expect(contents).toEqual([{ uri: 'infold://shelf/attic', mimeType: 'image/png', blob: 'AAAA' }]);
});

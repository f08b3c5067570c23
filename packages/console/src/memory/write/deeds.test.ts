import { expect, test, vi } from 'vitest';
import { keepOne } from './deeds.ts';

const kept = { id: 'mem_1', name: 'The one' };
const place = { project: 'atlas' };

test('one of several supersedes all of the others, or none of them', async () => {
  const related: string[] = [];
  const relateItems = vi.fn(async ({ id }: { id: string }) => {
    if (id === 'mem_3') throw new Error('It is gone');
    related.push(id);
    return {} as never;
  });
  const unrelateItems = vi.fn(async ({ id }: { id?: string | undefined }) => {
    related.splice(related.indexOf(id!), 1);
    return {} as never;
  });
  const api = { relateItems, unrelateItems } as unknown as Parameters<typeof keepOne>[0];
  await expect(keepOne(api, { kept, others: ['mem_2', 'mem_3'], place })).rejects.toThrow('It is gone');
  expect(related).toEqual([]);
  expect(await keepOne(api, { kept, others: ['mem_2', 'mem_4'], place })).toMatchObject({
    said: '“The one” supersedes 2 others.',
  });
  expect(related).toEqual(['mem_2', 'mem_4']);
});

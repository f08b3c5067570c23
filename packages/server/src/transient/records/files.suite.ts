import { noticesOf, type Reader } from '../fixture.suite.ts';

export const jsonl =
  (file = 'a.jsonl', more: Record<string, unknown> = {}) =>
  (path: (name: string) => string) => ({
    thing: { type: 'jsonl', path: path(file), ...more },
  });
export const csv =
  (more: Record<string, unknown> = {}) =>
  (path: (name: string) => string) => ({
    thing: { type: 'csv', path: path('a.csv'), ...more },
  });
export const search = (reader: Reader, input: Record<string, unknown> = {}) =>
  reader.call('search_records', { model: 'thing', ...input });
export const refused = (reader: Reader, input: Record<string, unknown> = {}) =>
  reader.refusal('search_records', { model: 'thing', ...input });
export const notices = async (reader: Reader) =>
  noticesOf(await reader.result('search_records', { model: 'thing' }));
export const line = (record: unknown) => `${JSON.stringify(record)}\n`;

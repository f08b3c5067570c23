import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { runs } from '../../../../../test/support/runs.ts';
import { callsOf } from '../../cli/services/calls.ts';
import { callerNamed, HOUR } from '../../testing/fixtures.suite.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { type Answer, contextOf, noticesOf, Reader, startServer, withFiles } from '../fixture.suite.ts';
import { findRecords, searchRecords } from './search-records.ts';

const rows = (count: number, from = 1) =>
  Array.from(
    { length: count },
    (_, index) => `${JSON.stringify({ id: from + index, name: `n${from + index}` })}\n`,
  ).join('');

const numbered = (count: number) =>
  withFiles({ 'thing.jsonl': rows(count) }, (path) => ({
    thing: { type: 'jsonl', path: path('thing.jsonl') },
  }));

describe('marks of search_records', () => {
  test.each([
    { page: 1, count: 15, summary: '15 activity records (page 1/9, IDs: 72, 73, 74…)' },
    { page: 2, count: 15, summary: '15 activity records (page 2/9, IDs: 87, 88, 89…)' },
    { page: 9, count: 12, summary: '12 activity records (page 9/9, IDs: 192, 193, 194…)' },
  ])('page $page of the 132 activities', async ({ page, count, summary }) => {
    verifies('TCP-01', 'TCP-02', 'TCP-03');
    const { reader } = await startServer();
    const result = await reader.result('search_records', { model: 'activity', page, per_page: 15 });
    expect(contextOf(result)).toEqual({ lifecycle: 'transient', summary });
    expect((result.structuredContent as unknown as Answer).records).toHaveLength(count);
    expect(result.structuredContent).toMatchObject({
      schema: { model: 'activity' },
      pagination: { page, per_page: 15, total: 132, total_pages: 9 },
    });
  });

  test.each([
    [0, false],
    [3, false],
    [4, false],
    [5, true],
  ])('%i records: marked %s', async (count, marked) => {
    verifies('TCP-01');
    const { reader } = await numbered(10);
    const filters = { id: { lte: count } };
    const result = await reader.result('search_records', { model: 'thing', filters });
    expect((result.structuredContent as unknown as Answer).records).toHaveLength(count);
    expect(contextOf(result) !== undefined).toBe(marked);
    expect(result._meta?.['infold/handle'] !== undefined).toBe(marked);
    expect((result.structuredContent as unknown as Answer).handle !== undefined).toBe(marked);
  });

  test('the threshold can be set, also for one tool alone', async () => {
    verifies('TCP-01');
    const { reader } = await startServer({ transientThreshold: 3, transientThresholds: { find_records: 7 } });
    const marked = async (tool: string, per_page: number) =>
      contextOf(await reader.result(tool, { model: 'activity', per_page })) !== undefined;
    expect(await marked('search_records', 2)).toBe(false);
    expect(await marked('search_records', 3)).toBe(true);
    expect(await marked('find_records', 6)).toBe(false);
    expect(await marked('find_records', 7)).toBe(true);
  });

  test('find_records does not count, and its summary has no total', async () => {
    verifies('TCP-01', 'TCP-02');
    const { reader } = await startServer();
    const result = await reader.result('find_records', { model: 'activity', per_page: 6 });
    expect(contextOf(result)).toEqual({
      lifecycle: 'transient',
      summary: '6 activity records (page 1, IDs: 72, 73, 74…)',
    });
    expect(result.structuredContent.pagination).toEqual({ page: 1, per_page: 6, has_more: true });
    const last = await reader.call('find_records', { model: 'activity', per_page: 66, page: 2 });
    expect(last.pagination).toEqual({ page: 2, per_page: 66, has_more: false });
  });

  test('a lookup by id is never marked', async () => {
    verifies('TCP-01');
    const { reader } = await startServer({ transientThreshold: 1 });
    const result = await reader.result('find_records', { model: 'activity', record_id: 100 });
    expect(contextOf(result)).toBeUndefined();
    expect(result._meta).not.toHaveProperty('infold/handle');
    expect((result.structuredContent as unknown as Answer).records[0]).toMatchObject({ id: 100 });
    expect((await reader.call('find_records', { model: 'activity', record_id: '100' })).records).toHaveLength(
      1,
    );
    for (const record_id of [71, 'nobody']) {
      const refusal = await reader.refusal('find_records', { model: 'activity', record_id });
      expect(refusal).toMatchObject({ code: 'not_found', error: `activity ${record_id} not found` });
    }
  });

  test('records without ids have a summary without ids', async () => {
    verifies('TCP-02');
    const { reader } = await withFiles({ 'a.csv': 'name\na\nb\nc\nd\ne\n' }, (path) => ({
      word: { type: 'csv', path: path('a.csv') },
    }));
    const result = await reader.result('search_records', { model: 'word' });
    expect(contextOf(result)?.summary).toBe('5 word records (page 1/1)');
    const refusal = await reader.refusal('find_records', { model: 'word', record_id: 1 });
    expect(refusal.error).toContain('has no id column');
  });

  test('ids are taken before fields are chosen, and stay in the records', async () => {
    const { reader } = await startServer();
    const result = await reader.result('search_records', {
      model: 'activity',
      fields: ['minutes'],
      per_page: 5,
    });
    expect(contextOf(result)?.summary).toBe('5 activity records (page 1/27, IDs: 72, 73, 74…)');
    expect(result.structuredContent.records).toContainEqual({ id: 73, minutes: 52 });
  });
});

describe('originals', () => {
  test('come back by the handle, in pages', async () => {
    const { reader } = await startServer();
    const { records, handle } = await reader.search({ per_page: 15, page: 2 });
    const back = await reader.call<{ kind: string; items: unknown[]; total_pages: number }>(
      'context_expand',
      {
        handle,
        per_page: 10,
      },
    );
    expect(back).toMatchObject({ kind: 'records', total_pages: 2 });
    expect(back.items).toEqual(records.slice(0, 10));
    const rest = await reader.call<{ items: unknown[] }>('context_expand', { handle, per_page: 10, page: 2 });
    expect(rest.items).toEqual(records.slice(10));
  });

  test('are not for others, nor for ever', async () => {
    const { reader, services, clock } = await startServer();
    const { handle } = await reader.search();
    const bob = new Reader(services, callerNamed('bob'));
    expect(await bob.refusal('context_expand', { handle })).toMatchObject({ code: 'not_found' });
    clock.advance(23 * HOUR);
    await reader.call('context_expand', { handle });
    clock.advance(HOUR);
    expect(await reader.refusal('context_expand', { handle })).toMatchObject({ code: 'not_found' });
  });
});

describe('paging', () => {
  test.each([
    [{ page: 0 }, 1, 50, /page was set to 1/],
    [{ page: -1 }, 1, 50, /page was set to 1/],
    [{ per_page: 0 }, 1, 1, /per_page was set to 1 \(1 to 200\)/],
    [{ per_page: 10_000, fields: ['title'] }, 1, 200, /per_page was set to 200/],
    [{ per_page: 500, fields: ['title'] }, 1, 200, /per_page was set to 200/],
  ])('%j is clamped, and told', async (input, page, per_page, notice) => {
    const { reader } = await startServer();
    const result = await reader.result('search_records', { model: 'activity', ...input });
    expect(result.structuredContent.pagination).toMatchObject({ page, per_page });
    expect(noticesOf(result)).toEqual([expect.stringMatching(notice)]);
  });

  test('a page is broken into lines, a record a line, and is still JSON', async () => {
    verifies('KERN-07');
    const { reader } = await startServer();
    const result = await reader.result('search_records', { model: 'activity', per_page: 15 });
    const [{ text }] = result.content;
    expect(JSON.parse(text)).toEqual(result.structuredContent);
    const records = text.split('\n').slice(1, -1);
    expect(records.map((line) => JSON.parse(line.replace(/,$/, '')))).toEqual(
      result.structuredContent.records,
    );
  });

  test('pages are kept under 40,000 characters, and going through them shows each record once', async () => {
    verifies('TCP-10');
    const lengths = fc.array(
      fc.oneof(
        { weight: 6, arbitrary: fc.integer({ min: 0, max: 300 }) },
        { weight: 2, arbitrary: fc.integer({ min: 0, max: 5000 }) },
        { weight: 1, arbitrary: fc.integer({ min: 0, max: 120_000 }) },
      ),
      { minLength: 1, maxLength: 300, size: 'max' },
    );
    await fc.assert(
      fc.asyncProperty(
        lengths,
        fc.constantFrom(5, 20, 50, 200),
        fc.boolean(),
        async (all, per_page, find) => {
          const file = all.map(
            (length, id) => `${JSON.stringify({ id, text: '\n"x" '.repeat(length / 5) })}\n`,
          );
          const { reader, services } = await withFiles({ 'a.jsonl': file.join('') }, (path) => ({
            a: { type: 'jsonl', path: path('a.jsonl') },
          }));
          const tool = find ? 'find_records' : 'search_records';
          const seen: unknown[] = [];
          for (let page = 1, last = false; !last; page++) {
            const result = await reader.result(tool, { model: 'a', page, per_page });
            if (result.isError) {
              expect(result.structuredContent.code).toBe('too_large');
              return;
            }
            expect(result.content[0].text.length).toBeLessThan(40_000);
            expect(JSON.stringify(result.structuredContent).length).toBeLessThan(40_000);
            const { records, pagination } = result.structuredContent as unknown as Answer;
            seen.push(...records.map(({ id }) => id));
            last = find ? !pagination.has_more : page >= pagination.total_pages!;
          }
          expect(seen).toEqual(all.map((_, id) => id));
          await services.records.close();
        },
      ),
      { numRuns: runs(12) },
    );
  }, 60_000);

  test('what is cut on a page is whole under its handle and by its id', async () => {
    const file = Array.from(
      { length: 30 },
      (_, id) => `${JSON.stringify({ id, text: `${id} `.repeat(4000) })}\n`,
    );
    const { reader } = await withFiles({ 'a.jsonl': file.join('') }, (path) => ({
      a: { type: 'jsonl', path: path('a.jsonl') },
    }));
    const result = await reader.result('search_records', { model: 'a' });
    const { records, pagination, handle } = result.structuredContent as unknown as Answer;
    expect(records[0]!.text).toMatch(/^0 0 .*… \(8000 characters\)$/);
    expect(pagination).toMatchObject({ per_page: records.length, total: 30 });
    expect(noticesOf(result)).toEqual([
      `per_page was set to ${records.length} for every page, to keep pages under 40,000 characters`,
      expect.stringContaining('long values were cut'),
    ]);
    const whole = await reader.call<Answer>('find_records', { model: 'a', record_id: 3 });
    expect(whole.records[0]!.text).toHaveLength(8000);
    const kept = await reader.call<{ items: { text: string }[]; total_pages: number }>('context_expand', {
      handle,
      per_page: 1,
    });
    expect(kept.items[0]!.text).toHaveLength(8000);
    expect(kept.total_pages).toBe(records.length);
    const scratch = await reader.call<{ count: number }>('search_records', { model: 'a', lean: true });
    expect(scratch.count).toBe(30);
  });

  test('past the end is empty, not the last page again', async () => {
    const { reader } = await startServer();
    for (const page of [10, 1e15]) {
      const result = await reader.result('search_records', { model: 'activity', page, per_page: 15 });
      expect(result.structuredContent).toMatchObject({
        records: [],
        pagination: { page, total: 132, total_pages: 9 },
      });
      expect(noticesOf(result)).toEqual(['There are 9 pages']);
      expect(contextOf(result)).toBeUndefined();
    }
  });

  test('is whole and without repeats, sorted and unsorted', async () => {
    const { reader } = await startServer();
    for (const sort of [undefined, 'category', '-category', '-minutes,title']) {
      const ids: unknown[] = [];
      for (let page = 1; page <= 9; page++) {
        const { records } = await reader.search({
          page,
          per_page: 15,
          ...(sort === undefined ? {} : { sort }),
        });
        ids.push(...records.map(({ id }) => id));
      }
      expect(new Set(ids).size, sort).toBe(132);
    }
  });

  test('a fraction of a page is refused', async () => {
    const { reader } = await startServer();
    const refusal = await reader.refusal('search_records', { model: 'activity', page: 1.5 });
    expect(refusal).toMatchObject({
      code: 'invalid_arguments',
      error: expect.stringContaining('whole number'),
    });
  });
});

describe('what is not there is named with what is', () => {
  test.each([
    [{ model: 'activities' }, 'Unknown model "activities". Valid models: activity'],
    [
      { model: 'activity', filters: { colour: 1 } },
      'Unknown filter "colour" for activity. Valid columns: id, title,',
    ],
    [
      { model: 'activity', filters: { id: { like: 1 } } },
      'Unknown operator "like" for "id". Valid operators: eq, ne,',
    ],
    [{ model: 'activity', fields: ['colour'] }, 'Unknown field "colour"'],
    [{ model: 'activity', sort: '-colour' }, 'Unknown sort column "colour"'],
    [{ model: 'activity', filters: { minutes: 'long' } }, '"minutes" holds numbers; "long" is none'],
    [{ model: 'activity', filters: { billable: 'maybe' } }, '"billable" is true or false'],
    [{ model: 'activity', filters: { id: { between: [1] } } }, 'between takes a list of two values'],
    [{ model: 'activity', filters: { id: { in: 5 } } }, 'in takes a list'],
    [{ model: 'activity', filters: { id: {} } }, 'has no operator'],
    [{ model: 'activity', filters: { tags: ['x'] } }, 'only contains and is_null'],
    [{ model: 'activity', filters: { id: { is_null: 'yes' } } }, 'is_null takes true or false'],
  ])('%j', async (input, error) => {
    verifies('TCP-10');
    const { reader } = await startServer();
    const refusal = await reader.refusal('search_records', input);
    expect(refusal.error).toContain(error);
    expect(refusal.retryable).toBe(false);
  });

  test('no model lists the models, their columns and their state', async () => {
    verifies('TCP-10');
    const { reader } = await withFiles({ 'a.csv': 'id,name,paid\n1,x,true\n' }, (path) => ({
      order: { type: 'csv', path: path('a.csv') },
      gone: { type: 'jsonl', path: path('gone.jsonl') },
    }));
    const before = await reader.call<{ models: unknown[] }>('search_records');
    expect(before.models).toContainEqual(
      expect.objectContaining({ model: 'order', state: 'not indexed yet' }),
    );
    await reader.call('search_records', { model: 'order' });
    const result = await reader.result('search_records', { model: '' });
    expect(result.structuredContent.models).toEqual([
      {
        model: 'order',
        type: 'csv',
        id: 'id',
        records: 1,
        state: 'ready',
        columns: [
          { name: 'id', type: 'number' },
          { name: 'name', type: 'text' },
          { name: 'paid', type: 'boolean' },
        ],
      },
      expect.objectContaining({ model: 'gone', state: 'unavailable', columns: [], records: null }),
    ]);
    expect(noticesOf(result)).toEqual([expect.stringContaining('there is no such file')]);
  });
});

describe('lean', () => {
  const lean = (reader: Reader, more: Record<string, unknown> = {}) =>
    reader.call<{ summary: string; scratch_ref: string; expires_at: string; count: number; total: number }>(
      'search_records',
      { model: 'activity', per_page: 15, lean: true, ...more },
    );

  test('keeps the rows and answers only their summary', async () => {
    verifies('TCP-09');
    const { reader } = await startServer();
    const result = await reader.result('search_records', { model: 'activity', per_page: 15, lean: true });
    expect(result.structuredContent).toEqual({
      summary: '15 activity records (page 1/9, IDs: 72, 73, 74…)',
      scratch_ref: expect.stringMatching(/^scr_/),
      expires_at: '2026-01-05T10:00:00.000Z',
      count: 15,
      total: 132,
    });
    expect(contextOf(result)).toBeUndefined();
  });

  test('rows can be read by page, fields and filters, and are marked then', async () => {
    verifies('TCP-09');
    const { reader } = await startServer();
    const { scratch_ref: ref } = await lean(reader);
    const full = (await reader.search({ per_page: 15 })).records;
    const all = await reader.result('scratch_read', { ref });
    expect(all.structuredContent.records).toEqual(full);
    expect(contextOf(all)?.summary).toBe('15 activity records (page 1/1, IDs: 72, 73, 74…)');
    const page = await reader.call('scratch_read', { ref, page: 2, per_page: 10, fields: ['title'] });
    expect(page.records).toEqual(full.slice(10).map(({ id, title }) => ({ id, title })));
    const filters = { billable: false, tags: { contains: 'urgent' } };
    const some = await reader.call('scratch_read', { ref, filters });
    expect(some.records).toEqual(
      full.filter(({ billable, tags }) => billable === false && (tags as string[]).includes('urgent')),
    );
    expect((await reader.refusal('scratch_read', { ref, filters: { colour: 1 } })).error).toContain(
      'Valid columns',
    );
  });

  test('a scratch_ref is a model, and can be narrowed to another scratch', async () => {
    verifies('TCP-09');
    const { reader } = await startServer();
    const { scratch_ref } = await lean(reader);
    const sorted = await reader.search({ model: scratch_ref, sort: '-minutes', per_page: 3 });
    const minutes = sorted.records.map((record) => record.minutes as number);
    expect(minutes).toEqual([...minutes].sort((a, b) => b - a));
    const second = await lean(reader, { model: scratch_ref, filters: { category: 'AI' }, per_page: 50 });
    expect(second.count).toBeGreaterThan(0);
    const { records } = await reader.call('scratch_read', { ref: second.scratch_ref });
    expect(new Set(records.map(({ category }) => category))).toEqual(new Set(['AI']));
    expect((await reader.call('find_records', { model: scratch_ref, record_id: 80 })).records).toHaveLength(
      1,
    );
  });

  test('works for find_records too, without a total', async () => {
    verifies('TCP-09');
    const { reader } = await startServer();
    const found = await reader.call<Record<string, unknown>>('find_records', {
      model: 'activity',
      filters: { category: 'AI' },
      lean: true,
    });
    expect(found).toEqual({
      summary: '20 activity records (page 1, IDs: 75, 79, 83…)',
      scratch_ref: expect.stringMatching(/^scr_/),
      expires_at: '2026-01-05T10:00:00.000Z',
      count: 20,
    });
  });

  test('lives for an hour', async () => {
    verifies('TCP-09');
    const { reader, clock } = await startServer();
    const { scratch_ref: ref } = await lean(reader);
    clock.advance(HOUR - 1);
    await reader.call('scratch_read', { ref });
    clock.advance(1);
    for (const [tool, input] of [
      ['scratch_read', { ref }],
      ['search_records', { model: ref }],
      ['context_expand', { handle: ref }],
    ] as const) {
      expect(await reader.refusal(tool, input), tool).toMatchObject({
        code: 'not_found',
        error: expect.stringMatching(/unknown, expired, or not yours/),
      });
    }
  });

  test('is nobody else’s', async () => {
    const { reader, services } = await startServer();
    const { scratch_ref: ref } = await lean(reader);
    for (const caller of [callerNamed('bob'), callerNamed('owner', { org: 'acme' })]) {
      expect(await new Reader(services, caller).refusal('scratch_read', { ref })).toMatchObject({
        code: 'not_found',
      });
    }
    expect(await reader.refusal('scratch_read', { ref: 'activity' })).toMatchObject({ code: 'not_found' });
    expect(await reader.refusal('scratch_read', { ref: `scr_${'a'.repeat(20)}` })).toMatchObject({
      code: 'not_found',
    });
  });

  test('is bounded for each principal: the oldest rows make room, and others keep theirs', async () => {
    const { limits } = (await startServer()).services.config;
    const { reader, services } = await startServer({ limits: { ...limits, scratchBytes: 30_000 } });
    const bob = new Reader(services, callerNamed('bob'));
    const his = await lean(bob);
    const refs: string[] = [];
    for (let page = 1; page <= 5; page++) refs.push((await lean(reader, { page })).scratch_ref);
    const last = await reader.result('search_records', { model: 'activity', per_page: 15, lean: true });
    expect(noticesOf(last)).toEqual([expect.stringContaining('dropped to make room')]);
    await reader.call('scratch_read', { ref: last.structuredContent.scratch_ref as string });
    expect(await reader.refusal('scratch_read', { ref: refs[0]! })).toMatchObject({ code: 'not_found' });
    await bob.call('scratch_read', { ref: his.scratch_ref });
  });
});

describe('who may see a model', () => {
  test('its organisations and projects; for the others it is not there', async () => {
    const { reader, services } = await withFiles({ 'a.jsonl': rows(2) }, (path) => ({
      open: { type: 'jsonl', path: path('a.jsonl') },
      acme: { type: 'jsonl', path: path('a.jsonl'), orgs: ['acme'] },
      shop: { type: 'jsonl', path: path('a.jsonl'), projects: ['/home/someone/shop'] },
    }));
    const models = async (who: Reader) =>
      (await who.call<{ models: { model: string }[] }>('search_records')).models.map(({ model }) => model);
    expect(await models(reader)).toEqual(['open', 'shop']);
    expect(await models(new Reader(services, callerNamed('x', { org: 'acme' })))).toEqual(['acme']);
    const elsewhere = new Reader(services, callerNamed('x', { projects: ['proj_elsewhere'] }));
    expect(await models(elsewhere)).toEqual(['open']);
    expect((await elsewhere.refusal('search_records', { model: 'shop' })).error).toBe(
      'Unknown model "shop". Valid models: open',
    );
  });
});

describe('a page that no model reads', () => {
  test('is neither marked nor kept, and leaves nothing on record', async () => {
    verifies('TCP-01');
    const { services, reader } = await startServer();
    const call = callsOf(services, localOwner);
    const before = services.journal.head().seq;
    const page = await call(searchRecords, { model: 'activity', page: 2 });
    expect(page).toMatchObject({ pagination: { page: 2, total: 132 } });
    expect(page).not.toHaveProperty('handle');
    expect(
      await call(findRecords, { model: 'activity', filters: { minutes: { gte: 0 } } }),
    ).not.toHaveProperty('handle');
    expect(services.journal.head().seq).toBe(before);
    // The same page is both for a model.
    expect(await reader.search({ page: 2 })).toHaveProperty('handle');
  });
});

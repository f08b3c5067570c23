import { transientApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { scratchNotFound } from '../records/index.ts';
import { Scratch } from '../records/scratch.ts';
import { fetchPage, keepLean, lookUp, marked, maySeeIn, openTable } from './record-pages.ts';

const SEARCH_PER_PAGE = 50;
const FIND_PER_PAGE = 20;

export const searchRecords = defineAction(transientApi.searchRecords, {
  async run(input, context) {
    if (input.model === undefined || input.model === '') {
      const models = await context.parts.records.describe(context.caller, maySeeIn(context));
      for (const { model, problems } of models) {
        context.notices.push(...problems.map((problem) => `${model}: ${problem}`));
      }
      return { structured: { models: models.map(({ problems: _, ...model }) => model) } };
    }
    const table = await openTable(input.model, context);
    const page = await fetchPage(table, input, { count: true, perPage: SEARCH_PER_PAGE }, context);
    return input.lean ? keepLean(page, context) : marked('search_records', page, context);
  },
});

export const findRecords = defineAction(transientApi.findRecords, {
  async run(input, context) {
    const table = await openTable(input.model, context);
    if (input.record_id !== undefined) return { structured: await lookUp(table, input, context) };
    const page = await fetchPage(table, input, { count: false, perPage: FIND_PER_PAGE }, context);
    return input.lean ? keepLean(page, context) : marked('find_records', page, context);
  },
});

export const readScratch = defineAction(transientApi.scratchRead, {
  async run(input, context) {
    if (!Scratch.isRef(input.ref)) throw scratchNotFound(input.ref);
    const table = await openTable(input.ref, context);
    const page = await fetchPage(table, input, { count: true, perPage: SEARCH_PER_PAGE }, context);
    return marked('scratch_read', page, context);
  },
});

import { memoryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { synthesisPlan } from '../synthesis/plan.ts';

export const planDocument = defineAction(memoryApi.synthesisPlan, {
  run: async (input, context) => ({ structured: await synthesisPlan(input, context) }),
});

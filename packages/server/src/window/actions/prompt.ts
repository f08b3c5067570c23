import { windowApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { promptNotKept } from '../originals/held-prompts.ts';
import { conversationOf } from './conversation.ts';

export const readWindowPrompt = defineAction(windowApi.readWindowPrompt, {
  async run({ id }, context) {
    const { parts, config, giveWay } = context;
    const conversation = conversationOf(context, id);
    const prompt = await parts.windowPrompts?.read(conversation, giveWay);
    return { structured: prompt ?? promptNotKept(conversation, config) };
  },
});

export const readWindowBlock = defineAction(windowApi.readWindowBlock, {
  async run({ id, block }, context) {
    const conversation = conversationOf(context, id);
    const found = await context.parts.windowPrompts?.block(conversation, block);
    if (found) return { structured: found };
    throw new InfoldError(
      'not_found',
      `The prompt of ${conversation.id} is not held here any more; it is there again with its next request`,
    );
  },
});

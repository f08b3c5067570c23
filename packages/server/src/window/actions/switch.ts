import { windowApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { switchConversation } from '../commands.ts';
import { conversationById } from '../queries.ts';
import { windowView } from '../views.ts';
import { conversationOf } from './conversation.ts';

export const switchWindow = defineAction(windowApi.switchWindow, {
  async run({ id, enabled }, context) {
    const { database, journal, caller } = context;
    const conversation = conversationOf(context, id);
    await journal.commit({
      stream: conversation.stream,
      actor: caller.actor,
      decide: (state) => switchConversation(conversationById(state, conversation.id)!, enabled),
    });
    return { structured: windowView(database, conversationById(database, conversation.id)!) };
  },
});

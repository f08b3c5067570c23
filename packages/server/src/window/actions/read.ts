import { windowApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { cursorNumber } from '../../call/arguments.ts';
import { isLocalOwner } from '../../trust/identity/caller.ts';
import { receiptOf } from '../costs/receipts.ts';
import { pageOfConversations, pageOfDecisions, turnsOf } from '../queries.ts';
import { decisionView, trafficView, turnView, windowView } from '../views.ts';
import { conversationOf, ownerOf } from './conversation.ts';

export const listWindows = defineAction(windowApi.listWindows, {
  run({ limit, cursor }, { database, caller, parts }) {
    const before = cursorNumber(windowApi.listWindows, cursor, Number.MAX_SAFE_INTEGER);
    const page = pageOfConversations(database, ownerOf(caller), { before, limit });
    const next = page.length === limit ? String(page.at(-1)!.last_seq) : null;
    return {
      structured: {
        windows: page.map((conversation) => windowView(database, conversation)),
        next,
        ...(isLocalOwner(caller) && { traffic: trafficView(parts.traffic.report()) }),
      },
    };
  },
});

export const readWindow = defineAction(windowApi.readWindow, {
  run: ({ id }, context) => ({ structured: windowView(context.database, conversationOf(context, id)) }),
});

export const listWindowTurns = defineAction(windowApi.listWindowTurns, {
  run({ id, limit, cursor }, context) {
    const conversation = conversationOf(context, id);
    const after = cursorNumber(windowApi.listWindowTurns, cursor, 0);
    const turns = turnsOf(context.database, conversation.id, { after, limit });
    const last = turns.at(-1)?.turn ?? 0;
    const next = turns.length === limit && last < conversation.turns ? String(last) : null;
    return { structured: { turns: turns.map(turnView), next } };
  },
});

export const listWindowDecisions = defineAction(windowApi.listWindowDecisions, {
  async run({ id, limit, cursor }, context) {
    const { database, caller, parts } = context;
    const conversation = conversationOf(context, id);
    const after = cursorNumber(windowApi.listWindowDecisions, cursor, 0);
    const page = pageOfDecisions(database, conversation.id, { after, limit });
    const handles = page.map(({ handle }) => handle);
    const held = await parts.windowArchive.held(ownerOf(caller), handles);
    return {
      structured: {
        decisions: page.map((decision) => decisionView(decision, held.has(decision.handle))),
        next: page.length === limit ? String(page.at(-1)!.place) : null,
      },
    };
  },
});

export const readWindowReceipt = defineAction(windowApi.readWindowReceipt, {
  run: ({ id, since }, context) => ({
    structured: receiptOf(context.journal, conversationOf(context, id), since),
  }),
});

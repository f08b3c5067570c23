import { aiSdkMessages } from './ai-sdk.ts';
import { anthropicMessages } from './anthropic.ts';
import type { MessageFormat } from './format.ts';
import { openaiChatMessages } from './openai-chat.ts';
import { openaiResponsesItems } from './openai-responses.ts';

const FORMATS = [
  anthropicMessages,
  openaiChatMessages,
  openaiResponsesItems,
  aiSdkMessages,
] as readonly MessageFormat<unknown>[];

/** Tool results look different in each format, so a message says by itself which one it is in. */
export const anyFormat: MessageFormat<unknown> = {
  name: 'any',
  project(message, shrink) {
    for (const format of FORMATS) {
      const projected = format.project(message, shrink);
      if (projected !== message) return projected;
    }
    return message;
  },
};

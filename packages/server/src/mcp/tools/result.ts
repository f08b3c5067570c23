import type { Answer } from '../../call/answer.ts';
import type { Content } from '../../call/content.ts';
import { errorBody, type InfoldError } from '../../kernel/errors.ts';
import { linedJson } from '../../kernel/pages.ts';
import { type ClientIdentity, shownHalf } from '../../trust/clients/client.ts';

export interface CallResult {
  [key: string]: unknown;
  content: [{ type: 'text'; text: string }, ...Content[]];
  structuredContent: Record<string, unknown>;
  isError: boolean;
  _meta?: Record<string, unknown>;
}

/**
 * An answer in both halves. Some hosts show their model the data alone and some the text alone, and none shows
 * `_meta`: what the model must know is in each of the two, once.
 */
export function answerResult(
  answer: Answer<unknown>,
  notices: readonly string[],
  client?: ClientIdentity,
): CallResult {
  const structured = withNotices(answer.structured as Record<string, unknown>, notices);
  // Who shows both halves unless they are the same must find them the same, to the letter.
  const json = shownHalf(client) === 'both' ? JSON.stringify : linedJson;
  return {
    content: [
      {
        type: 'text',
        text: answer.text === undefined ? json(structured) : withLines(answer.text, notices),
      },
      ...(answer.attachments ?? []),
    ],
    structuredContent: structured,
    isError: false,
    ...(answer.meta ? { _meta: answer.meta } : {}),
  };
}

export function errorResult(error: InfoldError, notices: readonly string[] = []): CallResult {
  return {
    content: [{ type: 'text', text: withLines(error.message, notices) }],
    structuredContent: withNotices(errorBody(error), notices),
    isError: true,
  };
}

function withNotices(structured: Record<string, unknown>, notices: readonly string[]) {
  if (notices.length === 0) return structured;
  const own = Array.isArray(structured.notices) ? (structured.notices as string[]) : [];
  return { ...structured, notices: [...new Set([...notices, ...own])] };
}

/** Prose, and what is to be known beside it, unless it says so itself, as its last lines. */
function withLines(text: string, notices: readonly string[]): string {
  const unsaid = notices.filter((notice) => !text.includes(notice));
  return unsaid.length === 0 ? text : `${text}\n\n${unsaid.map((notice) => `Notice: ${notice}`).join('\n')}`;
}

import { anthropic } from './dialects/anthropic.ts';
import type { DialectFormat } from './dialects/dialect.ts';
import { gemini } from './dialects/gemini.ts';
import { openaiChat } from './dialects/openai-chat.ts';
import { openaiResponses } from './dialects/openai-responses.ts';
import { type Data, isData, UnknownShape, weigh, withoutBilling } from './dialects/values.ts';
import { findSteps, type Step } from './steps.ts';
import type { Conversation, Dialect, Message } from './types.ts';

export const FORMATS: Readonly<Record<Dialect, DialectFormat>> = {
  anthropic,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  gemini,
};

/** A short name for a text, the same for the same text. The server has sha256; a plugin may bring what it has. */
export type Digest = (text: string) => string;

/** A request's body, read. */
export interface Reading {
  text: string;
  body: Data;
  conversation: Conversation;
  steps: readonly Step[];
  /** After each message, the digest of all up to it: two requests that begin alike have the same ones. */
  digests: readonly string[];
}

/** Reads a request's body. Throws where it is not what its dialect is known to be: then it passes as it is. */
export function readRequest(text: string, dialect: Dialect, digest: Digest): Reading {
  const body: unknown = JSON.parse(text);
  if (!isData(body)) throw new UnknownShape('the body is not an object');
  const format = FORMATS[dialect];
  const messages = format.read(body);
  if (messages.length === 0) throw new UnknownShape('there are no messages');
  const { model, system, tools } = format.before(body);
  const weighed = weigh(withoutBilling(system));
  // What a search may bring later is no part of the prompt yet.
  const offered = weigh(tools.filter((tool) => tool.defer_loading !== true));
  const conversation: Conversation = {
    dialect,
    model,
    system: { tokens: weighed.tokens, digest: digest(weighed.canonical) },
    tools: { tokens: offered.tokens, digest: digest(offered.canonical) },
    canExpand:
      offered.canonical.includes(EXPAND) ||
      tools.some(offersExpand) ||
      weighed.canonical.includes(EXPAND) ||
      messages.some(tellsOfExpand),
    cache: format.marks ? marksIn(text) : undefined,
    messages,
  };
  let last = '';
  const digests = messages.map(({ canonical }) => {
    last = digest(`${last}\n${canonical}`);
    return last;
  });
  return { text, body, conversation, steps: findSteps(messages), digests };
}

const EXPAND = 'context_expand';

/** One that a search may bring. */
function offersExpand(tool: Data): boolean {
  return tool.defer_loading === true && JSON.stringify(tool.name).includes(EXPAND);
}

/** Hosts that put tools behind a search name them in words of their own. */
function tellsOfExpand({ role, parts }: Message): boolean {
  return role !== 'assistant' && parts.some((part) => part.kind === 'text' && part.text.includes(EXPAND));
}

/** Within a string the quotes would be escaped. */
const MARK = /"cache_control"\s*:\s*(\{[^{}]*\})/g;

function marksIn(text: string): Conversation['cache'] {
  const marks = [...text.matchAll(MARK)];
  return marks.length === 0 ? undefined : { mark: marks.at(-1)![1]!, count: marks.length };
}

import { connectPod } from '@infold/client/gateway';
import { WebSocket } from 'ws';

const PAGE = 25;

/**
 * Somebody who was not there, and may only read. They get what was said in two ways, by asking for it page by page and
 * by going on after position 0, and make the story of it.
 */
export async function replayAsPerson({ url, token, pod, tell }) {
  const connection = await connectPod({ url, pod, token, WebSocket });
  const replayed = [];
  for (let since = 0; since !== null; ) {
    const { messages, next } = await connection.replay({ since, limit: PAGE });
    replayed.push(...messages);
    since = next;
  }
  const refusal = await connection.send('chat', { text: 'May I say something?' }).catch(({ code }) => code);
  connection.close();
  const { missed, gaps } = await goOnAfter(0, replayed.at(-1).seq, { url, token, pod });
  const { lines, contexts, answered } = storyOf(replayed);
  tell('person', `may not speak (${refusal}), replays ${replayed.length} messages and reads:`);
  for (const line of lines) tell('', line);
  return { replayed, missed, gaps, refusal, contexts, answered };
}

/** What came after a position arrives first, and then what is said now; here that is nothing any more. */
async function goOnAfter(since, last, options) {
  const connection = await connectPod({ ...options, since, WebSocket });
  const missed = [];
  const gaps = [];
  connection.on('gap', (gap) => gaps.push(gap));
  for await (const message of connection.messages()) {
    missed.push(message);
    if (message.seq === last) break;
  }
  connection.close();
  return { missed, gaps };
}

/** Contexts as they nest, each with how much was said in it, what it came to, and what was answered. */
function storyOf(messages) {
  const contexts = new Map();
  const answered = {};
  for (const { context, correlation_id, kind, payload } of messages) {
    if (kind === 'review/answer') answered[correlation_id] = payload.text;
    if (!context) continue;
    const known = contexts.get(context.id) ?? { id: context.id, type: null, parent: null, messages: 0 };
    contexts.set(context.id, known);
    known.messages++;
    known.type ??= context.type ?? null;
    known.parent ??= context.parent ?? null;
    if (kind === 'fold/branch') known.title = payload.description;
    if (kind === 'conclusion') known.conclusion = payload.conclusion ?? payload.summary;
  }
  const lines = [];
  const write = (parent, indent) => {
    for (const { id, type, title = type, messages: count, conclusion, ...context } of contexts.values()) {
      if (context.parent !== parent) continue;
      lines.push(`${indent}${title}: ${count} messages`);
      lines.push(`${indent}  came to "${conclusion}"`, `${indent}  answered "${answered[id]}"`);
      write(id, `${indent}    `);
    }
  };
  write(null, '');
  return { contexts: [...contexts.values()], answered, lines };
}

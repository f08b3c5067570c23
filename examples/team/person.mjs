import { connectPod } from '@infold/client/gateway';
import { WebSocket } from 'ws';
import { until } from './infold.mjs';

const PAGE = 25;

/**
 * Somebody who was not there, and may only read. They get what was said in two ways, by going on after position 0 and by
 * asking for it page by page, and make the story of it.
 */
export async function replayAsPerson({ url, token, pod, tell }) {
  const connection = await connectPod({ url, pod, token, WebSocket, since: 0 });
  const missed = [];
  const gaps = [];
  connection.on('message', (message) => missed.push(message));
  connection.on('gap', (gap) => gaps.push(gap));
  const replayed = [];
  for (let since = 0; since !== null; ) {
    const { messages, next } = await connection.replay({ since, limit: PAGE });
    replayed.push(...messages);
    since = next;
  }
  await until(() => missed.length >= replayed.length, "the end of what was missed", 500).catch(() => console.log("MISSED", missed.length, missed[0]?.seq, replayed.length));
  const refusal = await connection.send('chat', { text: 'May I say something?' }).catch(({ code }) => code);
  connection.close();
  const story = storyOf(replayed);
  tell('person', `replays ${replayed.length} messages and reads:`);
  for (const line of story.lines) tell('', `  ${line}`);
  return { missed, gaps, replayed, refusal, contexts: story.contexts, answered: story.answered };
}

/** Contexts as they nest, each with how much was said in it, what it came to, and what was answered. */
export function storyOf(messages) {
  const contexts = new Map();
  const answered = new Map();
  for (const { context, correlation_id, kind, payload } of messages) {
    if (kind === 'review/answer') answered.set(correlation_id, payload.text);
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
    for (const context of contexts.values()) {
      if (context.parent !== parent) continue;
      const { id, type, title = type, messages: count, conclusion } = context;
      lines.push(`${indent}${title} (${count} messages)`);
      lines.push(`${indent}  came to: ${conclusion}`);
      lines.push(`${indent}  answered: ${answered.get(id)}`);
      write(id, `${indent}  `);
    }
  };
  write(null, '');
  return { contexts: [...contexts.values()], answered: Object.fromEntries(answered), lines };
}

import { connectPod, type PodConnection, type WebSocketConstructor } from '@infold/client/gateway';
import { WebSocket } from 'ws';
import { afterThisFile } from '../../support/leftovers.ts';

export interface JoinOptions {
  url: string;
  pod: string;
  /** As the owner of the machine; with a token its name counts. */
  participant?: string;
  token?: string;
}

/** A participant as an agent is one, by the client library. */
export async function joinPod(options: JoinOptions): Promise<PodConnection> {
  const Socket = WebSocket as unknown as WebSocketConstructor;
  const joined = await connectPod({ ...options, WebSocket: Socket });
  afterThisFile(() => joined.close());
  return joined;
}

/** Two agents at work on a release, with contexts in contexts, a question to one of them and an answer. */
export async function talkInPod(url: string, pod: string, tokens: Record<string, string> = {}) {
  const join = (participant: string) =>
    joinPod({
      ...{ url, pod },
      ...(tokens[participant] === undefined ? { participant } : { token: tokens[participant] }),
    });
  const planner = await join('planner');
  const coder = await join('coder');
  await planner.chat('Release 1.4 goes out today. @coder, is the upload limit in?');
  await coder.inContext(
    'reasoning',
    async (outer) => {
      await outer.reflect('The limit is in `upload.ts`, but the check runs after the body was read.');
      await outer.inContext(
        'lookup',
        async (inner) => {
          await inner.send('mcp/proposal:tools/call', {
            method: 'tools/call',
            params: { name: 'grep', arguments: { pattern: 'bodyLimit', path: 'src/' } },
          });
          await inner.reflect(
            'Three callers. Two of them pass streams, so the check must count as they come.',
          );
          await inner.conclude('Two of three callers stream: count while reading.');
        },
        { id: `callers-${pod}` },
      );
      await outer.conclude('Count bytes while they come, refuse at the limit with 413.', { confidence: 0.9 });
    },
    { id: `limit-${pod}`, metadata: { ticket: 'UP-214' } },
  );
  await coder.send(
    'mcp/response:tools/call',
    { text: 'Bytes are counted as they come now; the upload test passes.' },
    { correlation_id: `limit-${pod}`, to: ['planner'] },
  );
  await planner.inContext(
    'review',
    async (review) => {
      await review.send('vote', { text: 'Approve: small change, covered by a test.' });
    },
    { id: `review-${pod}` },
  );
  await planner.chat('Thanks. Tagging 1.4 when the build is green.');
  return { planner, coder };
}

const AT_ONCE = 2000;

/** So many messages, most of them in contexts; the participant who sent them stays. */
export async function fillPod(url: string, pod: string, count: number): Promise<PodConnection> {
  const filler = await joinPod({ url, pod, participant: 'filler' });
  for (let sent = 0; sent < count; ) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - sent) }, () => {
      const number = ++sent;
      const payload = { text: `Message ${number} says that part ${number % 97} of the work is done` };
      if (number % 4 === 0) return filler.send('chat', payload);
      const id = `work-${Math.floor(number / 500)}`;
      return filler.send('reflection', payload, { context: { id, type: 'work' } });
    });
    // History takes a moment to catch up.
    await Promise.all(some);
  }
  return filler;
}

import { connectPod } from '@infold/client/gateway';
import { WebSocket } from 'ws';

/** What the reviewer wants of a conclusion: figures, and nothing that tells who a customer is. */
function verdictOn(text) {
  if (!/\d/.test(text)) return { verdict: 'open', text: 'How many tickets is that? Say it in figures.' };
  if (/@/.test(text)) return { verdict: 'open', text: 'That quotes an address; leave it out.' };
  return { verdict: 'agreed', text: 'Agreed: it says how many and can be looked up.' };
}

/**
 * The second agent. It hears conclusions only, whatever else is said, and answers each in the main context; what an
 * answer is about is told by its correlation_id.
 */
export async function joinReviewer({ url, token, pod, tell }) {
  const connection = await connectPod({
    url,
    pod,
    token,
    WebSocket,
    filter: { contexts: 'all', kinds: ['conclusion'] },
  });
  const heard = [];
  const answers = [];
  const sending = [];
  connection.on('message', (message) => {
    const { context, payload } = message;
    const text = payload.conclusion ?? payload.summary;
    heard.push(message);
    const { verdict, text: says } = verdictOn(text);
    tell('reviewer', `hears from ${context.type} ${context.id}: "${text}"`);
    tell('reviewer', `answers: ${says}`);
    const answer = connection.send('review/answer', { verdict, text: says }, { correlation_id: context.id });
    sending.push(answer.then(({ id }) => answers.push({ id, correlation_id: context.id, verdict })));
  });
  return {
    async leave() {
      await Promise.all(sending);
      connection.close();
      return { heard, answers };
    },
  };
}

import { connectPod, type Envelope } from '@infold/client/gateway';

/** What the page has to tell, as its body shows it. */
export interface Shown {
  me: string;
  heard: { id: string; from: string; seq: number }[];
  sent: Envelope[];
  lookup: number;
  welcomes: { seq: number; epoch: string }[];
  /** Where it connected to, so that one sees how it resumed. */
  addresses: string[];
  gaps: number;
  lost: number[];
  error: string;
}

/**
 * A page in a pod, as somebody would write one. Its title says how far it is: "joined", "sent", "away" while there is
 * no server, "back" when what it sent meanwhile has arrived, "closed", "failed".
 */
const query = new URLSearchParams(location.search);
const shown: Shown = {
  me: '',
  heard: [],
  sent: [],
  lookup: 0,
  welcomes: [],
  addresses: [],
  gaps: 0,
  lost: [],
  error: '',
};

function show(title: string): void {
  document.body.textContent = JSON.stringify(shown);
  document.title = title;
}

/** The browser's own, with its addresses noted. */
class NotedWebSocket extends WebSocket {
  constructor(address: string) {
    super(address);
    shown.addresses.push(address);
  }
}

async function main(): Promise<void> {
  const pod = await connectPod({
    url: query.get('server')!,
    pod: 'review',
    token: query.get('token')!,
    WebSocket: NotedWebSocket,
  });
  shown.me = pod.me.id;
  pod.on('message', ({ id, from, seq }) => {
    shown.heard.push({ id, from, seq: seq! });
    show(document.title);
  });
  pod.on('welcome', ({ seq, epoch }) => shown.welcomes.push({ seq, epoch }));
  pod.on('gap', () => shown.gaps++);
  pod.on('closed', ({ code }) => {
    shown.lost.push(code);
    show('closed');
  });
  const away = new Promise<void>((resolve) => {
    pod.on('disconnected', ({ code }) => {
      shown.lost.push(code);
      resolve();
    });
  });
  show('joined');

  shown.lookup = await pod.inContext('reasoning', async (outer) => {
    shown.sent.push(await outer.reflect('Is it safe?'));
    const found = await outer.inContext('lookup', async (inner) => {
      shown.sent.push(await inner.send('mcp/proposal:tools/call', { method: 'tools/call' }));
      return 42;
    });
    shown.sent.push(await outer.conclude('It is'));
    return found;
  });
  shown.sent.push(await pod.chat('done — ✓ 漢字', { to: ['watcher'] }));
  show('sent');

  await away;
  const meanwhile = pod.chat('sent while away', { id: 'meanwhile' });
  show('away');
  shown.sent.push(await meanwhile);
  show('back');
}

main().catch((error: unknown) => {
  shown.error = String(error);
  show('failed');
});

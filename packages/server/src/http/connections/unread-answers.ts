import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const CHECK = 200;

interface Reader {
  readonly bytes: number;
  end(): void;
}

/**
 * Answers wait in memory until their clients read them, and nothing makes a client read. When all of them together are
 * too much, the largest go, with their connections. Returns the way to stop looking.
 */
export function endUnread(server: Server, streams: ReadonlySet<Reader>, most: number): () => void {
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  // From then on it is a matter of its pod.
  server.on('upgrade', (_request, socket) => connections.delete(socket as Socket));
  const timer = setInterval(() => {
    const answers = [...connections].map((socket) => ({
      bytes: socket.writableLength,
      end: () => socket.destroy(),
    }));
    endLargest([...answers, ...streams], most);
  }, CHECK);
  timer.unref();
  return () => clearInterval(timer);
}

/** The largest first, until what is left is within the bound. */
export function endLargest(readers: Reader[], most: number): void {
  let bytes = readers.reduce((sum, reader) => sum + reader.bytes, 0);
  if (bytes <= most) return;
  for (const reader of readers.sort((one, other) => other.bytes - one.bytes)) {
    if (bytes <= most) return;
    bytes -= reader.bytes;
    reader.end();
  }
}

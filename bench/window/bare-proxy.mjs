import { Agent, createServer, request as send } from 'node:http';

/** The least that can stand between a host and a model: two pipes. */
const upstream = new URL(/** @type {string} */ (process.argv[2]));
const agent = new Agent({ keepAlive: true });

const server = createServer((request, response) => {
  const { method, url: path, headers } = request;
  const outgoing = send(
    { agent, hostname: upstream.hostname, port: upstream.port, method, path, headers },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    },
  );
  request.pipe(outgoing);
});
server.listen(0, '127.0.0.1', () => {
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.stdout.write(`http://127.0.0.1:${address.port}\n`);
});

import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Goes by the host's name and starts it, with a tap between the host and the door: what the host really sent is
 * written down, and passed on as it is.
 */
const SCRIPT = (real: string, log: string) => `#!${process.execPath}
const { appendFileSync } = require('node:fs');
const { createServer, request } = require('node:http');
const { spawn } = require('node:child_process');
const given = process.argv.slice(2);
const door = /http:\\/\\/127\\.0\\.0\\.1:\\d+(?=\\/model\\/)/.exec([...given, ...Object.values(process.env)].join(' '))?.[0];
const tap = createServer((asked, answer) => {
  const chunks = [];
  asked.on('data', (chunk) => chunks.push(chunk));
  asked.on('end', () => {
    const body = Buffer.concat(chunks);
    if (asked.method === 'POST') {
      appendFileSync(${JSON.stringify(log)}, JSON.stringify({ path: asked.url, body: body.toString('base64') }) + '\\n');
    }
    const { host, ...headers } = asked.headers;
    const onward = request(door + asked.url, { method: asked.method, headers }, (answered) => {
      answer.writeHead(answered.statusCode, answered.headers);
      answered.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    onward.end(body);
  });
});
tap.listen(0, '127.0.0.1', () => {
  const through = (text) => (door ? text.replaceAll(door + '/model/', 'http://127.0.0.1:' + tap.address().port + '/model/') : text);
  const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, through(value)]));
  const child = spawn(${JSON.stringify(real)}, given.map(through), { stdio: 'inherit', env });
  child.on('exit', (code) => process.exit(code ?? 1));
});
`;

export interface Tapped {
  path: string;
  bytes: Buffer;
}

/** A program in \`folder\` that stands for the host; answers what has passed. */
export function tapInto(folder: string, program: string, real: string): () => Tapped[] {
  const log = join(folder, 'tapped.jsonl');
  const file = join(folder, program);
  writeFileSync(file, SCRIPT(real, log));
  chmodSync(file, 0o755);
  return () =>
    existsSync(log)
      ? readFileSync(log, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as { path: string; body: string })
          .map(({ path, body }) => ({ path, bytes: Buffer.from(body, 'base64') }))
      : [];
}

import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/program.ts';

/** What the command that was run saw of the world. */
export interface Seen {
  argv: string[];
  env: Record<string, string>;
  pid: number;
  /** What the server answered, asked by the address of a model API. */
  health: { version?: string } | null;
  stdin: string;
}

/** Says what it sees, then does what FAKE says: `exit N`, `wait` for a signal, or `kill` itself. */
const SCRIPT = `#!${process.execPath}
const { writeFileSync } = require('node:fs');
const { FAKE = 'exit 0', FAKE_REPORT, FAKE_READS, FAKE_ASK, FAKE_SESSION = 'a-session' } = process.env;
if (process.argv[2] === 'login' || process.argv[2] === 'mcp' || process.argv[2] === 'debug') process.exit(1);
const address = process.env.ANTHROPIC_BASE_URL ?? /http:[^"]*\\/model\\/\\w+/.exec(process.argv.join(' '))?.[0];
process.on('SIGTERM', () => process.exit(41));
process.on('SIGHUP', () => process.exit(42));
process.on('SIGINT', () => process.exit(43));
(async () => {
  const health = await fetch(new URL('/healthz', address)).then((answer) => answer.json(), () => null);
  const asked = FAKE_ASK ? await fetch(address + FAKE_ASK, { method: 'POST', body: '{"model":"claude-sonnet-4-5","messages":[{"role":"user","content":"Hello"}]}',
    headers: { 'content-type': 'application/json', 'x-api-key': 'mine', 'x-claude-code-session-id': FAKE_SESSION } }).then((answer) => answer.text(), String) : null;
  const status = (url, token) => fetch(url, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json',
    ...(token && { authorization: 'Bearer ' + token }) } }).then((answer) => answer.status);
  const { origin, pathname } = new URL(address);
  const stranger = process.env.FAKE_STRANGER ? {
    door: await status(origin + '/model/anthropic/v1/messages'),
    wrong: await status(origin + '/model/anthropic/~inf_' + 'x'.repeat(43) + '/v1/messages'),
    api: await status(origin + '/mcp', pathname.split('~')[1]),
  } : null;
  let stdin = '';
  if (FAKE_READS) for await (const chunk of process.stdin) stdin += chunk;
  const { argv, env, pid } = process;
  writeFileSync(FAKE_REPORT, JSON.stringify({ argv: argv.slice(2), env, pid, health, stdin, asked, stranger }));
  process.stdout.write('said by the command');
  // Should nobody end it, it ends.
  if (FAKE === 'wait') setTimeout(() => process.exit(44), 50_000);
  else if (FAKE === 'kill') process.kill(process.pid, 'SIGKILL');
  else process.exit(Number(FAKE.split(' ')[1]));
})();
`;

/** A program that goes by a host's name, on a PATH of its own, in a home of its own. */
export function fakeHost(name: string) {
  const folder = temporaryFolder();
  const place = (path: string) => join(folder, path);
  for (const path of ['bin', 'home', 'project']) mkdirSync(place(path));
  const program = place(`bin/${name}`);
  writeFileSync(program, SCRIPT);
  chmodSync(program, 0o755);
  const report = place('seen.json');
  return {
    home: place('home'),
    project: place('project'),
    data: place('data'),
    program,
    env: (more: Record<string, string> = {}) => ({
      PATH: place('bin'),
      HOME: place('home'),
      FAKE_REPORT: report,
      // Nothing of ours listens there.
      INFOLD_PORT: '1',
      ...more,
    }),
    hasStarted: () => existsSync(report),
    seen: () =>
      JSON.parse(readFileSync(report, 'utf8')) as Seen & { asked: string | null; stranger: unknown },
  };
}

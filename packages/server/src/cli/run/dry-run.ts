import type { Config } from '../../kernel/config.ts';
import { quoted } from '../hosts/parts/shell-quote.ts';
import type { Output } from '../output.ts';
import type { Invocation } from './child.ts';
import { findServer } from './server.ts';
import type { Addresses } from './upstreams.ts';

/** Shows what would be run. Nothing is started, made or written. */
export async function showPlan(
  output: Output,
  config: Config,
  { upstreams }: Addresses,
  invoke: (server: string, token: string | undefined) => Invocation,
  needsToken: boolean,
): Promise<void> {
  const canShare = Object.keys(upstreams).length === 0 && !needsToken;
  const there = canShare ? await findServer(config) : {};
  const server = 'url' in there ? there.url : 'http://127.0.0.1:PORT';
  const { program, args, environment } = invoke(server, needsToken ? 'TOKEN' : undefined);
  const set = Object.entries(environment).filter(([name, value]) => process.env[name] !== value);
  const shown = Object.fromEntries(set.map(([name, value]) => [name, masked(name, value ?? '')]));
  const plan = {
    server: 'url' in there ? there.url : null,
    upstreams: Object.fromEntries(Object.entries(upstreams).map(([name, { url }]) => [name, url])),
    environment: shown,
    command: [program, ...args],
  };
  output.answer(plan, () =>
    [
      'url' in there
        ? `# the server at ${there.url}`
        : '# a server of its own on a free port, which ends with the command',
      ...Object.entries(plan.upstreams).map(([name, url]) => `# ${name} goes to ${url}`),
      ...Object.entries(shown).map(([name, value]) => `${name}=${quoted(value)} \\`),
      plan.command.map(quoted).join(' '),
    ].join('\n'),
  );
}

function masked(name: string, value: string): string {
  return /KEY|TOKEN|SECRET/.test(name) ? '…' : value;
}

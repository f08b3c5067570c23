import { HOST_SESSION_ID } from '@infold/protocol';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { DOORS, type Flags, parseList, SPELLINGS } from '../../kernel/config.ts';
import { parseUpstream } from '../../kernel/window-config.ts';
import type { CommandLine } from '../command-line.ts';
import type { StdioFlags } from './stdio.ts';

/** Ways to be reached: HTTP, and standard input and output. */
export function addServing(line: CommandLine): void {
  const { program } = line;
  const serveFlags = (flags: ServeOptions): Flags => ({
    port: flags.port,
    host: flags.host,
    toolsets: flags.toolsets,
    toolNames: flags.toolNames,
    window: flags.upstream && { upstreams: flags.upstream },
    hub: flags.hub === undefined ? undefined : { url: flags.hub },
    nats: flags.nats === undefined ? undefined : { url: flags.nats },
  });

  withToolFlags(program.command('serve'))
    .description('Serve MCP over HTTP, the gateway (WebSocket), the REST API and the console on one port')
    .option('--port <port>', 'port to listen on, 0 for any free one (default: 9090)', parsePort)
    .option('--host <host>', 'address to listen on (default: 127.0.0.1)')
    .option('--nats <url>', 'NATS servers of the cluster that this becomes a node of, separated by commas')
    .option('--secure', 'require a token from the start; make one and show it if there is none')
    .option(
      '--upstream <name=url>',
      'model API behind /model/NAME/…, as anthropic=URL or ours=openai+URL (repeatable)',
      addUpstream,
    )
    .action(
      line.action<ServeOptions & { secure?: boolean }>(async ({ report, logLevel }, flags) => {
        const secure = flags.secure ?? false;
        await (await import('./serve.ts')).serve(report, logLevel, { secure });
      }, serveFlags),
    );

  withToolFlags(program.command('stdio'))
    .description('Serve MCP on standard input and output, for a host that starts this program')
    .option('--project <project>', 'id, name or path of the project (default: the working folder)')
    .option(
      '--hub <url>',
      'hub whose library the project has (a token: "infold hub join", or INFOLD_HUB_TOKEN)',
    )
    .option('--drafts', 'let agents see drafts of the library that other sessions staged')
    .option(
      '--session <id>',
      "session to continue: Infold's id or the host's (default: the host's own, or a new one)",
      parseSession,
    )
    .action(
      line.action<StdioFlags & ToolFlags>(async ({ report, logLevel }, flags) => {
        const level = logLevel === 'info' ? 'warn' : logLevel;
        await (await import('./stdio.ts')).stdio(report, level, flags);
      }, serveFlags),
    );
}

interface ToolFlags {
  toolsets?: (typeof DOORS)[number][];
  toolNames?: (typeof SPELLINGS)[number];
}

type Upstreams = NonNullable<NonNullable<Flags['window']>['upstreams']>;

interface ServeOptions extends ToolFlags {
  port?: number;
  host?: string;
  upstream?: Upstreams;
  nats?: string;
  hub?: string;
}

function withToolFlags(command: Command): Command {
  return command
    .option('--toolsets <doors>', `comma-separated doors: ${DOORS.join(', ')}`, parseList)
    .addOption(
      new Option('--tool-names <spelling>', 'memory.load (seed) or memory_load (portable)').choices(
        SPELLINGS,
      ),
    );
}

function parseSession(text: string): string {
  if (HOST_SESSION_ID.test(text)) return text;
  throw new InvalidArgumentError('A session id has 1 to 128 letters, digits, "-" or "_".');
}

function addUpstream(text: string, others: Upstreams = {}): Upstreams {
  const parsed = parseUpstream(text);
  if (parsed) return { ...others, [parsed[0]]: parsed[1] };
  throw new InvalidArgumentError('An upstream is written as NAME=URL or NAME=DIALECT+URL.');
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    throw new InvalidArgumentError('A port is a whole number from 0 to 65535.');
  }
  return port;
}

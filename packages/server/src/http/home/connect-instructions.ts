import type { HostName } from '@infold/protocol';

/** One way to make a host use this server. */
export interface ConnectWay {
  host: string;
  /** `install`: everything that the host can have, written by us. */
  transport: 'install' | 'stdio' | 'http';
  /** The file to put it in, or that it is a command. */
  where: string;
  text: string;
}

export interface Server {
  /** Where MCP is served; any host takes it as it is. */
  address: string;
  /** Whether callers must send a token. */
  needsToken: boolean;
  /** The program's own file, for hosts that start it; only the owner of the machine is told. */
  program: string | undefined;
}

/** Where the reader's own belongs. */
export const TOKEN = 'inf_YOUR_TOKEN';
const PROJECT = '/path/to/your/project';

/** How each host is connected, the best way first. Who cannot start the program has its address alone. */
export function waysToConnect(server: Server): ConnectWay[] {
  const { program } = server;
  const byHttp = byAddress(server).map((way) => ({ ...way, transport: 'http' as const }));
  if (program === undefined) return byHttp;
  return [
    ...byInstall(program).map((way) => ({ ...way, transport: 'install' as const })),
    ...byProcess(program).map((way) => ({ ...way, transport: 'stdio' as const })),
    ...byHttp,
  ];
}

function byInstall(program: string): Snippet[] {
  return Object.entries(INSTALLABLE).map(([host, name]) => ({
    host,
    where: 'command',
    text: `node ${shellQuoted(program)} install ${name}`,
  }));
}

/** What `infold install` calls them. */
const INSTALLABLE: Record<string, HostName> = {
  'Claude Code': 'claude-code',
  Codex: 'codex',
  'Gemini CLI': 'gemini',
  OpenCode: 'opencode',
  'Qwen Code': 'qwen',
  Cursor: 'cursor',
  'VS Code': 'vscode',
};

type Snippet = Omit<ConnectWay, 'transport'>;

/** By HTTP no host says which project it works in: its address does. */
function byAddress({ address: bare, needsToken }: Server): Snippet[] {
  const address = `${bare}&project=${PROJECT}`;
  const header = needsToken ? ` --header "Authorization: Bearer ${TOKEN}"` : '';
  const headers = needsToken ? { headers: { Authorization: `Bearer ${TOKEN}` } } : {};
  const servers = (entry: object) => json({ mcpServers: { infold: { ...entry, ...headers } } });
  const codex = needsToken ? ['bearer_token_env_var = "INFOLD_TOKEN"'] : [];
  return [
    {
      host: 'Claude Code',
      where: 'command',
      text: `claude mcp add --transport http infold "${address}"${header}`,
    },
    {
      host: 'Codex',
      where: '~/.codex/config.toml',
      text: ['[mcp_servers.infold]', `url = "${address}"`, ...codex].join('\n'),
    },
    { host: 'Gemini CLI', where: '~/.gemini/settings.json', text: servers({ httpUrl: address }) },
    {
      host: 'OpenCode',
      where: 'opencode.json',
      text: json({ mcp: { infold: { type: 'remote', enabled: true, url: address, ...headers } } }),
    },
    { host: 'Qwen Code', where: '~/.qwen/settings.json', text: servers({ httpUrl: address }) },
    { host: 'Cursor', where: '~/.cursor/mcp.json', text: servers({ url: address }) },
    {
      host: 'VS Code',
      where: '.vscode/mcp.json',
      text: json({ servers: { infold: { type: 'http', url: address, ...headers } } }),
    },
    { host: 'Any other host', where: 'configuration', text: servers({ type: 'http', url: address }) },
  ];
}

function byProcess(program: string): Snippet[] {
  const entry = { command: 'node', args: [program, 'stdio'] };
  const command = `node ${shellQuoted(program)} stdio`;
  return [
    { host: 'Claude Code', where: 'command', text: `claude mcp add infold -- ${command}` },
    {
      host: 'Codex',
      where: '~/.codex/config.toml',
      text: `[mcp_servers.infold]\ncommand = "node"\nargs = ${JSON.stringify([program, 'stdio'])}`,
    },
    { host: 'Gemini CLI', where: 'command', text: `gemini mcp add -s user infold ${command}` },
    {
      host: 'OpenCode',
      where: 'opencode.json',
      text: json({
        mcp: { infold: { type: 'local', enabled: true, command: ['node', program, 'stdio'] } },
      }),
    },
    { host: 'Qwen Code', where: '~/.qwen/settings.json', text: json({ mcpServers: { infold: entry } }) },
    {
      host: 'Cursor',
      where: '~/.cursor/mcp.json',
      text: json({ mcpServers: { infold: { type: 'stdio', ...entry } } }),
    },
    { host: 'VS Code', where: '.vscode/mcp.json', text: json({ servers: { infold: entry } }) },
    {
      host: 'Any other host',
      where: 'configuration',
      text: json({ mcpServers: { infold: entry } }),
    },
  ];
}

function json(value: object): string {
  return JSON.stringify(value, undefined, 2);
}

function shellQuoted(text: string): string {
  return /^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

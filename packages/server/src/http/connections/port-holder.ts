import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';

/** Who might hold a port, in words, if that can be told. */
export async function holderOf(host: string, port: number): Promise<string | undefined> {
  const process = processHolding(port);
  const infold = await infoldAt(host, port);
  if (infold) return `another Infold (version ${infold}${process ? `, ${process}` : ''})`;
  return process;
}

/** The version of the Infold that answers there, if one does. */
export async function infoldAt(host: string, port: number): Promise<string | undefined> {
  try {
    const url = urlOf(host, port);
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(1500) });
    const body = (await response.json()) as { version?: unknown };
    return typeof body.version === 'string' ? body.version : undefined;
  } catch {
    return undefined;
  }
}

/** Where a server that listens there is asked from this machine. */
export function urlOf(host: string, port: number): string {
  const address = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${address.includes(':') && !address.startsWith('[') ? `[${address}]` : address}:${port}`;
}

/** Whether the Infold there serves this data folder; undefined where it tells nobody without a token. */
export async function servesFolder(url: string, data: string): Promise<boolean | undefined> {
  const home = (await ask(url, { accept: 'application/json' })) as { data?: unknown } | undefined;
  return typeof home?.data === 'string' ? real(home.data) === real(data) : undefined;
}

async function ask(url: string, headers: Record<string, string>): Promise<unknown> {
  try {
    return await (await fetch(url, { headers, signal: AbortSignal.timeout(1500) })).json();
  } catch {
    return undefined;
  }
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Linux shows which process owns a listening socket, for processes that this user may look at. */
function processHolding(port: number): string | undefined {
  try {
    const inodes = new Set(listeningInodes(port));
    if (inodes.size === 0) return undefined;
    for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      if (ownsSocket(id, inodes)) {
        const command = readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0').filter(Boolean).join(' ');
        return `process ${id} (${command.slice(0, 80)})`;
      }
    }
  } catch {
    // Not Linux, or not allowed to look.
  }
  return undefined;
}

function listeningInodes(port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const LISTEN = '0A';
  return ['/proc/net/tcp', '/proc/net/tcp6']
    .flatMap((path) => readFileSync(path, 'utf8').split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[1]?.endsWith(suffix) && fields[3] === LISTEN)
    .map((fields) => `socket:[${fields[9]}]`);
}

function ownsSocket(processId: string, inodes: Set<string>): boolean {
  try {
    const folder = `/proc/${processId}/fd`;
    return readdirSync(folder).some((name) => {
      try {
        return inodes.has(readlinkSync(`${folder}/${name}`));
      } catch {
        return false;
      }
    });
  } catch {
    return false;
  }
}

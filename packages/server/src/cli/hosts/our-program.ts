import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HostName } from '@infold/protocol';
import { builtFile } from '../../kernel/built-files.ts';
import { type ConfigReport, DEFAULT_DATA } from '../../kernel/config.ts';
import type { ExistingSetup } from './existing-setup.ts';

/** What of Infold is written into the files of hosts: where it is, how it is started, what it says. */
export interface Ours {
  /** The Node that runs us. Hosts start their processes with a PATH of their own. */
  node: string;
  /** The folder of the server's package. */
  root: string;
  /** It stands in a cache of npx, which is emptied some day. */
  isCached: boolean;
  data: string;
  /** Flags that lead to this data folder and configuration; none where the defaults do. */
  dataFlags: readonly string[];
  configFlags: readonly string[];
  /** Where the server is, or will be. */
  url: string;
  /** Callers by HTTP need a token. */
  needsToken: boolean;
  /** Lines end and quotes work differently there. */
  isWindows: boolean;
  /** What people set up before us, where `--window` needs to know it. */
  found: { readonly [host in HostName]?: ExistingSetup };
}

const ROOT = fileURLToPath(builtFile('..'));

export function oursOf({ config, file }: ConfigReport): Ours {
  const host = config.host === '0.0.0.0' || config.host === '::' ? '127.0.0.1' : config.host;
  return {
    node: process.execPath,
    root: ROOT.replace(/[\\/]+$/, ''),
    isCached: /[\\/]_npx[\\/]/.test(ROOT),
    data: config.data,
    dataFlags: config.data === DEFAULT_DATA ? [] : ['--data', config.data],
    // A file of the folder that a host works in is found there without being named.
    configFlags: file === null || file === resolve('infold.config.json') ? [] : ['--config', file],
    url: `http://${host.includes(':') ? `[${host}]` : host}:${config.port}`,
    needsToken: false,
    isWindows: process.platform === 'win32',
    found: {},
  };
}

/** Starts our program with these words. */
export function programOf({ node, root, isCached }: Ours, ...words: string[]): [string, ...string[]] {
  return isCached ? ['npx', '-y', 'infold', ...words] : [node, join(root, 'bin', 'infold.mjs'), ...words];
}

/**
 * A file that is shipped with us, such as the skill; undefined where it is not there. In a checkout the plugin stands
 * beside the packages, in what is packed within ours.
 */
export function shipped({ root }: Pick<Ours, 'root'>, ...path: string[]): string | undefined {
  const places = [join(root, 'plugin', ...path), join(root, '..', '..', 'plugin', ...path)];
  return places.find((file) => existsSync(file));
}

export function shippedText(ours: Pick<Ours, 'root'>, ...path: string[]): string | undefined {
  const file = shipped(ours, ...path);
  return file === undefined ? undefined : readFileSync(file, 'utf8');
}

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { WholeFile } from '../../install/installable.ts';
import type { Ours } from '../our-program.ts';

/** A plugin of ours that runs within the host, as one file; copied where we stand in a cache. */
export function bundle(host: 'opencode' | 'pi', ours: Ours): { url: string; files: WholeFile[] } {
  const built = join(ours.root, 'dist', 'plugins', `${host}.mjs`);
  if (!ours.isCached || !existsSync(built)) return { url: pathToFileURL(built).href, files: [] };
  const path = join(ours.data, 'hosts', host, `${host}.mjs`);
  const text = readFileSync(built, 'utf8');
  return { url: pathToFileURL(path).href, files: [{ kind: 'whole', path, text, isOurs: () => true }] };
}

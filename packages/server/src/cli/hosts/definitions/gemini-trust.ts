import { dirname } from 'node:path';

const TRUSTS_ITSELF = 'TRUST_FOLDER';
const TRUSTS_PARENT = 'TRUST_PARENT';

/** Whether Gemini CLI runs hooks in a folder, by what a person said of it or of one above it. */
export function isTrustedFolder(folder: string, trusted: Readonly<Record<string, unknown>>): boolean {
  const roots = Object.entries(trusted).flatMap(([path, how]) => {
    if (how === TRUSTS_ITSELF) return [path];
    return how === TRUSTS_PARENT ? [dirname(path)] : [];
  });
  for (let at = folder; ; at = dirname(at)) {
    if (roots.includes(at)) return true;
    if (dirname(at) === at) return false;
  }
}

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = 'plugins';

/**
 * Plugins in hosts write down what they decided for a window, a file for each of the host's sessions: pieces of results stand
 * there. What agents within a session did is named after it. Answers how many files went.
 */
export async function forgetPluginFiles(data: string, sessions: readonly string[]): Promise<number> {
  let gone = 0;
  for (const host of namesIn(join(data, FOLDER))) {
    for (const name of namesIn(join(data, FOLDER, host))) {
      const session = name.replace(/\.jsonl$/, '');
      if (!sessions.some((one) => session === one || session.startsWith(`${one}_`))) continue;
      rmSync(join(data, FOLDER, host, name), { force: true });
      gone++;
    }
  }
  return gone;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

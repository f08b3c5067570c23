import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** What a command may be called on Windows. */
const ENDINGS = process.platform === 'win32' ? ['.exe', '.cmd', ''] : [''];

/** The file that a shell would run. */
export function programNamed(name: string, path = ''): string | undefined {
  if (name.includes('/')) return isProgram(name) ? name : undefined;
  return path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .flatMap((folder) => ENDINGS.map((ending) => join(folder, name + ending)))
    .find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

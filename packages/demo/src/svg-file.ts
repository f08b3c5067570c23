import { statSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DemoError, messageOf } from './errors.ts';

export interface SvgFile {
  path: string;
  write(picture: string): void;
}

/** Looked at before the work is done: nobody wants to hear afterwards that there was no such folder. */
export function prepareSvg(named: string | undefined): SvgFile | undefined {
  if (named === undefined) return undefined;
  const path = resolve(named);
  if (!statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory()) {
    throw new DemoError('invalid_arguments', `There is no folder ${dirname(path)} for the chart`);
  }
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new DemoError('invalid_arguments', `${path} is a folder; name a file for the chart`);
  }
  return {
    path,
    write(picture) {
      try {
        writeFileSync(path, picture);
      } catch (error) {
        throw new DemoError('invalid_arguments', `The chart cannot be written: ${messageOf(error)}`);
      }
    },
  };
}

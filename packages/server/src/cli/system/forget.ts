import { FORGETTABLE } from '@infold/protocol';
import { InfoldError } from '../../kernel/errors.ts';
import { forget } from '../../system/actions/forget.ts';
import { act } from '../act.ts';
import type { Run } from '../command-line.ts';

export type ForgetFlags = { [kind in (typeof FORGETTABLE)[number]]?: string } & { org?: string };

export function forgetTarget(run: Run, flags: ForgetFlags): Promise<number> {
  const named = FORGETTABLE.filter((kind) => flags[kind] !== undefined);
  const kind = named[0];
  if (!kind || named.length > 1) {
    const options = FORGETTABLE.map((name) => `--${name} ID`).join(', ');
    throw new InfoldError('invalid_arguments', `Name what to forget with one of ${options}`);
  }
  return act(
    run,
    forget,
    { kind, id: flags[kind], org: flags.org },
    {
      show: ({ forgotten: { id }, entries, results }) => {
        if (entries + results === 0) return `Nothing of ${kind} ${id} is left to erase.`;
        return `Erased ${kind} ${id} from ${entries} entries. The chain still verifies.`;
      },
    },
  );
}

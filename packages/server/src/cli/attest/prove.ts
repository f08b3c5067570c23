import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { InfoldError } from '../../kernel/errors.ts';
import { proveSession } from '../../library/actions/prove-session.ts';
import { actInFolder } from '../act.ts';
import type { Run } from '../command-line.ts';

export interface ProveFlags {
  withContent?: boolean;
}

/** Never writes over a file: what was proven before may be needed as it is. */
export function attestProve(
  run: Run,
  { withContent = false }: ProveFlags,
  session: string,
  file: string = `${session}.proof`,
): Promise<void> {
  const path = resolve(file);
  if (existsSync(path))
    throw new InfoldError('invalid_arguments', `${path} already exists; name another file`);
  return actInFolder(run, { progress: 'proving' }, async (call) => {
    const { text, ...proven } = await call(proveSession, { session, content: withContent });
    // It may hold texts; who should see it is the owner's to decide.
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
    const { session_id, entries, loaded, declared, checkpoint, key } = proven;
    const answer = {
      written: true,
      file: path,
      bytes: Buffer.byteLength(text),
      content: withContent,
      ...proven,
    };
    run.output.answer(answer, () =>
      [
        `${path} proves ${entries} entries of ${session_id}, of ${checkpoint.seq} in the journal: ${loaded} loaded, ${declared} declared.`,
        withContent
          ? 'It shows the texts of the rules that were used, and of reasons and summaries.'
          : 'It holds no texts. What entries with texts say is stated in it, not proven: --with-content proves it.',
        `Whoever has it can verify it without the journal, with the key ${key}:`,
        `infold attest verify FILE --key ${key}`,
      ].join('\n'),
    );
  });
}

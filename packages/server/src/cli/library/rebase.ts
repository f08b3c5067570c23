import { readFileSync } from 'node:fs';
import { InfoldError, messageOf } from '../../kernel/errors.ts';
import { rebaseDraft } from '../../library/actions/rebase.ts';
import { act } from '../act.ts';
import type { ProjectFlag, Run } from '../command-line.ts';
import { withoutVersions } from './draft-text.ts';
import { inLibrary } from './library-project.ts';

export function libraryRebase(
  run: Run,
  { take, body, ...flags }: ProjectFlag & { take?: string; body?: string },
  id: string,
): Promise<number> {
  const text = body === undefined ? undefined : textOf(body);
  return act(run, rebaseDraft, inLibrary(run.output, flags, { id, take, body: text }), {
    json: withoutVersions,
    show: ({ rebased, draft_path }) =>
      rebased
        ? `${draft_path} now builds on what is published; submit it for review again.`
        : `${draft_path} already builds on what is published.`,
  });
}

function textOf(file: string): string {
  try {
    const text = readFileSync(file, 'utf8');
    if (text !== '') return text;
  } catch (error) {
    throw new InfoldError('invalid_arguments', `${file} cannot be read: ${messageOf(error)}`);
  }
  throw new InfoldError('invalid_arguments', `${file} is empty`);
}

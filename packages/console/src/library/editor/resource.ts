import { META_PROMPT } from '../files/rows.ts';
import type { FileDetails } from '../queries.ts';
import type { NewKind } from '../search.ts';
import type { Resource } from './unsaved.ts';

/** What a draft of a file is called: workflows are drafted as rules. */
export function resourceOf({ id, kind }: Pick<FileDetails, 'id' | 'kind'>): Resource {
  if (id === META_PROMPT) return 'mpf';
  return kind === 'context' ? 'context' : 'rule';
}

export const NEW_FILES: Record<NewKind, { label: string; resource: Resource; path: string; text: string }> = {
  rule: {
    label: 'Rule',
    resource: 'rule',
    path: 'rules/',
    text: '---\ndescription: \n---\n# \n\n## \n\n- \n',
  },
  workflow: {
    label: 'Workflow',
    resource: 'rule',
    path: 'workflow/',
    text: '---\ndescription: \n---\n# \n\n## Steps\n\n1. \n',
  },
  context: {
    label: 'Context',
    resource: 'context',
    path: 'context/',
    text: '---\ndescription: \n---\n# \n\n',
  },
  meta: { label: 'Meta prompt', resource: 'mpf', path: META_PROMPT, text: '# How to work here\n\n' },
};

import { type Api, createApi } from '@infold/client/api';
import { WorkSession } from './sessions.ts';

export { createApi };

export const ATLAS_FILES: Readonly<Record<string, string>> = {
  'coding/NAMING.md': `---
description: How things are called
owner: platform
---
# Naming

Names are read far more often than they are written.

## Words

- Use whole words of the domain
- Name a file after what it holds
- One word for one thing, everywhere

## Forbidden

- Abbreviations that a newcomer has to look up
`,
  'coding/ERRORS.md': `---
description: What an error says
---
# Errors

## Content

- Say what is wrong, and where
- Say what would be right
- Say whether to try again
`,
  'coding/web/FORMS.md':
    '# Forms\n\n## Fields\n\n- Every field has a label\n- Errors stand beside their field\n',
  'security/SECRETS.md': '# Secrets\n\n## Never\n\n- Put a secret into a file\n- Print one into a log\n',
  'workflow/RELEASE.md':
    '---\ndescription: From a green tree to a published package\n---\n# Release\n\n## Steps\n\n1. Run all tests.\n2. Write the change log.\n3. Tag and publish.\n',
  'context/GLOSSARY.md':
    '---\ndescription: The words of the product\n---\n# Glossary\n\n- **Route**: a planned way\n- **Leg**: a part of a route\n',
  'META_PROMPT.md':
    '# How to work on Atlas\n\nLoad the rules that fit before you write code, and say which of them you followed.\n',
};

/** Publishes files as they are. */
export async function publishFiles(
  api: Api,
  project: string,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  const sent = Object.entries(files).map(([path, content]) => ({ path, content }));
  const { skipped } = await api.importFiles({ project, files: sent, publish: true });
  if (skipped.length > 0) throw new Error(`Not published: ${JSON.stringify(skipped)}`);
}

interface LibraryOptions {
  url: string;
  token?: string;
  /** The folder of the project. */
  project: string;
  session: string;
}

/** An agent that sets up, loads rules, refers to some of them, and closes its turn. */
export async function useLibrary(
  options: LibraryOptions,
  turns: readonly {
    loads: readonly string[];
    refers: readonly [path: string, constraint: string][];
    rejects?: string;
  }[],
): Promise<void> {
  const agent = await WorkSession.begin(options);
  await agent.call('memory.setup', {});
  const { items } = (await agent.call('memory.discover', {})) as { items: { id: string; path: string }[] };
  const idOf = (path: string) => items.find((item) => item.path === path)!.id;
  for (const { loads, refers, rejects } of turns) {
    if (loads.length > 0) {
      const ids = loads.map(idOf);
      await agent.call('memory.load', {
        ids,
        knownHashes: Object.fromEntries(ids.map((id) => [id, ''])),
      });
    }
    if (refers.length > 0) {
      const refs = refers.map(([path, constraintId]) => ({
        ...{ ruleId: idOf(path), constraintId },
        reason: 'The change follows it',
      }));
      await agent.call('memory.refer', { refs });
    }
    if (rejects === undefined) await agent.call('memory.submit', { summary: 'Renamed the routes module' });
    else await agent.call('memory.reject', { reason: rejects });
  }
  await agent.close();
}

/** A library that has been used for a while: with drafts in several states, one of them out of date. */
export async function seedLibrary(
  { url }: { url: string },
  project: string,
  token?: string,
): Promise<{ outOfDate: string }> {
  const who = { url, ...(token !== undefined && { token }) };
  const api = createApi(who);
  await publishFiles(api, project, ATLAS_FILES);
  const at = { ...who, project };
  const session = project.replaceAll(/\W+/g, '-');
  await useLibrary({ ...at, session: `${session}-rules` }, [
    {
      loads: ['coding/NAMING.md', 'coding/ERRORS.md', 'security/SECRETS.md'],
      refers: [
        ['coding/NAMING.md', 'Words/1'],
        ['coding/NAMING.md', 'Words/3'],
        ['coding/ERRORS.md', 'Content/1'],
      ],
    },
    { loads: ['coding/NAMING.md'], refers: [['coding/NAMING.md', 'Words/1']] },
    { loads: [], refers: [['coding/web/FORMS.md', 'Fields/1']], rejects: 'The labels were missing' },
  ]);
  const draft = async (resource: 'rule' | 'context', op: Parameters<Api['createDraft']>[0]['op']) =>
    (await api.createDraft({ project, resource, op })).draft.id;
  const errors = ATLAS_FILES['coding/ERRORS.md']!;
  const outOfDate = await draft('rule', {
    update: {
      id: 'coding/ERRORS.md',
      body: errors.replace('Say what would be right', 'Say what would be right, with an example'),
      description: 'Examples help more than words',
    },
  });
  await publishFiles(api, project, {
    'coding/ERRORS.md': errors.replace(
      'Say what would be right',
      'Name the valid options where they are few',
    ),
  });
  const naming = await draft('rule', {
    update: {
      id: 'coding/NAMING.md',
      body: ATLAS_FILES['coding/NAMING.md']!.replace(
        '- Name a file after what it holds\n',
        '- Name a file after what it holds, in the singular\n- Name a test after the behaviour that it proves\n',
      ),
      description: 'Tests were named after functions',
    },
  });
  await api.submitDraft({ id: naming });
  await api.commentDraft({ id: naming, text: 'Also for folders?', line: 12 });
  await draft('context', {
    create: { path: 'context/MAPS.md', body: '# Maps\n\n- Tiles are cached for a day\n' },
  });
  await useLibrary({ ...at, session: `${session}-errors` }, [
    { loads: ['coding/ERRORS.md'], refers: [['coding/ERRORS.md', 'Content/2']] },
  ]);
  return { outOfDate };
}

import type { Api } from '@infold/client/api';
import { PROJECT } from './stories.ts';

type Given = Parameters<Api['remember']>[0];

/** What a team remembers of its work, by the names that tests use. */
export interface Memories {
  rotation: string;
  lifetime: string;
  oldLifetime: string;
  store: string;
  rival: string;
  guide: string;
}

const GUIDE = `# Releasing

Releases are cut on Tuesdays, never before a holiday. Whoever cuts one stays reachable for the rest of the day.

## Before

${'Run the whole suite on a clean checkout and read the list of changes as a stranger would. '.repeat(12)}

## Signing

${'The tag is signed with the key of the release manager, and the checksum is published beside it. '.repeat(10)}

## After

${'Watch the error rate for an hour; roll back first and look for the reason later. '.repeat(12)}`;

/** A project with decisions, versions of them, relations, doubles, and things that nobody looked at for long. */
export async function rememberMuch(api: Api, project = PROJECT): Promise<Memories> {
  const remember = async (given: Given) => (await api.remember({ project, ...given })).id;
  const rotation = await remember({
    title: 'Refresh tokens rotate',
    content: 'Every use of a refresh token gives a new one; a second use of an old one ends the session.',
    ...{ kind: 'decision', source: 'adr/0007', author: 'Ada', tags: ['auth', 'security'] },
  });
  const oldLifetime = await remember({
    title: 'Lifetime of refresh tokens',
    content: 'Refresh tokens live for 30 days.',
    ...{ kind: 'decision', author: 'Ben', source: 'adr/0004' },
  });
  const lifetime = await remember({
    title: 'Lifetime of refresh tokens',
    content:
      'Refresh tokens live for 14 days, since audits found stolen ones still in use after three weeks.',
    ...{ kind: 'decision', author: 'Ada', source: 'adr/0011' },
    relations: [
      { type: 'supersedes', id: oldLifetime },
      { type: 'supports', id: rotation },
    ],
  });
  await remember({
    title: 'Clocks differ',
    content:
      'Allow 30 seconds of clock skew when the expiry of a token is checked, or phones are signed out.',
    ...{ kind: 'error_pattern', author: 'Cleo', relations: [{ type: 'requires', id: oldLifetime }] },
  });
  const guide = await remember({
    ...{ title: 'How we release', content: GUIDE, kind: 'guide', author: 'Ada' },
    url: 'https://example.com/handbook/releasing',
  });
  const store = await remember({
    title: 'Token store',
    content: 'Tokens are kept in Postgres, hashed, with the family that they descend from.',
    ...{ kind: 'plan', author: 'Ben', relations: [{ type: 'requires', id: rotation }] },
  });
  const rival = await remember({
    title: 'Token store in Redis',
    content: 'Tokens are kept in Redis alone, since lookups in Postgres were too slow.',
    ...{ kind: 'claim', author: 'Cleo', relations: [{ type: 'contradicts', id: store }] },
  });
  await remember({
    title: 'Sign out everywhere',
    content: 'Revoke the whole family of a token when somebody signs out everywhere.',
    ...{ kind: 'procedure', relations: [{ type: 'relates_to', id: store }] },
  });
  await remember({
    ...{ title: 'Migrate the session table', content: 'Move sessions to the new table.', kind: 'task' },
    metadata: { status: 'doing' },
  });
  for (const source of ['meeting of Monday', 'meeting of Thursday']) {
    await remember({
      ...{ title: 'Staging password', content: 'The password of staging is in the vault.', kind: 'note' },
      source,
    });
  }
  await remember({ content: 'The CDN costs 310 euros a month.', kind: 'claim', valid_at: '2024-02-01' });
  return { rotation, lifetime, oldLifetime, store, rival, guide };
}

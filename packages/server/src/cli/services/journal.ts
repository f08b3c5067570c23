import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Journal } from '../../journal/journal.ts';
import { mayOnlyBeRead } from '../../journal/open.ts';
import { SqliteJournal } from '../../journal/sqlite.ts';
import { type Config, DEFAULT_DATA } from '../../kernel/config.ts';
import { InfoldError, messageOf } from '../../kernel/errors.ts';
import { progressBar } from '../progress-bar.ts';
import { PROJECTIONS } from './projections.ts';

type OnError = (error: unknown) => void;

/** The journal of the data folder; where the configuration says where NATS is, the one that its cluster shares. */
export function openJournal(config: Config, onError?: OnError): Promise<Journal> {
  return config.nats.url === undefined ? openLocalJournal(config, onError) : joinCluster(config, onError);
}

/** What is in the folder. One of a node of a cluster can only be read so. */
export function openLocalJournal(config: Config, onError?: OnError): Promise<Journal> {
  return withProgress((onRebuild) => SqliteJournal.open({ ...placeOf(config, onError), onRebuild }));
}

/** Nothing of NATS is loaded where there is no cluster. */
async function joinCluster(config: Config, onError?: OnError): Promise<Journal> {
  const [{ connectToNats }, { NatsJournal }, { EVENT_VERSIONS }] = await Promise.all([
    import('../../journal/cluster/connect.ts'),
    import('../../journal/nats.ts'),
    import('@infold/protocol/events'),
  ]);
  const connection = await connectToNats(config.nats, { name: `infold on ${hostname()}` });
  try {
    return await withProgress((onRebuild) =>
      NatsJournal.open({
        ...placeOf(config, onError),
        onRebuild,
        connection,
        replicas: config.nats.replicas,
        knownTypes: new Set(Object.keys(EVENT_VERSIONS)),
      }),
    );
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function placeOf({ data, limits }: Config, onError?: OnError) {
  return { folder: data, projections: PROJECTIONS, limits, ...(onError && { onError }) };
}

async function withProgress(open: (onRebuild: (done: number, total: number) => void) => Promise<Journal>) {
  const bar = progressBar('upgrading the data folder');
  try {
    return await open(bar.update);
  } finally {
    bar.done();
  }
}

/** For commands that look at what is there: a mistyped folder is not made, and not taken for an empty one. */
export async function openExistingJournal(config: Config): Promise<Journal> {
  if (!existsSync(config.data) && config.data !== DEFAULT_DATA) {
    throw new InfoldError('not_found', `There is no data folder ${config.data}; check --data`);
  }
  return openJournal(config);
}

/** For commands that write nothing: where NATS does not answer, they are told what this machine has. */
export async function openJournalToRead(config: Config, note: (text: string) => void): Promise<Journal> {
  try {
    return await openExistingJournal(config);
  } catch (error) {
    const isAway = InfoldError.isInstance(error) && error.code === 'unavailable';
    if (!isAway || config.nats.url === undefined || !existsSync(config.data)) throw error;
    note(`${messageOf(error)}. This is what the node of this machine has`);
    return openLocalJournal(config);
  }
}

/** To serve from: every call of an agent writes. */
export async function openJournalToServe(config: Config, onError?: OnError): Promise<Journal> {
  const journal = await openJournal(config, onError);
  if (!mayOnlyBeRead(journal.database.path)) return journal;
  await journal.close();
  throw new InfoldError(
    'storage_read_only',
    `${journal.database.path} is read-only and cannot be written. It can be verified and searched from the command line`,
  );
}

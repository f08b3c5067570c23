import { Undo2 } from 'lucide-react';
import { useAccount } from '../../api/account.tsx';
import { Button } from '../../design/controls/button.tsx';
import { Time } from '../../design/data/figures.tsx';
import { Panel } from '../../design/layout/panel.tsx';
import { Loading, Problem } from '../../design/layout/placeholders.tsx';
import { useReading } from '../address.ts';
import { ItemLink, Kind, Line } from '../parts.tsx';
import { type MemoryItem, useHistory, type Version } from '../queries.ts';
import { type Deed, takeBack, useDeed } from '../write/deeds.ts';
import styles from './history.module.css';

/** The versions of an item, the newest first, and what can be taken back of it. */
export function History({ item }: { item: MemoryItem }) {
  const { data, error, refetch } = useHistory(item.id, useReading());
  return (
    <Panel title="History">
      {error && !data && <Problem what="The history could not be read" error={error} onRetry={refetch} />}
      {!data && !error && <Loading what="the history" />}
      {data && data.versions.length === 1 && (
        <p className={styles.about}>The only version: it superseded nothing, and nothing superseded it.</p>
      )}
      {data && data.versions.length > 1 && (
        <ol className={styles.versions}>
          {data.versions.map((version) => (
            <VersionRow key={version.id} version={version} isThis={version.id === item.id} />
          ))}
        </ol>
      )}
    </Panel>
  );
}

function VersionRow({ version, isThis }: { version: Version; isThis: boolean }) {
  const { may } = useAccount();
  const { id, name, supersedes } = version;
  const { agent_id } = useReading();
  const undo = useDeed<void>(async (api): Promise<Deed> => {
    await takeBack(id, true, undefined, { agent_id })(api);
    return { said: `“${name}” was taken back: what it superseded stands again.` };
  });
  const stands = version.superseded_by === null;
  return (
    <li className={styles.version} aria-current={isThis ? 'true' : undefined}>
      {isThis ? (
        <strong className={styles.name}>
          <bdi>{name}</bdi>
        </strong>
      ) : (
        <ItemLink item={version} className={styles.name}>
          {name}
        </ItemLink>
      )}
      <Line>
        <Kind kind={version.kind} />
        <span>{stands ? 'stands' : 'superseded'}</span>
        <Time at={version.created_at} />
        {isThis && <span>this one</span>}
      </Line>
      {supersedes.length > 0 && (
        <p className={styles.about}>
          {supersedes.length === 1 ? 'Superseded the one before.' : `Merged ${supersedes.length} into one.`}
        </p>
      )}
      {undo.error && <Problem what="It was not taken back" error={undo.error} />}
      {stands && supersedes.length > 0 && may('write') && (
        <Button
          size="small"
          icon={<Undo2 aria-hidden />}
          isBusy={undo.isPending}
          onClick={() => undo.mutate()}
        >
          {supersedes.length === 1 ? 'Go back to the version before' : 'Undo the merge'}
        </Button>
      )}
    </li>
  );
}

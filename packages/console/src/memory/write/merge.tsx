import { useQueries } from '@tanstack/react-query';
import { useApi } from '../../api/account.tsx';
import { Dialog } from '../../design/controls/dialog.tsx';
import { plural } from '../../design/data/format.ts';
import { Loading, Problem } from '../../design/layout/placeholders.tsx';
import { useChangeAddress, useCloseDialog, useReading } from '../address.ts';
import { MEMORY, type MemoryItem } from '../queries.ts';
import { takeBack, useDeed } from './deeds.ts';
import { givenOf, type ItemDraft, mergedDraft } from './draft.ts';
import { DraftDialog } from './draft-dialog.tsx';
import styles from './write.module.css';

/** Several items become one that supersedes them all. */
export function MergeDialog({ ids }: { ids: readonly string[] }) {
  const api = useApi();
  const { project, agent_id } = useReading();
  const read = useQueries({
    queries: ids.map((id) => ({
      queryKey: [...MEMORY, 'item', id, project, agent_id],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        api.readMemoryItem({ id, project, agent_id }, { signal }),
    })),
  });
  const items = read.flatMap(({ data }) => (data ? [data] : []));
  const error = read.find((each) => each.error)?.error;
  const close = useCloseDialog();
  if (items.length === ids.length) return <Merge items={items} onClose={close} />;
  return (
    <Dialog isOpen onClose={close} title="Merge into one">
      {error ? <Problem what="The items could not be read" error={error} /> : <Loading what="the items" />}
    </Dialog>
  );
}

function Merge({ items, onClose }: { items: readonly MemoryItem[]; onClose: () => void }) {
  const change = useChangeAddress();
  // What one agent keeps stays in its diary.
  const agent_id = items.every((item) => item.agent_id === items[0]?.agent_id)
    ? items[0]?.agent_id
    : undefined;
  const place = { agent_id };
  const diary = agent_id === undefined ? {} : { ...place, scope: 'diary' as const };
  const deed = useDeed<ItemDraft>(async (api, draft) => {
    const relations = items.map(({ id }) => ({ type: 'supersedes' as const, id }));
    const { id, created } = await api.remember({ ...givenOf(draft), ...diary, relations });
    if (!created) return { said: 'This is remembered already: nothing was written.' };
    change({ pick: undefined, write: undefined }, true);
    return {
      said: `${plural(items.length, 'item')} were merged into one.`,
      undo: takeBack(id, true, undefined, place),
    };
  });
  return (
    <DraftDialog title="Merge into one" begin={mergedDraft(items)} deed={deed} verb="Merge" onClose={onClose}>
      <p>One item takes the place of these in every pack. They stay readable, and this can be undone.</p>
      <ul className={styles.list}>
        {items.map(({ id, name }) => (
          <li key={id}>
            <bdi>{name}</bdi>
          </li>
        ))}
      </ul>
    </DraftDialog>
  );
}

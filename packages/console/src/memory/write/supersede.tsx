import { Dialog } from '../../design/controls/dialog.tsx';
import { Loading, Problem } from '../../design/layout/placeholders.tsx';
import { useCloseDialog, useReading } from '../address.ts';
import { type MemoryItem, useItem } from '../queries.ts';
import { takeBack, useDeed } from './deeds.ts';
import { draftOf, givenOf, type ItemDraft } from './draft.ts';
import { DraftDialog } from './draft-dialog.tsx';

/** A new version of an item: the old one leaves packs, and stays readable. */
export function SupersedeDialog({ id }: { id: string }) {
  const { data, error } = useItem(id, useReading());
  const close = useCloseDialog();
  if (data) return <Supersede item={data} onClose={close} />;
  return (
    <Dialog isOpen onClose={close} title="A new version">
      {error ? <Problem what="The item could not be read" error={error} /> : <Loading what="the item" />}
    </Dialog>
  );
}

function Supersede({ item, onClose }: { item: MemoryItem; onClose: () => void }) {
  const deed = useDeed<ItemDraft>(async (api, draft) => {
    const relations = [{ type: 'supersedes' as const, id: item.id }];
    const { id, created } = await api.remember({ ...givenOf(draft), ...placeOf(item, draft), relations });
    if (!created) return { said: 'This is remembered already: nothing was written.' };
    return {
      said: `“${item.name}” was superseded.`,
      undo: takeBack(id, true, undefined, { agent_id: item.agent_id }),
    };
  });
  return (
    <DraftDialog title="A new version" begin={draftOf(item)} deed={deed} verb="Supersede" onClose={onClose}>
      <p>
        It takes the place of <bdi>“{item.name}”</bdi> in every pack. The old version stays readable in its
        history, and this can be undone.
      </p>
    </DraftDialog>
  );
}

/** A version stays where its item is, unless somebody chose another place. */
function placeOf(
  { scope, project_id, agent_id }: MemoryItem,
  { project }: ItemDraft,
): Pick<MemoryItem, 'agent_id'> & { scope?: MemoryItem['scope'] } {
  // A diary is one in every project.
  if (scope === 'diary') return { scope, agent_id };
  return project === (project_id ?? '') ? { scope } : {};
}

import { useAddress, useCloseDialog } from '../address.ts';
import { useDeed } from './deeds.ts';
import { blankDraft, givenOf, type ItemDraft } from './draft.ts';
import { DraftDialog } from './draft-dialog.tsx';

export function RememberDialog() {
  const { project } = useAddress();
  const deed = useDeed<ItemDraft>(async (api, draft) => {
    const { created, conflicts } = await api.remember(givenOf(draft));
    if (!created) return { said: 'This is remembered already: nothing was written.' };
    const [conflict] = conflicts;
    return {
      said: conflict ? `Remembered. Look at “${conflict.title}”: ${conflict.reason}.` : 'Remembered.',
    };
  });
  return (
    <DraftDialog
      title="Remember something"
      begin={blankDraft(project)}
      deed={deed}
      verb="Remember"
      onClose={useCloseDialog()}
    >
      <p>Packs for a goal that it matters to will hold it from now on.</p>
    </DraftDialog>
  );
}

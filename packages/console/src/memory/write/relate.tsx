import type { RelationType } from '@infold/protocol';
import { type FormEvent, useDeferredValue, useId, useState } from 'react';
import { Button } from '../../design/controls/button.tsx';
import { Dialog } from '../../design/controls/dialog.tsx';
import { Select, TextField } from '../../design/controls/field.tsx';
import { Problem } from '../../design/layout/placeholders.tsx';
import { useAddress, useCloseDialog, useReading } from '../address.ts';
import { inWords, RELATIONS } from '../kinds.ts';
import { useFound, useItem } from '../queries.ts';
import { useDeed } from './deeds.ts';
import styles from './write.module.css';

/** Says how an item and another have to do with each other. */
export function RelateDialog({ id }: { id: string }) {
  const reading = useReading();
  const form = useId();
  const close = useCloseDialog();
  const { data: item } = useItem(id, reading);
  const [type, setType] = useState<RelationType>('relates_to');
  const [words, setWords] = useState('');
  const [other, setOther] = useState<{ id: string; name: string }>();
  const [problem, setProblem] = useState<string>();
  const deed = useDeed<{ id: string; name: string }>(async (api, { id: to, name }) => {
    const relation = { item: id, type, id: to, ...reading };
    const { related } = await api.relateItems(relation);
    if (!related) return { said: 'They are related so already: nothing was written.' };
    return {
      said: `It ${inWords(type)} “${name}” from now on.`,
      undo: (again) => again.unrelateItems(relation),
    };
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setProblem(other ? undefined : 'Choose one of the items that are found.');
    if (other) deed.mutate(other, { onSuccess: close });
  };
  return (
    <Dialog
      isOpen
      onClose={close}
      title="Relate it to another item"
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button look="main" type="submit" form={form} isBusy={deed.isPending}>
            Relate
          </Button>
        </>
      }
    >
      <form id={form} className={styles.form} onSubmit={submit} noValidate>
        {deed.error && <Problem what="They were not related" error={deed.error} />}
        <p className={styles.about}>
          <bdi>“{item?.name ?? id}”</bdi>
        </p>
        <Select
          label="How"
          options={RELATIONS.map((value) => ({ value, label: inWords(value) }))}
          value={type}
          onChange={(value) => setType(value as RelationType)}
        />
        <TextField
          label="Which item"
          hint="Words of it find it."
          type="search"
          autoComplete="off"
          problem={problem}
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        <Found {...{ id, words, other }} onChoose={setOther} />
      </form>
    </Dialog>
  );
}

interface FoundProps {
  /** The item itself, which is related to others alone. */
  id: string;
  words: string;
  other: { id: string; name: string } | undefined;
  onChoose: (item: { id: string; name: string }) => void;
}

function Found({ id, words, other, onChoose }: FoundProps) {
  const { project } = useAddress();
  const group = useId();
  const { data, error } = useFound(useDeferredValue(words), { project });
  if (error) return <Problem what="Memory could not be searched" error={error} />;
  if (words.trim() === '' || !data) return null;
  const items = new Map(
    data.passages.filter((one) => one.id !== id).map((one) => [one.id, one.title ?? one.text.slice(0, 100)]),
  );
  if (items.size === 0) return <p className={styles.about}>No other item says anything about that.</p>;
  return (
    <fieldset className={styles.choices}>
      <legend>Found</legend>
      {[...items].slice(0, MOST).map(([found, name]) => (
        <label key={found} className={styles.choice}>
          <input
            type="radio"
            name={group}
            checked={other?.id === found}
            onChange={() => onChoose({ id: found, name })}
          />
          <bdi>{name}</bdi>
        </label>
      ))}
    </fieldset>
  );
}

const MOST = 8;

import { useState } from 'react';
import { Button } from '../../design/controls/button.tsx';
import { Dialog } from '../../design/controls/dialog.tsx';
import { Checkbox, Choices, TextField } from '../../design/controls/field.tsx';
import { hasWords, wordsOf } from '../../design/match.ts';
import type { RecordSource } from '../queries.ts';
import styles from './filters.module.css';

interface ColumnsDialogProps {
  source: RecordSource;
  shown: readonly string[];
  /** Undefined: as many as usual. */
  onChange: (columns: readonly string[] | undefined) => void;
  onClose: () => void;
}

/** More are found by name. */
const FEW = 12;

export default function ColumnsDialog({ source, shown, onChange, onClose }: ColumnsDialogProps) {
  const [sought, setSought] = useState('');
  const words = wordsOf(sought);
  // In the order of the source, whichever was chosen first.
  const toggle = (column: string, isShown: boolean) =>
    onChange(
      source.columns
        .map(({ name }) => name)
        .filter((name) => (name === column ? isShown : shown.includes(name))),
    );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Columns"
      actions={
        <>
          <Button onClick={() => onChange(undefined)}>As usual</Button>
          <Button look="main" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        {source.columns.length > FEW && (
          <TextField
            label="Find a column"
            value={sought}
            onChange={(event) => setSought(event.target.value)}
          />
        )}
        <Choices label="Shown in the table" hint="A record that is opened shows all of its columns.">
          {source.columns
            .filter(({ name }) => hasWords(name, words))
            .map(({ name, type }) => (
              <Checkbox
                key={name}
                label={<bdi>{name}</bdi>}
                hint={name === source.id ? `${type}, names the record` : type}
                isChecked={shown.includes(name)}
                disabled={name === source.id || (shown.length === 1 && shown[0] === name)}
                onChange={(isShown) => toggle(name, isShown)}
              />
            ))}
        </Choices>
      </div>
    </Dialog>
  );
}

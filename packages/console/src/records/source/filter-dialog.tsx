import type { FilterOperator } from '@infold/protocol';
import { type FormEvent, useId, useState } from 'react';
import { Button } from '../../design/controls/button.tsx';
import { Dialog } from '../../design/controls/dialog.tsx';
import { Select, TextArea, TextField } from '../../design/controls/field.tsx';
import type { RecordSource } from '../queries.ts';
import type { Where } from '../search.ts';
import { conditionOf, draftOf, OPERATORS, operatorsFor } from './conditions.ts';
import styles from './filters.module.css';

interface FilterDialogProps {
  columns: RecordSource['columns'];
  /** The one that is changed; a new one otherwise. */
  condition: Where | undefined;
  onDone: (condition: Where) => void;
  onClose: () => void;
}

/** One condition on one column. */
export default function FilterDialog({ columns, condition, onDone, onClose }: FilterDialogProps) {
  const form = useId();
  const [draft, setDraft] = useState(() => draftOf(condition, columns[0]!));
  const [problem, setProblem] = useState<string>();
  const { type } = columns.find(({ name }) => name === draft.column) ?? { type: 'mixed' };
  const change = (changes: Partial<typeof draft>) => {
    setProblem(undefined);
    setDraft((before) => ({ ...before, ...changes }));
  };
  const chooseColumn = (column: string) => {
    const next = columns.find(({ name }) => name === column)!;
    const operators = operatorsFor(next.type);
    const operator = operators.includes(draft.operator) ? draft.operator : operators[0]!;
    change({ column, operator, ...(next.type === 'boolean' && { text: 'true' }) });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // Forms of the page below a portal hear it otherwise.
    event.stopPropagation();
    const made = conditionOf(draft, type);
    if ('problem' in made) setProblem(made.problem);
    else onDone(made);
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={condition ? 'Change the filter' : 'Filter the records'}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="main" type="submit" form={form}>
            Apply
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} className={styles.form}>
        <Select
          label="Column"
          options={columns.map(({ name, type: kind }) => ({ value: name, label: `${name} (${kind})` }))}
          value={draft.column}
          onChange={chooseColumn}
        />
        <Select
          label="Condition"
          options={operatorsFor(type).map((value) => ({ value, label: OPERATORS[value].name }))}
          value={draft.operator}
          onChange={(operator) => change({ operator: operator as FilterOperator })}
        />
        <Value {...{ draft, type, problem, change }} />
      </form>
    </Dialog>
  );
}

interface ValueProps {
  draft: ReturnType<typeof draftOf>;
  type: string;
  problem: string | undefined;
  change: (changes: Partial<ReturnType<typeof draftOf>>) => void;
}

function Value({ draft: { operator, text, until, isPresent }, type, problem, change }: ValueProps) {
  const { takes } = OPERATORS[operator];
  if (takes === 'presence') {
    return (
      <Select
        label="Value"
        options={[
          { value: 'none', label: 'has no value' },
          { value: 'some', label: 'has a value' },
        ]}
        value={isPresent ? 'some' : 'none'}
        onChange={(value) => change({ isPresent: value === 'some' })}
      />
    );
  }
  if (type === 'boolean' && takes === 'one') {
    return (
      <Select
        label="Value"
        options={['true', 'false'].map((value) => ({ value, label: value }))}
        value={text === 'false' ? 'false' : 'true'}
        onChange={(value) => change({ text: value })}
      />
    );
  }
  if (takes === 'many') {
    return (
      <TextArea
        label="Values"
        hint="One on each line"
        value={text}
        problem={problem}
        onChange={(event) => change({ text: event.target.value })}
      />
    );
  }
  return (
    <>
      <TextField
        label={takes === 'two' ? 'From' : 'Value'}
        value={text}
        problem={problem}
        autoComplete="off"
        onChange={(event) => change({ text: event.target.value })}
      />
      {takes === 'two' && (
        <TextField
          label="To"
          value={until}
          autoComplete="off"
          onChange={(event) => change({ until: event.target.value })}
        />
      )}
    </>
  );
}

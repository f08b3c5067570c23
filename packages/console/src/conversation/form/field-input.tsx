import { Plus, Trash2 } from 'lucide-react';
import { useId } from 'react';
import { Button, IconButton } from '../../design/controls/button.tsx';
import { Select, TextArea, TextField } from '../../design/controls/field.tsx';
import { choiceKey, type Draft, emptyDraft, type Problems } from './drafts.ts';
import type { Field, Kind } from './fields.ts';
import styles from './form.module.css';

interface InputProps {
  label: string;
  hint?: string | undefined;
  kind: Kind;
  isRequired: boolean;
  draft: Draft;
  /** Where it stands, such as `findings.0.finding`. */
  place: string;
  problems: Problems;
  onChange: (draft: Draft) => void;
}

/** A field for each of a record's. */
export function FieldInputs({
  fields,
  drafts,
  place,
  problems,
  onChange,
}: {
  fields: readonly Field[];
  drafts: Readonly<Record<string, Draft>>;
  place: string;
  problems: Problems;
  onChange: (drafts: Readonly<Record<string, Draft>>) => void;
}) {
  return fields.map(({ name, about, kind, isRequired }) => (
    <KindInput
      key={name}
      label={name}
      hint={about}
      kind={kind}
      isRequired={isRequired}
      draft={drafts[name] ?? emptyDraft(kind)}
      place={place === '' ? name : `${place}.${name}`}
      problems={problems}
      onChange={(draft) => onChange({ ...drafts, [name]: draft })}
    />
  ));
}

function KindInput(props: InputProps) {
  const { kind, label, isRequired, hint, draft, place, problems, onChange } = props;
  const name = isRequired ? `${label} (required)` : label;
  const shared = {
    label: name,
    hint,
    problem: problems[place],
    'data-place': place,
    'aria-required': isRequired || undefined,
  };
  switch (kind.kind) {
    case 'list':
      return <ListInput {...props} kind={kind} />;
    case 'record':
      return (
        <fieldset className={styles.group}>
          <legend>{name}</legend>
          {hint !== undefined && <p className={styles.hint}>{hint}</p>}
          <FieldInputs
            fields={kind.fields}
            drafts={draft as Record<string, Draft>}
            place={place}
            problems={problems}
            onChange={onChange}
          />
        </fieldset>
      );
    case 'boolean':
    case 'choice': {
      const choices =
        kind.kind === 'boolean'
          ? [
              { value: 'true', label: 'yes' },
              { value: 'false', label: 'no' },
            ]
          : kind.choices.map((choice) => ({ value: choiceKey(choice), label: String(choice) }));
      const options = [{ value: '', label: 'not given' }, ...choices];
      return <Select {...shared} options={options} value={draft as string} onChange={onChange} />;
    }
    case 'json':
      return (
        <TextArea
          {...shared}
          className={styles.json}
          rows={2}
          spellCheck={false}
          placeholder="JSON"
          value={draft as string}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case 'number':
      return (
        <TextField
          {...shared}
          inputMode={kind.isWhole ? 'numeric' : 'decimal'}
          value={draft as string}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case 'text': {
      const value = draft as string;
      if (kind.isLong) {
        return (
          <TextArea
            {...shared}
            className={styles.text}
            rows={1}
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
        );
      }
      const type = kind.format === 'date' ? 'date' : 'text';
      return (
        <TextField
          {...shared}
          type={type}
          autoComplete="off"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    }
  }
}

function ListInput(props: InputProps & { kind: Kind & { kind: 'list' } }) {
  const { kind, label, hint, isRequired, draft, place, problems, onChange } = props;
  const items = draft as readonly Draft[];
  const id = useId();
  const problem = problems[place];
  return (
    <fieldset className={styles.group} aria-describedby={problem === undefined ? undefined : id}>
      <legend>{isRequired ? `${label} (required)` : label}</legend>
      {hint !== undefined && <p className={styles.hint}>{hint}</p>}
      {problem !== undefined && (
        <p id={id} className={styles.problem}>
          {problem}
        </p>
      )}
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items have no other name than their place
        <div key={index} className={styles.item}>
          <div className={styles.fields}>
            <KindInput
              label={`${label} ${index + 1}`}
              kind={kind.item}
              isRequired={false}
              draft={item}
              place={`${place}.${index}`}
              problems={problems}
              onChange={(next) => onChange(items.map((one, at) => (at === index ? next : one)))}
            />
          </div>
          <IconButton
            label={`Remove ${label} ${index + 1}`}
            onClick={() => onChange(items.filter((_, at) => at !== index))}
          >
            <Trash2 aria-hidden />
          </IconButton>
        </div>
      ))}
      <Button
        size="small"
        icon={<Plus aria-hidden />}
        disabled={items.length >= kind.most}
        data-place={place}
        onClick={() => onChange([...items, emptyDraft(kind.item)])}
      >
        Add {label}
      </Button>
    </fieldset>
  );
}

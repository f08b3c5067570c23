import { Select, TextArea, TextField } from '../../design/controls/field.tsx';
import { inWords, KINDS } from '../kinds.ts';
import { useProjects } from '../queries.ts';
import type { ItemDraft } from './draft.ts';
import styles from './write.module.css';

interface DraftFieldsProps {
  draft: ItemDraft;
  onChange: (part: Partial<ItemDraft>) => void;
  /** What is wrong with what it says. */
  problem: string | undefined;
}

export function DraftFields({ draft, onChange, problem }: DraftFieldsProps) {
  const projects = useProjects();
  const kinds = (KINDS as readonly string[]).includes(draft.kind) ? KINDS : [draft.kind, ...KINDS];
  const isKnown = draft.project === '' || projects.some(({ id }) => id === draft.project);
  return (
    <>
      <TextField
        label="Title"
        hint="What it is called in lists and packs. Without one, its first words are."
        value={draft.title}
        autoComplete="off"
        onChange={(event) => onChange({ title: event.target.value })}
      />
      <TextArea
        label="What to remember"
        value={draft.content}
        problem={problem}
        rows={8}
        onChange={(event) => onChange({ content: event.target.value })}
      />
      <div className={styles.pair}>
        <Select
          label="Kind"
          options={kinds.map((kind) => ({ value: kind, label: inWords(kind) }))}
          value={draft.kind}
          onChange={(kind) => onChange({ kind })}
        />
        <Select
          label="For"
          options={[
            { value: '', label: 'Only you' },
            ...projects.map(({ id, name }) => ({ value: id, label: `Everybody in ${name}` })),
            ...(isKnown ? [] : [{ value: draft.project, label: `Everybody in ${draft.project}` }]),
          ]}
          value={draft.project}
          onChange={(project) => onChange({ project })}
        />
        <TextField
          label="Tags"
          hint="Separated by commas."
          value={draft.tags}
          autoComplete="off"
          onChange={(event) => onChange({ tags: event.target.value })}
        />
        <TextField
          label="Source"
          hint="Where it is from: a file, an address."
          value={draft.source}
          autoComplete="off"
          onChange={(event) => onChange({ source: event.target.value })}
        />
        <TextField
          label="Valid at"
          hint="The day that it was true on, if it may change."
          type="date"
          value={draft.valid_at}
          onChange={(event) => onChange({ valid_at: event.target.value })}
        />
      </div>
    </>
  );
}

import type { ContextNode } from '@infold/protocol';
import { useState } from 'react';
import { Checkbox, Choices, Select, Switch, TextField } from '../../design/controls/field.tsx';
import type { PodLink } from '../feed/connection.ts';
import type { PodMessage } from '../feed/feed.ts';
import type { PodPolicy } from '../queries.ts';
import { contextIn, type DraftProblems, MAIN, type MessageDraft, NEW, placeOfContext } from './draft.ts';
import styles from './send.module.css';

interface OptionsProps {
  draft: MessageDraft;
  change: (more: Partial<MessageDraft>) => void;
  kinds: readonly string[];
  /** Other kinds than those may be sent, too. */
  isOpen: boolean;
  contexts: ReadonlyMap<string, ContextNode>;
  recent: readonly PodMessage[];
  policy: PodPolicy;
  link: PodLink;
  problems: DraftProblems;
}

const OTHER = '\u0000other';
const MOST_CONTEXTS = 200;
const MOST_NAMES = 12;

/** What kind of message it is, where it goes and to whom. */
export function DraftOptions(props: OptionsProps) {
  const { draft, change, kinds, isOpen, policy, problems } = props;
  const [isOther, setOther] = useState(!kinds.includes(draft.kind));
  const options = kinds.map((kind) => ({ value: kind, label: kind }));
  const types = Object.keys(policy.templates);
  // A kind that was chosen elsewhere may not be sent here.
  const isForeign = !isOther && !kinds.includes(draft.kind);
  return (
    <div className={styles.options}>
      <Select
        label="Kind"
        value={isOther && isOpen ? OTHER : draft.kind}
        options={[
          ...(isForeign
            ? [{ value: draft.kind, label: `${draft.kind} (not here)` }]
            : options.length === 0
              ? [{ value: '', label: 'None' }]
              : []),
          ...options,
          ...(isOpen ? [{ value: OTHER, label: 'Another kind…' }] : []),
        ]}
        problem={isOther && isOpen ? undefined : problems.kind}
        onChange={(kind) => {
          setOther(kind === OTHER);
          change({ kind: kind === OTHER ? '' : kind });
        }}
      />
      {isOther && isOpen && (
        <TextField
          label="Name of the kind"
          value={draft.kind}
          spellCheck={false}
          problem={problems.kind}
          onChange={(event) => change({ kind: event.target.value.trim() })}
        />
      )}
      <ContextChoice {...props} />
      {draft.place === NEW && (
        <>
          <TextField
            label="Type of the new context"
            value={draft.newType}
            hint={types.length > 0 ? `Templates: ${types.join(', ')}` : undefined}
            onChange={(event) => change({ newType: event.target.value.trim() })}
          />
          <Select
            label="Nested in"
            value={draft.newParent}
            options={[{ value: '', label: 'Nothing' }, ...contextOptions(props, draft.newParent)]}
            onChange={(newParent) => change({ newParent })}
          />
        </>
      )}
      <TextField
        label="About"
        value={draft.correlation}
        spellCheck={false}
        problem={problems.correlation}
        placeholder="Id of a message or context"
        onChange={(event) => change({ correlation: event.target.value.trim() })}
      />
      <Switch
        label="Payload as JSON"
        isOn={draft.isJson}
        onChange={(isJson) => change({ isJson, text: convert(draft, isJson) })}
      />
      <To {...props} />
    </div>
  );
}

/** What was written is kept in the other form, where it has one. */
function convert({ text }: MessageDraft, isJson: boolean): string {
  if (isJson) return text === '' ? '' : JSON.stringify({ text }, null, 2);
  try {
    const { text: said } = JSON.parse(text) as { text?: unknown };
    return typeof said === 'string' ? said : text;
  } catch {
    return text;
  }
}

function contextOptions({ contexts }: Pick<OptionsProps, 'contexts'>, chosen: string | undefined) {
  const newest = [...contexts.values()]
    .filter(({ state, id }) => state === 'live' || id === chosen)
    .sort((one, other) => other.last_at.localeCompare(one.last_at))
    .slice(0, MOST_CONTEXTS);
  return newest.map(({ id, type }) => ({ value: id, label: type === null ? id : `${type} · ${id}` }));
}

function ContextChoice(props: OptionsProps) {
  const { draft, change, contexts } = props;
  const chosen = contextIn(draft.place);
  const known = contextOptions(props, chosen).map(({ value, label }) => ({
    value: placeOfContext(value),
    label,
  }));
  if (chosen !== undefined && !contexts.has(chosen)) known.unshift({ value: draft.place, label: chosen });
  return (
    <Select
      label="Context"
      value={draft.place}
      options={[{ value: MAIN, label: 'Main context' }, { value: NEW, label: 'A new context' }, ...known]}
      onChange={(place) => change({ place })}
    />
  );
}

/** None of them: everyone. */
function To({ draft, change, recent, link }: OptionsProps) {
  const present = link.present.map(({ id }) => id);
  const heard = recent.map(({ envelope }) => envelope.from).reverse();
  const names = [...new Set([...draft.to, ...present, ...heard])].filter((name) => name !== link.me?.id);
  if (names.length === 0) return null;
  return (
    <Choices label="To" hint="Everyone receives it, unless they listen to their own alone">
      <div className={styles.names}>
        {names.slice(0, MOST_NAMES).map((name) => (
          <Checkbox
            key={name}
            label={<bdi>{name}</bdi>}
            isChecked={draft.to.includes(name)}
            onChange={(isChecked) =>
              change({ to: isChecked ? [...draft.to, name] : draft.to.filter((one) => one !== name) })
            }
          />
        ))}
      </div>
    </Choices>
  );
}

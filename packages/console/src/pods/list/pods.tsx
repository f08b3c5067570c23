import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { classes } from '../../design/classes.ts';
import { Button } from '../../design/controls/button.tsx';
import { Select, TextField } from '../../design/controls/field.tsx';
import { moveFocus } from '../../design/controls/roving.ts';
import { Time } from '../../design/data/figures.tsx';
import { compact, plural } from '../../design/data/format.ts';
import choices from '../../design/layout/choices.module.css';
import type { PodView } from '../queries.ts';
import styles from './pods.module.css';

interface PodsProps {
  pods: readonly PodView[];
  names: ReadonlyMap<string, string>;
  chosen: string | undefined;
}

/** What a pod is called: a project's by the project. */
export const nameOfPod = (pod: string, names: ReadonlyMap<string, string>): string => names.get(pod) ?? pod;

/** All pods, the last used first, and a way to one that nobody has used yet. */
export function PodList({ pods, names, chosen }: PodsProps) {
  const [wanted, setWanted] = useState('');
  const words = wanted.toLowerCase().split(/\s+/);
  const shown = pods.filter(({ name }) => {
    const text = `${nameOfPod(name, names)} ${name}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return (
    <nav aria-label="Pods" className={choices.list}>
      <TextField
        label="Find a pod"
        type="search"
        placeholder="Name or project"
        value={wanted}
        onChange={(event) => setWanted(event.target.value)}
      />
      <ul className={choices.choices} onKeyDown={moveFocus}>
        {shown.map((pod) => (
          <li key={pod.name}>
            <Entry pod={pod} name={nameOfPod(pod.name, names)} isChosen={pod.name === chosen} />
          </li>
        ))}
      </ul>
      {shown.length === 0 && <p className={choices.nothing}>No pod matches.</p>}
      <NewPod />
    </nav>
  );
}

function Entry({ pod, name, isChosen }: { pod: PodView; name: string; isChosen: boolean }) {
  return (
    <Link
      to="/pods/$pod"
      params={{ pod: pod.name }}
      aria-current={isChosen ? 'page' : undefined}
      className={classes(choices.choice, isChosen && choices.chosen)}
    >
      <span className={choices.line}>
        <bdi className={choices.name} title={pod.name}>
          {name}
        </bdi>
        <span className={choices.soft}>
          <Time at={pod.last_at} />
        </span>
      </span>
      <span className={choices.line}>
        <span
          className={choices.soft}
        >{`${compact(pod.seq)} ${pod.seq === 1 ? 'message' : 'messages'}`}</span>
        {pod.participants > 0 && (
          <span className={choices.soft}>{plural(pod.participants, 'present', 'present')}</span>
        )}
      </span>
    </Link>
  );
}

const POD_NAME = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

/** A pod begins when somebody joins it. */
export function NewPod() {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (POD_NAME.test(name)) void navigate({ to: '/pods/$pod', params: { pod: name } });
    else setProblem('1 to 128 letters, digits, “.”, “_”, “:” or “-”');
  };
  return (
    <form className={styles.fresh} onSubmit={submit}>
      <TextField
        label="Join a pod by name"
        value={name}
        problem={problem}
        spellCheck={false}
        onChange={(event) => {
          setName(event.target.value);
          setProblem(undefined);
        }}
      />
      <Button type="submit">Join</Button>
    </form>
  );
}

interface PickerProps extends PodsProps {
  label: string;
  onChoose: (pod: string) => void;
}

/** Where there is no room for a list. */
export function PodPicker({ pods, names, chosen, label, onChoose }: PickerProps) {
  const options = pods.map(({ name, seq }) => ({
    value: name,
    label: `${nameOfPod(name, names)} · ${plural(seq, 'message')}`,
  }));
  if (chosen === undefined) options.unshift({ value: '', label: 'Choose a pod' });
  else if (!pods.some(({ name }) => name === chosen))
    options.unshift({ value: chosen, label: nameOfPod(chosen, names) });
  return <Select label={label} options={options} value={chosen ?? ''} onChange={onChoose} />;
}

import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { Button } from '../../design/controls/button.tsx';
import { Choice } from '../../design/controls/choice.tsx';
import { Select, TextArea, TextField } from '../../design/controls/field.tsx';
import { Panel } from '../../design/layout/panel.tsx';
import { useAddress, useChangeAddress } from '../address.ts';
import { ProjectChoice } from '../filters.tsx';
import { INTENTS, inWords, LAYERS } from '../kinds.ts';
import styles from './form.module.css';

const ABOUT_LAYERS: Readonly<Record<string, string>> = {
  wake: 'The little that an agent should know when it begins.',
  recall: 'Working context, the usual.',
  deep_search: 'Wider: more passages, and relations two steps away.',
};

/** What a pack is compiled for. Choices take effect at once, words when they are sent. */
export function PackForm({ isBusy }: { isBusy: boolean }) {
  const address = useAddress();
  const change = useChangeAddress();
  const [goal, setGoal] = useState(address.goal ?? '');
  const [limit, setLimit] = useState(address.limit?.toString() ?? '');
  const [budget, setBudget] = useState(address.budget?.toString() ?? '');
  const [problem, setProblem] = useState<string>();
  const intent = address.intent ?? 'build';
  const layer = address.layer ?? 'recall';
  const send = () => {
    setProblem(goal.trim() === '' ? 'Say what the agent is to accomplish.' : undefined);
    if (goal.trim() === '') return;
    change({ goal, limit: figure(limit), budget: figure(budget) });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <Panel title="Goal">
      <form className={styles.form} onSubmit={submit} noValidate>
        <TextArea
          label="What is to be accomplished"
          placeholder="Add refresh-token rotation to the auth service"
          rows={3}
          value={goal}
          problem={problem}
          onKeyDown={onKey}
          onChange={(event) => setGoal(event.target.value)}
        />
        <Select
          label="Intent"
          hint="Decides which kinds of items come first."
          options={INTENTS.map((value) => ({ value, label: value }))}
          value={intent}
          onChange={(next) => change({ intent: next === 'build' ? undefined : next })}
        />
        <div className={styles.layer}>
          <span className={styles.label}>Layer</span>
          <Choice
            label="Layer"
            options={LAYERS.map((value) => ({ value, label: inWords(value) }))}
            value={layer as (typeof LAYERS)[number]}
            onChange={(next) => change({ layer: next === 'recall' ? undefined : next })}
          />
          <p className={styles.hint}>{ABOUT_LAYERS[layer]}</p>
        </div>
        <ProjectChoice />
        <div className={styles.pair}>
          <TextField
            label="At most, items"
            placeholder="24"
            inputMode="numeric"
            value={limit}
            onChange={(event) => setLimit(event.target.value)}
          />
          <TextField
            label="At most, tokens"
            placeholder="By layer"
            inputMode="numeric"
            value={budget}
            onChange={(event) => setBudget(event.target.value)}
          />
        </div>
        <Button look="main" type="submit" isBusy={isBusy}>
          Compile the pack
        </Button>
      </form>
    </Panel>
  );
}

function figure(text: string): number | undefined {
  const value = Number(text.replaceAll(/[\s,]/g, ''));
  return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

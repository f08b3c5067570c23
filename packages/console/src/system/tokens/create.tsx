import type { Scope } from '@infold/protocol';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { type FormEvent, useId, useRef, useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import { Button } from '../../design/controls/button.tsx';
import { Dialog } from '../../design/controls/dialog.tsx';
import { Checkbox, Choices, Select, Switch, TextField } from '../../design/controls/field.tsx';
import { Problem } from '../../design/layout/placeholders.tsx';
import type { Project } from '../queries.ts';
import styles from './dialogs.module.css';
import { blankForm, type FormProblems, LIFETIMES, readForm, SCOPES } from './form.ts';
import { setFresh } from './fresh.ts';

interface CreateTokenProps {
  /** Nobody needs a token yet, and everybody will. */
  isFirst: boolean;
  projects: readonly Project[];
  onClose: () => void;
}

export function CreateToken({ isFirst, projects, onClose }: CreateTokenProps) {
  const { session, may, signIn } = useAccount();
  const client = useQueryClient();
  const id = useId();
  const nameField = useRef<HTMLInputElement>(null);
  const scopes = Object.keys(SCOPES) as Scope[];
  const [form, setForm] = useState(() => blankForm(isFirst, scopes.filter(may)));
  const [keep, setKeep] = useState(true);
  const [problems, setProblems] = useState<FormProblems>({});
  const change = (part: Partial<typeof form>) => setForm((before) => ({ ...before, ...part }));
  const creation = useMutation({
    mutationFn: async (given: Parameters<typeof session.api.createToken>[0]) => {
      const { name, token } = await session.api.createToken(given);
      // Held before anything else: from now on requests without it are refused, and this page may be made anew at any moment.
      setFresh({ name, secret: token, isFirst });
      // The token is made, whether or not that works: its own dialog says so.
      if (isFirst) await signIn(token, keep).catch(() => {});
      else await client.invalidateQueries({ queryKey: ['system', 'tokens'] });
    },
    onSuccess: onClose,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = readForm(form);
    setProblems('problems' in read ? read.problems : {});
    if ('given' in read) creation.mutate(read.given);
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      focusFirst={nameField}
      title={isFirst ? 'The first token' : 'New token'}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="main" type="submit" form={id} isBusy={creation.isPending}>
            {isFirst ? 'Make it and sign in' : 'Make the token'}
          </Button>
        </>
      }
    >
      <form id={id} className={styles.form} onSubmit={submit} noValidate>
        {isFirst && <FirstWarning />}
        {creation.error && <Problem what="The token was not made" error={creation.error} />}
        <TextField
          label="Name"
          hint="Who will use it. Calls are recorded under this name."
          value={form.name}
          ref={nameField}
          autoComplete="off"
          spellCheck={false}
          problem={problems.name}
          onChange={(event) => change({ name: event.target.value })}
        />
        <Choices
          label="Scopes"
          problem={problems.scopes}
          {...(isFirst &&
            !form.scopes.includes('admin') && {
              hint: 'Without “admin”, nobody can make another token on this page; “npx infold token create” still can.',
            })}
        >
          {scopes.map((scope) => (
            <Checkbox
              key={scope}
              label={scope}
              hint={may(scope) ? SCOPES[scope] : `${SCOPES[scope]}. Your own token does not allow this.`}
              disabled={!may(scope)}
              isChecked={form.scopes.includes(scope)}
              onChange={(isChecked) =>
                change({
                  scopes: scopes.filter((one) => (one === scope ? isChecked : form.scopes.includes(one))),
                })
              }
            />
          ))}
        </Choices>
        <ProjectChoice
          projects={projects}
          chosen={form.projects}
          onChange={(chosen) => change({ projects: chosen })}
        />
        <TextField
          label="May send in pods"
          hint="Kinds of messages, separated by commas. Leave empty for everything you may send."
          value={form.capabilities}
          autoComplete="off"
          spellCheck={false}
          problem={problems.capabilities}
          onChange={(event) => change({ capabilities: event.target.value })}
        />
        <Select
          label="Ends after"
          options={LIFETIMES}
          value={form.expires}
          onChange={(expires) => change({ expires })}
        />
        {isFirst && (
          <Switch
            label="Stay signed in on this browser"
            hint="Keeps the token in a cookie that no script can read. Otherwise a reload asks for it again."
            isOn={keep}
            onChange={setKeep}
          />
        )}
      </form>
    </Dialog>
  );
}

function FirstWarning() {
  return (
    <div className={styles.warning}>
      <TriangleAlert aria-hidden />
      <div>
        <p>
          <strong>From then on everybody needs a token</strong>, including hosts that are connected now, and
          even after every token has been revoked. You are signed in with this one right away. Hosts send
          theirs as <code>Authorization: Bearer …</code>; Connections shows how.
        </p>
        <p>
          <strong>What was done so far belongs to the owner of this machine.</strong> Sessions and
          conversations can be seen only by whoever made them, so with the new token this page no longer shows
          the ones you have now. <code>npx infold sessions</code> on this machine still does.
        </p>
      </div>
    </div>
  );
}

interface ProjectChoiceProps {
  projects: readonly Project[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}

function ProjectChoice({ projects, chosen, onChange }: ProjectChoiceProps) {
  if (projects.length === 0) return null;
  const ids = projects.map(({ id }) => id);
  return (
    <Choices label="Projects" hint="Choose none to allow every project you can use, including future ones.">
      <div className={styles.projects}>
        {projects.map(({ id, name }) => (
          <Checkbox
            key={id}
            label={name}
            isChecked={chosen.includes(id)}
            onChange={(isChecked) =>
              onChange(ids.filter((one) => (one === id ? isChecked : chosen.includes(one))))
            }
          />
        ))}
      </div>
    </Choices>
  );
}

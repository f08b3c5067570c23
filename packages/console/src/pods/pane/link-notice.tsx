import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import { Button } from '../../design/controls/button.tsx';
import { TextField } from '../../design/controls/field.tsx';
import type { PodLink } from '../feed/connection.ts';
import styles from './pane.module.css';

/** Why one watches and does not take part, and what to do about it. */
export function LinkNotice({ link, as }: { link: PodLink; as: string | undefined }) {
  const { isOwner } = useAccount();
  if (link.state !== 'taken' && link.state !== 'ended') return null;
  return (
    <div role="status" className={styles.notice}>
      {link.state === 'taken' ? (
        <p>
          <bdi>{link.name}</bdi> takes part already, in another program or page. You see what is said. Joining
          here ends that connection.
        </p>
      ) : (
        <p>You no longer take part{link.reason && <>: {link.reason}</>}. You still see what is stored.</p>
      )}
      <div className={styles.actions}>
        <Button size="small" onClick={link.insist}>
          {link.state === 'taken' ? 'Join here instead' : 'Join again'}
        </Button>
      </div>
      {isOwner && link.state === 'taken' && <NameForm key={as} name={as ?? ''} />}
    </div>
  );
}

/** The owner of the machine may take part under any name. */
function NameForm({ name }: { name: string }) {
  const navigate = useNavigate();
  const [wanted, setWanted] = useState(name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const as = wanted.trim() === '' ? undefined : wanted.trim();
    void navigate({ to: '.', search: (before) => ({ ...before, as }) });
  };
  return (
    <form className={styles.naming} onSubmit={submit}>
      <TextField
        label="Or take part as"
        maxLength={128}
        value={wanted}
        onChange={(event) => setWanted(event.target.value)}
      />
      <Button type="submit">Join</Button>
    </form>
  );
}

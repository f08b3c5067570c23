import { ApiError } from '@infold/client/api';
import { type FormEvent, useState } from 'react';
import { useAccount } from '../api/account.tsx';
import { Button } from '../design/controls/button.tsx';
import { Switch, TextField } from '../design/controls/field.tsx';
import { useTitle } from '../design/hooks/use-title.ts';
import { Mark } from './logo.tsx';
import styles from './sign-in.module.css';

export default function SignIn() {
  useTitle('Sign in');
  const { signIn } = useAccount();
  const [token, setToken] = useState('');
  const [keep, setKeep] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (token.trim() === '') {
      setProblem('Paste a token: it begins with inf_');
      return;
    }
    setBusy(true);
    setProblem(undefined);
    try {
      await signIn(token.trim(), keep);
    } catch (error) {
      setProblem(
        error instanceof ApiError ? error.message : 'The server is not answering. Is “infold serve” running?',
      );
    } finally {
      setBusy(false);
    }
  };
  return (
    <main className={styles.page}>
      <form className={styles.form} onSubmit={(event) => void submit(event)}>
        <div className={styles.brand}>
          <Mark />
          <h1>Sign in to Infold</h1>
        </div>
        <TextField
          label="Token"
          type="password"
          autoComplete="current-password"
          autoFocus
          spellCheck={false}
          value={token}
          onChange={(event) => setToken(event.target.value)}
          problem={problem}
          hint={
            <>
              Ask whoever runs this server, or make one there with{' '}
              <code>npx infold token create --name NAME</code>. It decides what you see here.
            </>
          }
        />
        <Switch
          label="Stay signed in"
          hint="In a cookie of this browser that no script can read. Without it, the token is forgotten when the page is closed or reloaded."
          isOn={keep}
          onChange={setKeep}
        />
        <Button look="main" type="submit" isBusy={isBusy}>
          Sign in
        </Button>
      </form>
    </main>
  );
}

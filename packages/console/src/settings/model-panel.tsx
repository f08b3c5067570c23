import { useQuery } from '@tanstack/react-query';
import { useAccount } from '../api/account.tsx';
import { Select, TextField } from '../design/field.tsx';
import { Panel } from '../design/panel.tsx';
import { type ChatDialect, isChatDialect, useChatModel } from './model.ts';
import styles from './view.module.css';

/** Whom the Conversation view talks to. */
export function ModelPanel() {
  const { may } = useAccount();
  const [{ upstream, name, key }, change] = useChatModel();
  const upstreams = useUpstreams();
  if (!may('write')) {
    return (
      <Panel title="Model" className={styles.panel}>
        <p className={styles.about}>To ask a model through this server, a token needs the scope to write.</p>
      </Panel>
    );
  }
  return (
    <Panel title="Model" className={styles.panel}>
      <div className={styles.settings}>
        <p className={styles.about}>
          With a model the Conversation view is a chat. Requests go through this server’s window door. All of
          this is forgotten when the page is reloaded.
        </p>
        <Select
          label="Provider"
          hint="As the server knows it: its configuration names further ones under window.upstreams."
          options={[
            { value: '', label: 'None' },
            ...upstreams.map(({ upstream: value }) => ({ value, label: value })),
          ]}
          value={upstream}
          onChange={(value) => {
            const chosen = upstreams.find((one) => one.upstream === value);
            change({ upstream: value, ...(chosen && { dialect: chosen.dialect }) });
          }}
        />
        <TextField
          label="Model"
          hint="The provider’s name for it."
          value={name}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => change({ name: event.target.value })}
        />
        <TextField
          label="API key"
          hint="The provider’s. Kept in the memory of this page alone, and sent with each request."
          type="password"
          autoComplete="off"
          spellCheck={false}
          value={key}
          onChange={(event) => change({ key: event.target.value })}
        />
      </div>
    </Panel>
  );
}

interface Upstream {
  upstream: string;
  dialect: ChatDialect;
}

/** The providers that the server passes requests on to, as far as a chat with them is possible here. */
function useUpstreams(): readonly Upstream[] {
  const { session } = useAccount();
  const { data } = useQuery({
    queryKey: ['upstreams', session.token],
    queryFn: async ({ signal }) => {
      const response = await session.fetch('/', { headers: { Accept: 'application/json' }, signal });
      const { models = [] } = (await response.json()) as { models?: { upstream: string; dialect: string }[] };
      return models.filter((model): model is Upstream => isChatDialect(model.dialect));
    },
  });
  return data ?? [];
}

import { useQuery } from '@tanstack/react-query';
import { useAccount } from '../api/account.tsx';
import { Select, TextField } from '../design/controls/field.tsx';
import { Panel } from '../design/layout/panel.tsx';
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
        <p className={styles.about}>
          To use a model through this server, your token needs the scope “write”.
        </p>
      </Panel>
    );
  }
  return (
    <Panel title="Model" className={styles.panel}>
      <div className={styles.settings}>
        <p className={styles.about}>
          With a model, the Conversation view becomes a chat. Requests go through this server’s window door.
          Everything entered here is forgotten when the page is reloaded.
        </p>
        <Select
          label="Provider"
          hint="Providers this server knows. Add more under window.upstreams in its configuration."
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
          hint="The provider’s name for the model."
          value={name}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => change({ name: event.target.value })}
        />
        <TextField
          label="API key"
          hint="Your key for the provider. Kept only in this page’s memory, and sent with each request."
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

import { useQuery } from '@tanstack/react-query';
import { useAccount } from '../api/account.tsx';
import { Select, TextField } from '../design/field.tsx';
import { Panel } from '../design/panel.tsx';
import { type ChatDialect, useChatModel } from './model.ts';
import styles from './view.module.css';

const DIALECTS = [
  { value: 'anthropic', label: 'Anthropic Messages' },
  { value: 'openai', label: 'OpenAI Chat Completions' },
];

/** Whom the Conversation view talks to. */
export function ModelPanel() {
  const { session, may } = useAccount();
  const [{ upstream, dialect, name, key }, change] = useChatModel();
  const { data: upstreams = [] } = useQuery({
    queryKey: ['upstreams', session.token],
    queryFn: async ({ signal }) => {
      const response = await session.fetch('/', { headers: { Accept: 'application/json' }, signal });
      const { models = [] } = (await response.json()) as { models?: { upstream: string }[] };
      return models.map((model) => model.upstream);
    },
  });
  return (
    <Panel title="Model" className={styles.panel}>
      {may('write') ? (
        <div className={styles.settings}>
          <p className={styles.about}>
            With a model the Conversation view is a chat. Requests go through this server’s window door. All
            of this is forgotten when the page is reloaded.
          </p>
          <Select
            label="Provider"
            hint="As the server knows it: its configuration names further ones under window.upstreams."
            options={[{ value: '', label: 'None' }, ...upstreams.map((value) => ({ value, label: value }))]}
            value={upstream}
            onChange={(value) =>
              change({
                upstream: value,
                dialect: value.includes('anthropic') ? 'anthropic' : 'openai',
              })
            }
          />
          <Select
            label="API"
            options={DIALECTS}
            value={dialect}
            onChange={(value) => change({ dialect: value as ChatDialect })}
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
      ) : (
        <p className={styles.about}>To ask a model through this server, a token needs the scope to write.</p>
      )}
    </Panel>
  );
}

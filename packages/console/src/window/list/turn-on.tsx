import { useQuery } from '@tanstack/react-query';
import { useAccount } from '../../api/account.tsx';
import { baseUrls, type Model } from '../../api/base-urls.ts';
import { CodeBlock } from '../../design/data/code.tsx';
import { Skeleton } from '../../design/layout/placeholders.tsx';
import styles from './turn-on.module.css';

/** How a host’s requests come to go through the window. */
export default function TurnOn() {
  const { session } = useAccount();
  const { data: models } = useQuery({
    queryKey: ['window', 'models'],
    queryFn: async ({ signal }): Promise<Model[]> => {
      const response = await session.fetch('/', { headers: { Accept: 'application/json' }, signal });
      const { models: told } = (await response.json()) as { models?: Model[] };
      return told ?? [];
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <div className={styles.ways}>
      <section>
        <h3>For one run, with a receipt at its end</h3>
        <CodeBlock text="npx infold run claude-code" label="Command for one run" />
        <p className={styles.note}>
          Or <code>codex</code>, <code>gemini</code>, <code>qwen</code>, <code>opencode</code>; any other
          command after <code>--</code>.
        </p>
      </section>
      <section>
        <h3>For every run, by the base URL</h3>
        {models ? (
          baseUrls(models).map((line) => <CodeBlock key={line} text={line} label="Base URL" />)
        ) : (
          <Skeleton lines={3} height="2rem" />
        )}
        <p className={styles.note}>
          Keys and logins stay with the host and pass through. Connect Infold’s tools as well, so that a model
          can fold, and ask for what left.
        </p>
      </section>
    </div>
  );
}

import { CodeBlock } from '../../design/code.tsx';
import { Panel } from '../../design/panel.tsx';
import type { Home } from '../queries.ts';
import styles from './models.module.css';

/** Where hosts ask their models, so that the window door stands between. */
export function Models({ models }: { models: NonNullable<Home['models']> }) {
  return (
    <Panel title="Put a model behind the window">
      <div className={styles.models}>
        <div>
          <p className={styles.about}>For one run, without changing any settings:</p>
          <CodeBlock label="Run a host behind the window" text="infold run claude-code" />
        </div>
        {models.map(({ upstream, address }) => (
          <div key={upstream}>
            <p className={styles.about}>
              As the base address of <strong>{upstream}</strong>:
            </p>
            <CodeBlock label={`The address for ${upstream}`} text={address} />
          </div>
        ))}
      </div>
    </Panel>
  );
}

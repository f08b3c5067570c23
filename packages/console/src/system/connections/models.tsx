import { baseUrlOf } from '../../api/base-urls.ts';
import { CodeBlock } from '../../design/data/code.tsx';
import { Panel } from '../../design/layout/panel.tsx';
import type { Home } from '../queries.ts';
import styles from './models.module.css';

/** Where hosts ask their models, so that the window door stands between. */
export function Models({ models }: { models: NonNullable<Home['models']> }) {
  return (
    <Panel title="Put a model behind the window">
      <div className={styles.models}>
        <div>
          <p className={styles.about}>For a single run, without changing any settings:</p>
          <CodeBlock label="Run a host behind the window" text="npx infold run claude-code" />
        </div>
        {models.map((model) => (
          <div key={model.upstream}>
            <p className={styles.about}>
              The base URL for <strong>{model.upstream}</strong>:
            </p>
            <CodeBlock label={`The address for ${model.upstream}`} text={baseUrlOf(model)} />
          </div>
        ))}
      </div>
    </Panel>
  );
}

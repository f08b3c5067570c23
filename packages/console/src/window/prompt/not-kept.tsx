import { MemoryStick } from 'lucide-react';
import { Panel } from '../../design/layout/panel.tsx';
import styles from './not-kept.module.css';

/** Instead of blocks, where the server has none any more. */
export default function NotKept({ turn }: { turn: number }) {
  return (
    <Panel title="The prompt now">
      <div className={styles.notKept}>
        <MemoryStick aria-hidden />
        <div>
          <p className={styles.title}>The blocks of the last prompt are no longer kept.</p>
          <p>
            Prompts are kept in memory alone and never written down, so a restart, or newer conversations,
            push them out. What turn {turn} was made of is shown above, and what left is listed below. The
            blocks are back with the next request.
          </p>
        </div>
      </div>
    </Panel>
  );
}

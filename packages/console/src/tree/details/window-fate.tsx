import { Link } from '@tanstack/react-router';
import { count } from '../../design/data/format.ts';
import { useBlockOf } from '../queries.ts';
import styles from './panel.module.css';

/** Where a call's result went in what its model was sent last, for hosts that ask through the window door. */
export function WindowFate({ conversation, call }: { conversation: string; call: string }) {
  const block = useBlockOf(conversation, call);
  if (!block) return null;
  const { tokens, rule, handle, index } = block;
  return (
    <section className={styles.part}>
      <h3>In the model’s window</h3>
      <p className={styles.soft}>
        {rule === null
          ? `Its result is in the last prompt: ${count(tokens.sent)} tokens.`
          : `Its result left by the rule “${rule}”: ${count(tokens.asked)} tokens before, ${count(tokens.sent)} now.`}{' '}
        <Link
          to="/window/$conversation"
          params={{ conversation }}
          search={handle === null ? { block: index } : { handle }}
        >
          See it there
        </Link>
      </p>
    </section>
  );
}

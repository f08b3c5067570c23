import type { WindowReceipt } from '@infold/protocol';
import type { ReactNode } from 'react';
import { Dialog } from '../../design/controls/dialog.tsx';
import { CopyButton } from '../../design/data/code.tsx';
import { Estimate } from '../../design/data/figures.tsx';
import { count, fullTime, plural } from '../../design/data/format.ts';
import { Loading, Problem } from '../../design/layout/placeholders.tsx';
import { useReceipt } from '../queries.ts';
import styles from './receipt.module.css';
import { linesOf } from './receipt-lines.ts';

/** What a conversation cost, line by line, with what covers it. */
export default function ReceiptSheet({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error, refetch } = useReceipt(id);
  return (
    <Dialog isOpen onClose={onClose} title="Receipt" isSheet>
      {error && !data ? (
        <Problem what="The receipt could not be read" error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <Receipt receipt={data} />
      ) : (
        <Loading what="the receipt" />
      )}
    </Dialog>
  );
}

function Receipt({ receipt }: { receipt: WindowReceipt }) {
  const { conversation } = receipt;
  return (
    <div className={styles.receipt}>
      <header className={styles.header}>
        <p className={styles.whose}>
          {[conversation.host, conversation.model ?? conversation.dialect].filter(Boolean).join(', ')}
          <span className={styles.id}>{conversation.id}</span>
        </p>
        <CopyButton text={JSON.stringify(receipt, null, 2)} label="Copy as JSON" />
      </header>
      <table className={styles.lines}>
        <caption className={styles.caption}>Lines of the receipt</caption>
        <tbody>
          {linesOf(receipt).map(({ name, value, note, isEstimate, isPart, isSum }) => (
            <tr key={name} className={isSum ? styles.sum : undefined}>
              <th scope="row" className={isPart ? styles.part : undefined}>
                {name}
                {note && <span className={styles.note}>{note}</span>}
              </th>
              <td>{isEstimate ? <Estimate>{value}</Estimate> : value}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {receipt.requests.with_usage === 0 && (
        <p className={styles.words}>No answer reported its usage, so nothing is claimed.</p>
      )}
      <Cover receipt={receipt} />
      <p className={styles.words}>
        ≈ is an estimate by Infold; the rest is what the provider reported. What left is counted in Infold’s
        tokens, prompts in the provider’s: the sums need not add up.
      </p>
    </div>
  );
}

function Cover({
  receipt: { entries, checkpoint, entries_to_go, conversation },
}: {
  receipt: WindowReceipt;
}) {
  const line = (name: string, value: ReactNode) => (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
  return (
    <dl className={styles.cover}>
      {line('Journal', `entries ${count(entries.first)} to ${count(entries.last)}`)}
      {line(
        'Checkpoint',
        checkpoint
          ? `${count(checkpoint.number)}, at entry ${count(checkpoint.seq)}`
          : `none yet: ${plural(entries_to_go ?? 0, 'entry', 'entries')} to go`,
      )}
      {checkpoint && line('Root', <code>{checkpoint.root}</code>)}
      {checkpoint && line('Signed by', <code>{checkpoint.key}</code>)}
      {line('First used', fullTime(Date.parse(conversation.opened_at)))}
      {line('Check it', <code>npx infold verify</code>)}
    </dl>
  );
}

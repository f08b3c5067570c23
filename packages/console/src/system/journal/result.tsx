import { CircleAlert, CircleCheck, CircleHelp } from 'lucide-react';
import type { Report, Verification } from '../queries.ts';
import styles from './result.module.css';
import { verdictOf } from './words.ts';

export function Result({ verification: { state, report, problem } }: { verification: Verification }) {
  if (report) return <Found report={report} />;
  const isFailed = state === 'failed';
  return (
    <div role="status" className={styles.result}>
      <CircleHelp aria-hidden className={styles.unknown} />
      <div>
        <p className={styles.title}>
          {isFailed ? 'The verification ended without a result' : 'Not verified since the server started'}
        </p>
        <p className={styles.text}>
          {isFailed
            ? `${problem ?? 'The reason is unknown'}. Try again, or run “npx infold verify” in a shell.`
            : 'A verification reads the whole journal. The server keeps working as usual meanwhile.'}
        </p>
      </div>
    </div>
  );
}

function Found({ report }: { report: Report }) {
  const { title, text, first, advice } = verdictOf(report);
  return (
    <div role={report.ok ? 'status' : 'alert'} className={styles.result}>
      {report.ok ? (
        <CircleCheck aria-hidden className={styles.good} />
      ) : (
        <CircleAlert aria-hidden className={styles.bad} />
      )}
      <div>
        <p className={styles.title}>{title}</p>
        <p className={styles.text}>{text}</p>
        {first.length > 0 && (
          <dl className={styles.first}>
            {first.map(({ name, value }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        )}
        {advice !== undefined && <p className={styles.text}>{advice}</p>}
      </div>
    </div>
  );
}

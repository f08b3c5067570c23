import { useAccount } from '../../api/account.tsx';
import { classes } from '../../design/classes.ts';
import { moveFocus } from '../../design/controls/roving.ts';
import { Time } from '../../design/data/figures.tsx';
import { Contradicted, ItemName, Kind, Line, Passage } from '../parts.tsx';
import type { Found } from '../queries.ts';
import { around, marked } from './marked.ts';
import { Pick } from './picked.tsx';
import styles from './results.module.css';

const SHOWN = 320;

interface ResultsProps {
  found: readonly Found[];
  q: string;
  /** What they were found for has changed since. */
  isOld: boolean;
}

export function Results({ found, q, isOld }: ResultsProps) {
  const { may } = useAccount();
  return (
    <ul className={classes(styles.results, isOld && styles.old)} aria-label="Results" onKeyDown={moveFocus}>
      {found.map((one) => (
        <li key={`${one.project_id} ${one.id}`} className={styles.result}>
          {may('write') && <Pick id={one.id} name={one.title ?? one.text} />}
          <div className={styles.words}>
            <ItemName item={one}>{one.title ?? firstWords(one.text)}</ItemName>
            <Passage>
              <Marked text={around(one.text, q, SHOWN)} q={q} />
            </Passage>
            <Line>
              <Kind kind={one.kind} />
              {one.contradicted_by.length > 0 && <Contradicted />}
              {one.author !== null && <bdi>{one.author}</bdi>}
              {one.project !== null && <bdi>{one.project}</bdi>}
              <Time at={one.at} />
              <span className={styles.reason}>
                <bdi>{one.reason}</bdi>
              </span>
            </Line>
          </div>
        </li>
      ))}
    </ul>
  );
}

function firstWords(text: string): string {
  const line = text.trim().split('\n')[0]!;
  return line.length <= 90 ? line : `${line.slice(0, 89)}…`;
}

function Marked({ text, q }: { text: string; q: string }) {
  let at = 0;
  return marked(text, q).map(({ text: part, isSought }) => {
    const key = at;
    at += part.length;
    return isSought ? <mark key={key}>{part}</mark> : <span key={key}>{part}</span>;
  });
}

import { Link } from '@tanstack/react-router';
import { useCorrelation } from '../queries.ts';
import styles from './details.module.css';

/** Leads to a context of the same pod. */
export function ContextLink({ id, isBeside }: { id: string; isBeside: boolean }) {
  return (
    <Link
      to="."
      search={(before) => ({ ...before, [isBeside ? 'besideNode' : 'node']: `c:${id}` })}
      className={styles.code}
    >
      <bdi>{id}</bdi>
    </Link>
  );
}

/** Leads to the context that an id names, in whichever pod it is; a message has no place that is known by its id. */
export function Correlation({ id, pod }: { id: string; pod: string }) {
  const { data } = useCorrelation(id);
  const found = data?.contexts ?? [];
  const here = found.find((context) => context.pod === pod) ?? found[0];
  if (!here) return <bdi className={styles.code}>{id}</bdi>;
  return (
    <>
      <Link to="/pods/$pod" params={{ pod: here.pod }} search={{ node: `c:${id}` }} className={styles.code}>
        <bdi>{id}</bdi>
      </Link>
      {here.pod !== pod && (
        <>
          {' '}
          in <bdi>{here.pod}</bdi>
        </>
      )}
    </>
  );
}

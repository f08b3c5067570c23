import { lazy, Suspense } from 'react';
import styles from './markdown.module.css';

const Rendered = lazy(() => import('./markdown-body.tsx'));

/**
 * Text of agents, rules and models with its Markdown shown. Raw HTML stays text, pictures are named and never fetched, and
 * links lead to the web alone. Until the reader of Markdown is loaded, and for texts beyond its patience, it is plain.
 */
export function Markdown({ text }: { text: string }) {
  const plain = <div className={styles.plain}>{text}</div>;
  if (text.length > MOST) return plain;
  return (
    <Suspense fallback={plain}>
      <Rendered text={text} />
    </Suspense>
  );
}

/** Characters: beyond it the page would stand still while it reads. */
const MOST = 60_000;

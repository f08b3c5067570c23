import { Bot, User } from 'lucide-react';
import { memo, useEffect, useRef } from 'react';
import { Markdown } from '../../design/data/markdown.tsx';
import { Unseen } from '../../design/layout/placeholders.tsx';
import type { Entry, Said } from '../entries.ts';
import { CalledEntry } from './called.tsx';
import styles from './transcript.module.css';

/** What was asked, called and answered, oldest first. It follows what comes while its end is in sight. */
export function Transcript({ entries, asked }: { entries: readonly Entry[]; asked: number }) {
  const list = useRef<HTMLOListElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const element = list.current!;
    const follow = () => {
      if (isAtEnd.current) element.scrollTop = element.scrollHeight;
    };
    // Entries grow after they came: Markdown is loaded, tables are drawn.
    const sizes = new ResizeObserver(follow);
    const children = new MutationObserver(() => {
      for (const child of element.children) sizes.observe(child);
      follow();
    });
    children.observe(element, { childList: true });
    for (const child of element.children) sizes.observe(child);
    return () => {
      sizes.disconnect();
      children.disconnect();
    };
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: who asked for something is shown it, wherever they are
  useEffect(() => {
    isAtEnd.current = true;
    list.current!.scrollTop = list.current!.scrollHeight;
    list.current!.scrollIntoView({ block: 'nearest' });
  }, [asked]);
  return (
    <ol
      ref={list}
      className={styles.transcript}
      aria-label="Conversation"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 48;
      }}
    >
      {entries.map((entry) => (
        <li key={entry.id} className={styles.entry}>
          <OneEntry entry={entry} />
        </li>
      ))}
    </ol>
  );
}

const OneEntry = memo(({ entry }: { entry: Entry }) =>
  entry.kind === 'said' ? <SaidEntry entry={entry} /> : <CalledEntry entry={entry} />,
);

function SaidEntry({ entry: { by, text, isOpen } }: { entry: Said }) {
  const isUser = by === 'user';
  return (
    <div className={isUser ? styles.user : styles.model}>
      {isUser ? <User aria-hidden /> : <Bot aria-hidden />}
      <Unseen>{isUser ? 'Asked:' : 'Answered:'}</Unseen>
      <div className={styles.words}>
        {isUser ? <p className={styles.plain}>{text}</p> : <Markdown text={text} />}
        {isOpen && <span className={styles.open} aria-hidden />}
      </div>
    </div>
  );
}

import type { ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import { classes } from '../classes.ts';
import styles from './markdown.module.css';
import { webAddress } from './web-address.ts';

interface Parts {
  children?: ReactNode;
}

/** Somebody else's headings are no headings of this page. */
const headingOf =
  (level: string | undefined) =>
  ({ children }: Parts) => <p className={classes(styles.heading, level)}>{children}</p>;
const Heading = headingOf(undefined);

const COMPONENTS: Components = {
  h1: headingOf(styles.first),
  h2: headingOf(styles.second),
  h3: Heading,
  h4: Heading,
  h5: Heading,
  h6: Heading,
  a: ({ href, children }) =>
    webAddress(href) === undefined ? (
      <span>{children}</span>
    ) : (
      <a href={href} target="_blank" rel="noreferrer noopener">
        {children}
      </a>
    ),
  img: ({ alt, src }) => (
    <span className={styles.picture}>
      [picture{alt ? `: ${alt}` : ''}
      {typeof src === 'string' && src !== '' ? `, ${src}` : ''}]
    </span>
  ),
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
  pre: ({ children }) => <pre tabIndex={0}>{children}</pre>,
};

export default function MarkdownBody({ text }: { text: string }) {
  return (
    <div className={styles.markdown}>
      {/* Addresses are judged where they are used: a picture's is shown, not followed. */}
      <ReactMarkdown components={COMPONENTS} urlTransform={(address) => address}>
        {text}
      </ReactMarkdown>
    </div>
  );
}

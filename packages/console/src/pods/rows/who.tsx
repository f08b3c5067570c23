import { classes } from '../../design/classes.ts';
import styles from './who.module.css';

const HUES = 6;

/** A participant: a dot in a colour of its own, and the name, which is what counts. */
export function Who({ name, isMe = false }: { name: string; isMe?: boolean }) {
  return (
    <span className={styles.who}>
      <span aria-hidden className={classes(styles.dot, styles[`hue${hueOf(name)}`])} />
      <bdi className={styles.name}>{name}</bdi>
      {isMe && <span className={styles.me}>you</span>}
    </span>
  );
}

function hueOf(name: string): number {
  let sum = 0;
  for (const sign of name) sum = (sum * 31 + sign.codePointAt(0)!) % 9973;
  return sum % HUES;
}

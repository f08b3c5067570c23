import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from '../controls/button.tsx';
import styles from './code.module.css';

/** Text as it is, to be read or copied. What agents wrote is shown in this and in nothing that could take it for markup. */
export function CodeBlock({
  text,
  label,
  isWrapped = true,
}: {
  text: string;
  label: string;
  isWrapped?: boolean;
}) {
  return (
    <figure className={styles.figure} aria-label={label}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre className={isWrapped ? styles.wrapped : styles.pre} tabIndex={0}>
        {text}
      </pre>
      <div className={styles.copy}>
        <CopyButton text={text} />
      </div>
    </figure>
  );
}

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <IconButton label={isCopied ? 'Copied' : label} onClick={copy}>
      {isCopied ? <Check aria-hidden /> : <Copy aria-hidden />}
    </IconButton>
  );
}

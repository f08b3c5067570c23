import { ApiError } from '@infold/client/api';
import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from '../classes.ts';
import { Button } from '../controls/button.tsx';
import styles from './placeholders.module.css';

interface EmptyProps {
  icon?: ReactNode;
  title: string;
  /** What there would be, and what to do first. */
  children: ReactNode;
  actions?: ReactNode;
}

/** Instead of a list with nothing in it. */
export function Empty({ icon, title, children, actions }: EmptyProps) {
  return (
    <div className={styles.empty}>
      {icon && <div className={styles.icon}>{icon}</div>}
      <h2>{title}</h2>
      <div className={styles.text}>{children}</div>
      {actions && <div className={styles.actions}>{actions}</div>}
    </div>
  );
}

interface ProblemProps {
  error: unknown;
  /** What was tried, such as “The sessions could not be read”. */
  what: string;
  onRetry?: (() => void) | undefined;
}

/** What went wrong, and what to try. */
export function Problem({ error, what, onRetry }: ProblemProps) {
  return (
    <div role="alert" className={styles.problem}>
      <CircleAlert aria-hidden />
      <div>
        <p className={styles.what}>{what}</p>
        <p>{messageOf(error)}</p>
        <p className={styles.advice}>{adviceFor(error)}</p>
        {onRetry && (
          <Button size="small" onClick={onRetry}>
            Try again
          </Button>
        )}
      </div>
    </div>
  );
}

function messageOf(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  if (error instanceof TypeError) return 'The server does not answer.';
  return error instanceof Error ? error.message : String(error);
}

function adviceFor(error: unknown): string {
  if (!(error instanceof ApiError)) {
    return error instanceof TypeError
      ? 'Is “infold serve” still running? This page updates by itself when it answers again.'
      : 'Reload the page. If it happens again, report what you did.';
  }
  if (error.status === 401) return 'Sign in again.';
  if (error.status === 403) return 'Sign in with a token that allows it, or ask whoever gave you yours.';
  if (error.status === 404) return 'It may have been forgotten, or belong to somebody else.';
  if (error.status === 429) return `Too many requests: wait ${error.retryAfter ?? 'a few'} seconds.`;
  if (error.status >= 500 && !error.retryable) return 'The server’s log says more.';
  return error.retryable ? 'Try again.' : 'Change what was asked for, and try again.';
}

/** Stands where something will stand. `width` in characters. */
export function Skeleton({ width, lines = 1, height }: { width?: number; lines?: number; height?: string }) {
  return (
    <span role="presentation" className={styles.skeletons}>
      {Array.from({ length: lines }, (_, line) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
          key={line}
          className={classes(styles.skeleton)}
          style={{ width: width === undefined ? undefined : `${width}ch`, height }}
        />
      ))}
    </span>
  );
}

/** Announced once: skeletons say nothing. */
export function Loading({ what, children }: { what: string; children?: ReactNode }) {
  return (
    <div aria-busy="true">
      <span className={styles.unseen} role="status">
        Loading {what}
      </span>
      {children ?? <Skeleton lines={4} />}
    </div>
  );
}

/** For readers of the page who do not see it. */
export function Unseen({ children }: { children: ReactNode }) {
  return <span className={styles.unseen}>{children}</span>;
}

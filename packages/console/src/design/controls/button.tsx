import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { classes } from '../classes.ts';
import styles from './button.module.css';
import { Tooltip } from './tooltip.tsx';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: 'plain' | 'main' | 'quiet' | 'danger';
  size?: 'small' | 'usual';
  icon?: ReactNode;
  /** Something is under way: it cannot be pressed, and says so. */
  isBusy?: boolean;
}

export function Button({
  look = 'plain',
  size = 'usual',
  icon,
  isBusy = false,
  children,
  className,
  disabled,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      className={classes(styles.button, styles[look], size === 'small' && styles.small, className)}
      disabled={disabled || isBusy}
      aria-busy={isBusy || undefined}
      {...rest}
    >
      {icon}
      {children}
    </button>
  );
}

interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'aria-label'> {
  /** What it does: read aloud, and shown beside it. */
  label: string;
}

export function IconButton({ label, children, className, ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <button
        type="button"
        aria-label={label}
        className={classes(styles.button, styles.quiet, styles.square, className)}
        {...rest}
      >
        {children}
      </button>
    </Tooltip>
  );
}

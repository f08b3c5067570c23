import { Switch as BaseSwitch } from '@base-ui/react/switch';
import { ChevronDown } from 'lucide-react';
import { type ComponentProps, type ReactNode, useId } from 'react';
import { classes } from '../classes.ts';
import styles from './field.module.css';

interface Described {
  label: string;
  /** What it does, under it. */
  hint?: ReactNode;
  /** What is wrong with what was given. */
  problem?: string | undefined;
}

/** What is wrong, and what it does; `described` refers to them. */
function Notes({ id, hint, problem }: Omit<Described, 'label'> & { id: string }) {
  return (
    <>
      {problem !== undefined && (
        <p id={`${id}-problem`} className={styles.problem}>
          {problem}
        </p>
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
    </>
  );
}

function Field({ id, label, hint, problem, children }: Described & { id: string; children: ReactNode }) {
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      {children}
      <Notes {...{ id, hint, problem }} />
    </div>
  );
}

function described(id: string, { hint, problem }: Described) {
  const ids = [problem !== undefined && `${id}-problem`, hint !== undefined && `${id}-hint`].filter(Boolean);
  return {
    id,
    'aria-describedby': ids.join(' ') || undefined,
    'aria-invalid': problem !== undefined || undefined,
  };
}

export function TextField({ label, hint, problem, className, ...rest }: Described & ComponentProps<'input'>) {
  const id = useId();
  return (
    <Field {...{ id, label, hint, problem }}>
      <input
        className={classes(styles.input, className)}
        {...described(id, { label, hint, problem })}
        {...rest}
      />
    </Field>
  );
}

export function TextArea({
  label,
  hint,
  problem,
  className,
  ...rest
}: Described & ComponentProps<'textarea'>) {
  const id = useId();
  return (
    <Field {...{ id, label, hint, problem }}>
      <textarea
        className={classes(styles.input, styles.area, className)}
        {...described(id, { label, hint, problem })}
        {...rest}
      />
    </Field>
  );
}

interface SelectProps extends Described, Omit<ComponentProps<'select'>, 'onChange'> {
  options: readonly { value: string; label: string }[];
  onChange: (value: string) => void;
}

export function Select({ label, hint, problem, options, onChange, className, ...rest }: SelectProps) {
  const id = useId();
  return (
    <Field {...{ id, label, hint, problem }}>
      <div className={styles.select}>
        <select
          className={classes(styles.input, className)}
          onChange={(event) => onChange(event.target.value)}
          {...described(id, { label, hint, problem })}
          {...rest}
        >
          {options.map(({ value, label: name }) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
        <ChevronDown aria-hidden />
      </div>
    </Field>
  );
}

interface SwitchProps {
  label: string;
  hint?: ReactNode;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  disabled?: boolean;
}

export function Switch({ label, hint, isOn, onChange, disabled = false }: SwitchProps) {
  const id = useId();
  return (
    <div className={styles.switchRow}>
      <div>
        <label htmlFor={id} className={styles.label}>
          {label}
        </label>
        <Notes {...{ id, hint }} />
      </div>
      <BaseSwitch.Root
        id={id}
        checked={isOn}
        onCheckedChange={onChange}
        disabled={disabled}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        className={styles.switch}
      >
        <BaseSwitch.Thumb className={styles.thumb} />
      </BaseSwitch.Root>
    </div>
  );
}

interface CheckboxProps {
  label: ReactNode;
  hint?: ReactNode;
  isChecked: boolean;
  onChange: (isChecked: boolean) => void;
  disabled?: boolean;
}

/** One of several that can be chosen together; put them into a `Choices`. */
export function Checkbox({ label, hint, isChecked, onChange, disabled = false }: CheckboxProps) {
  const id = useId();
  return (
    <div className={styles.checkRow}>
      <input
        id={id}
        type="checkbox"
        className={styles.check}
        checked={isChecked}
        disabled={disabled}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onChange(event.target.checked)}
      />
      <div>
        <label htmlFor={id} className={styles.label}>
          {label}
        </label>
        <Notes {...{ id, hint }} />
      </div>
    </div>
  );
}

/** Checkboxes that answer one question. */
export function Choices({ label, hint, problem, children }: Described & { children: ReactNode }) {
  const id = useId();
  return (
    <fieldset className={styles.choices} {...described(id, { label, hint, problem })}>
      <legend className={styles.label}>{label}</legend>
      {children}
      <Notes {...{ id, hint, problem }} />
    </fieldset>
  );
}

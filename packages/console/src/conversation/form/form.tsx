import { Braces, ListChecks, Play } from 'lucide-react';
import { type FormEvent, useRef, useState } from 'react';
import { Button } from '../../design/controls/button.tsx';
import { TextArea } from '../../design/controls/field.tsx';
import { plural } from '../../design/data/format.ts';
import { draftsOf, inputOf, type Problems, withProject } from './drafts.ts';
import { FieldInputs } from './field-input.tsx';
import { fieldsOf, isObject, type Schema } from './fields.ts';
import styles from './form.module.css';

interface FormProps {
  schema: Schema;
  /** The project that was chosen: it goes where a project is asked for. */
  project: string | undefined;
  isBusy: boolean;
  /** Why it cannot be run now. */
  refusal: string | undefined;
  /** What went wrong with the last run. */
  problem: string | undefined;
  onRun: (input: Record<string, unknown>) => void;
}

/** More optional fields than this are shown when one asks for them. */
const FEW = 3;

/** A form made of a tool's schema, or its whole input as JSON. Give it the tool's name as key: it remembers nothing. */
export function Form({ schema, project, isBusy, refusal, problem, onRun }: FormProps) {
  const [fields] = useState(() => fieldsOf(schema));
  const [drafts, setDrafts] = useState(() => withProject(fields, draftsOf(fields, {}), project));
  const [filledIn, setFilledIn] = useState(project);
  if (filledIn !== project) {
    setFilledIn(project);
    setDrafts(withProject(fields, drafts, project, filledIn));
  }
  const [raw, setRaw] = useState<string>();
  const [problems, setProblems] = useState<Problems>({});
  const form = useRef<HTMLFormElement>(null);
  const required = fields.filter(({ isRequired }) => isRequired);
  const optional = fields.filter(({ isRequired }) => !isRequired);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = raw === undefined ? inputOf(fields, drafts) : inputFrom(raw);
    setProblems(read.problems);
    const [first] = Object.keys(read.problems);
    if (first === undefined) onRun(read.input);
    else requestAnimationFrame(() => focusOn(form.current, first));
  };
  const toggleRaw = () => {
    setProblems({});
    if (raw === undefined) {
      setRaw(JSON.stringify(inputOf(fields, drafts).input, null, 2));
      return;
    }
    const { input, problems: wrong } = inputFrom(raw);
    setProblems(wrong);
    if (Object.keys(wrong).length > 0) return;
    setDrafts(draftsOf(fields, input));
    setRaw(undefined);
  };
  const inputs = (own: typeof fields) => (
    <FieldInputs fields={own} drafts={drafts} place="" problems={problems} onChange={setDrafts} />
  );
  const isOptionalWrong = optional.some(({ name }) =>
    Object.keys(problems).some((at) => at.split('.')[0] === name),
  );
  return (
    <form ref={form} className={styles.form} onSubmit={submit} noValidate>
      {raw === undefined ? (
        <>
          {inputs(required)}
          {optional.length <= FEW || required.length === 0 ? (
            inputs(optional)
          ) : (
            <details className={styles.optional} open={isOptionalWrong || undefined}>
              <summary>{plural(optional.length, 'optional field')}</summary>
              <div className={styles.fields}>{inputs(optional)}</div>
            </details>
          )}
          {fields.length === 0 && <p className={styles.hint}>It takes no input.</p>}
        </>
      ) : (
        <TextArea
          label="Input as JSON"
          className={styles.raw}
          spellCheck={false}
          value={raw}
          problem={problems.input}
          data-place="input"
          onChange={(event) => setRaw(event.target.value)}
        />
      )}
      <div className={styles.actions}>
        <Button
          look="main"
          type="submit"
          icon={<Play aria-hidden />}
          isBusy={isBusy}
          disabled={refusal !== undefined}
        >
          Run
        </Button>
        <Button
          look="quiet"
          icon={raw === undefined ? <Braces aria-hidden /> : <ListChecks aria-hidden />}
          onClick={toggleRaw}
        >
          {raw === undefined ? 'As JSON' : 'As a form'}
        </Button>
        {refusal !== undefined && <p className={styles.hint}>{refusal}</p>}
      </div>
      {problem !== undefined && (
        <p role="alert" className={styles.failed}>
          {problem}
        </p>
      )}
    </form>
  );
}

function inputFrom(text: string): { input: Record<string, unknown>; problems: Problems } {
  try {
    const input: unknown = JSON.parse(text);
    if (isObject(input)) return { input, problems: {} };
    return { input: {}, problems: { input: 'The input must be an object: { … }' } };
  } catch (error) {
    return { input: {}, problems: { input: `This is not JSON: ${(error as Error).message}` } };
  }
}

function focusOn(form: HTMLFormElement | null, place: string): void {
  form?.querySelector<HTMLElement>(`[data-place="${CSS.escape(place)}"]`)?.focus();
}

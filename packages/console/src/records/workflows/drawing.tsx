import { Link } from '@tanstack/react-router';
import { Repeat, Rows3, Split } from 'lucide-react';
import { useMemo } from 'react';
import { classes } from '../../design/classes.ts';
import { moveFocus } from '../../design/controls/roving.ts';
import { useWidth } from '../../design/hooks/use-width.ts';
import { Unseen } from '../../design/layout/placeholders.tsx';
import type { Step, Workflow } from '../queries.ts';
import styles from './drawing.module.css';
import { type DrawnLine, drawingOf } from './layout.ts';
import { type Passing, passingsOf } from './passing.ts';

interface DrawingProps {
  workflow: Workflow;
  chosen: number;
}

/** A workflow as its steps, with what leads from one to another. Each step is a link: arrow keys go along them. */
export function WorkflowDrawing({ workflow, chosen }: DrawingProps) {
  const [ref, width] = useWidth();
  const passings = useMemo(() => passingsOf(workflow), [workflow]);
  const drawing = useMemo(
    () => (width > 0 ? drawingOf(workflow, width, (step) => marksOf(step, passings).length > 0) : undefined),
    [workflow, passings, width],
  );
  return (
    <div ref={ref} className={styles.drawing} style={{ height: drawing?.height }}>
      {drawing && (
        <>
          {drawing.frames.map(({ kind, name, x, y, width: wide, height }) => (
            <div
              key={`${kind} ${name}`}
              className={styles.frame}
              style={{ left: x, top: y, width: wide, height }}
              aria-hidden
            >
              {kind === 'loop' ? <Repeat /> : <Rows3 />}
              <span className={styles.frameName}>
                {kind === 'loop' ? 'Repeat' : 'In any order'}: <bdi>{name}</bdi>
              </span>
            </div>
          ))}
          <svg className={styles.lines} width={width} height={drawing.height} aria-hidden="true">
            <title>Lines between the steps</title>
            {drawing.lines.map((line) => (
              <Arrow key={line.key} line={line} />
            ))}
          </svg>
          <ol className={styles.steps} aria-label="Steps" onKeyDown={moveFocus}>
            {drawing.nodes.map(({ step, x, y, width: wide, height }) => (
              <li key={step.order} style={{ left: x, top: y, width: wide, height }}>
                <Node step={step} workflow={workflow} passings={passings} isChosen={step.order === chosen} />
              </li>
            ))}
          </ol>
        </>
      )}
    </div>
  );
}

function Arrow({ line: { kind, path, head } }: { line: DrawnLine }) {
  return (
    <g className={styles[kind]}>
      <path d={path} className={styles.line} />
      <path d={head} className={styles.head} />
    </g>
  );
}

interface NodeProps {
  step: Step;
  workflow: Workflow;
  passings: readonly Passing[];
  isChosen: boolean;
}

function Node({ step, workflow, passings, isChosen }: NodeProps) {
  const { order, title, tool, decision } = step;
  const marks = marksOf(step, passings);
  const group = workflow.groups.find(({ steps }) => steps.includes(order));
  return (
    <Link
      to="."
      search={(before: object) => ({ ...before, step: order })}
      replace
      resetScroll={false}
      aria-current={isChosen ? 'step' : undefined}
      className={classes(styles.node, isChosen && styles.chosen)}
      activeProps={{}}
    >
      <span className={styles.title}>
        <span className={styles.order}>{order}</span>
        <bdi>{title}</bdi>
        {decision && <Split aria-hidden className={styles.splits} />}
      </span>
      {tool !== undefined && (
        <code className={styles.tool}>
          <bdi>{tool}</bdi>
        </code>
      )}
      {marks.length > 0 && (
        <span className={styles.marks}>
          {marks.map(({ kind, text }) => (
            <span key={text} className={classes(styles.mark, styles[kind])}>
              {text}
            </span>
          ))}
        </span>
      )}
      {group && (
        <Unseen>
          {' '}
          {group.kind === 'loop' ? 'in the loop' : 'in any order with others of'} {group.name}
        </Unseen>
      )}
    </Link>
  );
}

interface Mark {
  kind: 'makes' | 'uses' | 'plain';
  text: string;
}

/** What a step says of itself beside its title: in words, since its lines are not read aloud. */
function marksOf({ order, decision, optional, exhaustive }: Step, passings: readonly Passing[]): Mark[] {
  const made = passings.filter(({ from }) => from === order);
  const used = passings.filter(({ to }) => to.includes(order));
  return [
    ...made.map(
      ({ to }): Mark => ({
        kind: 'makes',
        text: to.length > 0 ? `transient until step ${to.join(', ')}` : 'transient',
      }),
    ),
    ...used.map(({ from }): Mark => ({ kind: 'uses', text: `consumes step ${from}` })),
    ...(decision ? [{ kind: 'plain' as const, text: `decides: ${decision.options.length} ways` }] : []),
    ...(exhaustive ? [{ kind: 'plain' as const, text: 'every page' }] : []),
    ...(optional ? [{ kind: 'plain' as const, text: 'optional' }] : []),
  ];
}

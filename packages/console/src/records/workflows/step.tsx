import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { portableName } from '../../api/tool-name.ts';
import { Badge } from '../../design/data/badge.tsx';
import { CodeBlock } from '../../design/data/code.tsx';
import { Markdown } from '../../design/data/markdown.tsx';
import type { Step, Workflow } from '../queries.ts';
import { passingsOf } from './passing.ts';
import styles from './step.module.css';

/** All that a model is told of a step. */
export function StepDetails({ workflow, step }: { workflow: Workflow; step: Step }) {
  const { order, title, description, tool, toolArgs, decision, tips, dependsOn, fallbackDescription } = step;
  const group = workflow.groups.find(({ steps }) => steps.includes(order));
  return (
    <aside className={styles.step} aria-label={`Step ${order}`}>
      <header className={styles.head}>
        <p className={styles.place}>
          Step {order} of {workflow.total_steps}
        </p>
        <h2>
          <bdi>{title}</bdi>
        </h2>
        <p className={styles.badges}>
          {group && (
            <Badge tone="note">
              {group.kind === 'loop' ? 'repeat' : 'in any order'}: <bdi>{group.name}</bdi>
            </Badge>
          )}
          {step.optional && <Badge>optional</Badge>}
          {step.exhaustive && <Badge>goes through every page</Badge>}
        </p>
      </header>
      <Markdown text={description} />
      {tool !== undefined && (
        <Part title="Tool">
          <p>
            <Link to="/conversation" search={{ tool: portableName(tool) }}>
              <code>{tool}</code>
            </Link>
          </p>
          {toolArgs && <CodeBlock label="Its arguments" text={JSON.stringify(toolArgs, null, 2)} />}
        </Part>
      )}
      <Window workflow={workflow} order={order} />
      {decision && (
        <Part title="Decides">
          <p>
            <bdi>{decision.question}</bdi>
          </p>
          <ul className={styles.list}>
            {decision.options.map(({ label, description: about, nextStep }) => (
              <li key={label}>
                <strong>
                  <bdi>{label}</bdi>
                </strong>
                {about !== undefined && (
                  <>
                    : <bdi>{about}</bdi>
                  </>
                )}
                {nextStep !== undefined && (
                  <>
                    {' → '}
                    <StepLink order={nextStep} />
                  </>
                )}
              </li>
            ))}
          </ul>
        </Part>
      )}
      {dependsOn && dependsOn.length > 0 && (
        <Part title="Needs the results of">
          <p className={styles.links}>
            {dependsOn.map((one) => (
              <StepLink key={one} order={one} />
            ))}
          </p>
        </Part>
      )}
      {tips && tips.length > 0 && (
        <Part title="Tips">
          <ul className={styles.list}>
            {tips.map((tip) => (
              <li key={tip}>
                <bdi>{tip}</bdi>
              </li>
            ))}
          </ul>
        </Part>
      )}
      {fallbackDescription !== undefined && (
        <Part title="If that is not possible">
          <Markdown text={fallbackDescription} />
        </Part>
      )}
    </aside>
  );
}

/** What becomes of the step's result in a model's window, and of others by it. */
function Window({ workflow, order }: { workflow: Workflow; order: number }) {
  const passings = passingsOf(workflow);
  const made = passings.filter(({ from }) => from === order);
  const used = passings.filter(({ to }) => to.includes(order));
  if (made.length === 0 && used.length === 0) return null;
  return (
    <Part title="In the window">
      {made.map(({ tool, to }) => (
        <p key={tool}>
          Its result is <strong>transient</strong>: a client collapses it once <code>{tool}</code> was called
          {to.length > 0 ? (
            <>
              {' '}
              in <StepLink order={to[0]!} />.
            </>
          ) : (
            ', which no later step does.'
          )}
        </p>
      ))}
      {used.map(({ from }) => (
        <p key={from}>
          It <strong>consumes</strong> the result of <StepLink order={from} />.
        </p>
      ))}
    </Part>
  );
}

function StepLink({ order }: { order: number }) {
  return (
    <Link
      to="."
      search={(before: object) => ({ ...before, step: order })}
      replace
      resetScroll={false}
      activeProps={{}}
      className={styles.stepLink}
    >
      step {order}
    </Link>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.part}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Workflow as WorkflowIcon } from 'lucide-react';
import { type MouseEvent, useEffect } from 'react';
import { useAccount } from '../../api/account.tsx';
import { links } from '../../app/links.ts';
import { LoadSamples } from '../../app/samples.tsx';
import { classes } from '../../design/classes.ts';
import { Select } from '../../design/controls/field.tsx';
import { moveFocus } from '../../design/controls/roving.ts';
import { Badge } from '../../design/data/badge.tsx';
import { plural } from '../../design/data/format.ts';
import { useHeadingFor } from '../../design/hooks/use-heading-for.ts';
import { Empty, Loading, Problem, Skeleton } from '../../design/layout/placeholders.tsx';
import { Frame } from '../frame.tsx';
import {
  useWorkflowChanges,
  type Workflow,
  type WorkflowView,
  workflowQuery,
  workflowsQuery,
} from '../queries.ts';
import { WorkflowDrawing } from './drawing.tsx';
import styles from './page.module.css';
import { jumpsOf, passingsOf } from './passing.ts';
import { StepDetails } from './step.tsx';

export function WorkflowsPage() {
  useWorkflowChanges();
  return (
    <Frame about="What agents do step by step, and which results leave their window on the way.">
      <Workflows />
    </Frame>
  );
}

function Workflows() {
  const { workflow: named } = useParams({ strict: false });
  const { project } = useSearch({ strict: false });
  const navigate = useNavigate();
  const isHeadingFor = useHeadingFor();
  const { data, error, refetch } = useQuery(workflowsQuery(useAccount().session));
  const first = data?.workflows[0];
  useEffect(() => {
    if (named !== undefined || !first || !isHeadingFor('/records/workflows')) return;
    void navigate({ ...addressOf(first), replace: true });
  }, [named, first, navigate, isHeadingFor]);
  if (error && !data)
    return <Problem what="The workflows could not be read" error={error} onRetry={refetch} />;
  if (!data) {
    return (
      <Loading what="workflows">
        <Skeleton lines={6} height="3rem" />
      </Loading>
    );
  }
  if (named === undefined) return first ? null : <NoWorkflows />;
  const { workflows } = data;
  const current = workflows.find(
    ({ id, name, project_id, project: title }) =>
      (id === named || name === named) &&
      (project === undefined || project === project_id || project === title),
  );
  return (
    <div className={styles.layout}>
      {workflows.length > 1 && <List {...{ workflows, current }} />}
      <Shown key={`${named} ${project}`} workflow={named} project={project} />
    </div>
  );
}

const addressOf = ({ id, project_id }: WorkflowView) =>
  ({
    to: '/records/workflows/$workflow',
    params: { workflow: id },
    search: { project: project_id },
  }) as const;

interface ListProps {
  workflows: readonly WorkflowView[];
  current: WorkflowView | undefined;
}

/** All workflows; one field where there is little room. */
function List({ workflows, current }: ListProps) {
  const navigate = useNavigate();
  return (
    <div className={styles.choose}>
      <ul className={styles.list} aria-label="Workflows" onKeyDown={moveFocus}>
        {workflows.map((workflow) => (
          <li key={`${workflow.project_id} ${workflow.id}`}>
            <Link
              {...addressOf(workflow)}
              className={classes(styles.workflow, workflow === current && styles.chosen)}
              activeProps={{}}
              aria-current={workflow === current ? 'true' : undefined}
            >
              <bdi className={styles.name}>{workflow.title}</bdi>
              <span className={styles.note}>
                {plural(workflow.total_steps, 'step')} · <bdi>{workflow.project}</bdi>
              </span>
            </Link>
          </li>
        ))}
      </ul>
      <div className={styles.picker}>
        <Select
          label="Workflow"
          options={workflows.map(({ title, project }, place) => ({
            value: String(place),
            label: `${title} (${project})`,
          }))}
          value={String(current ? workflows.indexOf(current) : 0)}
          onChange={(place) => void navigate(addressOf(workflows[Number(place)]!))}
        />
      </div>
    </div>
  );
}

function Shown({ workflow: named, project }: { workflow: string; project: string | undefined }) {
  const { step = 1 } = useSearch({ strict: false });
  const { data, error, refetch } = useQuery(workflowQuery(useAccount().session, named, project));
  if (error && !data) {
    return <Problem what="The workflow could not be read" error={error} onRetry={() => void refetch()} />;
  }
  if (!data) {
    return (
      <Loading what="the workflow">
        <Skeleton lines={6} height="4rem" />
      </Loading>
    );
  }
  const { title, description, tags, models, path, id, project_id, steps } = data;
  const chosen = steps.find(({ order }) => order === step) ?? steps[0]!;
  return (
    <>
      <section className={styles.middle} aria-label="Workflow">
        <header className={styles.head}>
          <h2>
            <bdi>{title}</bdi>
          </h2>
          {description !== '' && (
            <p className={styles.about}>
              <bdi>{description}</bdi>
            </p>
          )}
          <p className={styles.facts}>
            <FileLink href={links.libraryFile(project_id, id)} path={path} />
            {models.map((model) => (
              <Link key={model} to="/records/source/$model" params={{ model }} className={styles.path}>
                <bdi>{model}</bdi>
              </Link>
            ))}
            {tags.map((tag) => (
              <Badge key={tag}>
                <bdi>{tag}</bdi>
              </Badge>
            ))}
          </p>
        </header>
        <WorkflowDrawing workflow={data} chosen={chosen.order} />
        <Legend workflow={data} />
      </section>
      <StepDetails workflow={data} step={chosen} />
    </>
  );
}

/** Its address is made elsewhere: it is followed within the page. */
function FileLink({ href, path }: { href: string; path: string }) {
  const navigate = useNavigate();
  const follow = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    void navigate({ href });
  };
  return (
    <a href={href} className={styles.path} onClick={follow}>
      <bdi>{path}</bdi>
    </a>
  );
}

const LINES = [
  ['loop', 'repeats'],
  ['jump', 'a decision leads there'],
  ['use', 'consumes the result'],
] as const;

/** Only of the lines that there are. */
function Legend({ workflow }: { workflow: Workflow }) {
  const has = {
    loop: workflow.groups.some(({ kind }) => kind === 'loop'),
    jump: jumpsOf(workflow.steps).length > 0,
    use: passingsOf(workflow).some(({ to }) => to.length > 0),
  };
  const lines = LINES.filter(([kind]) => has[kind]);
  if (lines.length === 0) return null;
  return (
    <ul className={styles.legend} aria-label="Lines">
      {lines.map(([kind, text]) => (
        <li key={kind}>
          <span className={classes(styles.sample, styles[kind])} aria-hidden />
          {text}
        </li>
      ))}
    </ul>
  );
}

function NoWorkflows() {
  return (
    <Empty icon={<WorkflowIcon aria-hidden />} title="No workflow with steps yet" actions={<LoadSamples />}>
      <p>
        A workflow is a file of the library under <code>workflow/</code> with <code>steps</code> in its front
        matter. Agents get one step at a time, with what it marks as transient and which tool uses that up.
      </p>
      <p>
        Publish one in the <Link to="/library">library</Link>, or load the sample data.
      </p>
    </Empty>
  );
}

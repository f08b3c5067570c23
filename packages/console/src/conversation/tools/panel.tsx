import { resultText } from '@infold/client';
import { Link, useNavigate } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import type { ConversationSearch } from '../../app/search.ts';
import { Select } from '../../design/controls/field.tsx';
import { Panel } from '../../design/layout/panel.tsx';
import { Loading, Problem, Unseen } from '../../design/layout/placeholders.tsx';
import { Form } from '../form/form.tsx';
import type { McpConnection, McpTool } from '../mcp/connection.ts';
import { useProjects, useStores, useToolGroups } from '../queries.ts';
import { isRefusal, sentenceOf } from '../sentence.ts';
import { toolNamed } from './groups.ts';
import styles from './panel.module.css';
import { Picker } from './picker.tsx';

interface ToolsPanelProps {
  search: ConversationSearch;
  /** Something else is under way. */
  isTaken: boolean;
}

/** Any tool of the server, from a form made of its schema. */
export function ToolsPanel({ search: { tool: name, project }, isTaken }: ToolsPanelProps) {
  const navigate = useNavigate();
  const panel = useRef<HTMLDivElement>(null);
  // Who went from the list to a form, or back, is taken along: what they had chosen is no longer there.
  const isMoving = useRef(false);
  const move = () => {
    isMoving.current = true;
  };
  const { data: projects = [] } = useProjects();
  const { groups, connection, error, refetch } = useToolGroups(project);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tool, another place
  useEffect(() => {
    if (!isMoving.current) return;
    isMoving.current = false;
    const place = panel.current?.querySelector<HTMLElement>('[data-begin], input[type="search"]');
    place?.focus({ preventScroll: true });
    panel.current?.scrollIntoView({ block: isInSight(panel.current) ? 'nearest' : 'start' });
  }, [name]);
  const tool = connection && name !== undefined ? toolNamed(connection.tools, name) : undefined;
  return (
    <Panel title="Call a tool">
      <div ref={panel} className={styles.tools}>
        {projects.length > 0 && (
          <Select
            label="Project"
            options={[
              { value: '', label: 'None' },
              ...projects.map(({ id, name: label }) => ({ value: id, label: label ?? id })),
            ]}
            value={project ?? ''}
            onChange={(value) =>
              void navigate({
                to: '/conversation',
                search: { tool: name, project: value === '' ? undefined : value },
                replace: true,
              })
            }
          />
        )}
        {!groups ? (
          error ? (
            <Problem what="The tools could not be listed" error={error} onRetry={() => void refetch()} />
          ) : (
            <Loading what="the tools" />
          )
        ) : name === undefined ? (
          <Picker groups={groups} project={project} onChoose={move} />
        ) : (
          <>
            <Link
              to="/conversation"
              search={{ project }}
              className={styles.back}
              resetScroll={false}
              onClick={move}
            >
              <ArrowLeft aria-hidden />
              All tools
            </Link>
            {tool ? (
              <Runner
                key={tool.name}
                tool={tool}
                connection={connection!}
                project={project}
                isTaken={isTaken}
              />
            ) : (
              <div role="alert">
                <h3 className={styles.missing}>There is no tool called “{name}”</h3>
                <p className={styles.about}>Choose one from the list: “All tools” shows it.</p>
              </div>
            )}
          </>
        )}
      </div>
    </Panel>
  );
}

/** Whether its beginning is where one looks. */
function isInSight(element: HTMLElement): boolean {
  const { top } = element.getBoundingClientRect();
  return top >= 0 && top < innerHeight / 2;
}

interface RunnerProps {
  tool: McpTool;
  connection: McpConnection;
  project: string | undefined;
  isTaken: boolean;
}

function Runner({ tool, connection, project, isTaken }: RunnerProps) {
  const { conversation } = useStores();
  const { may } = useAccount();
  const [isBusy, setBusy] = useState(false);
  const [said, setSaid] = useState('');
  const [problem, setProblem] = useState<string>();
  const run = async (input: Record<string, unknown>) => {
    setBusy(true);
    setSaid('');
    setProblem(undefined);
    try {
      const answer = await conversation.callByHand(connection, tool.name, input);
      if (answer.isError) setProblem(`${tool.name} refused: ${resultText(answer)}`);
      else setSaid(`${tool.name} answered.`);
    } catch (error) {
      setProblem(`${tool.name} ${isRefusal(error) ? 'refused' : 'failed'}: ${sentenceOf(error)}`);
    }
    setBusy(false);
  };
  const refusal =
    tool.needsWrite && !may('write')
      ? 'Your token may only read, and this tool writes.'
      : isTaken
        ? 'Something else is running in this conversation.'
        : undefined;
  return (
    <>
      <div>
        <h3 className={styles.name} tabIndex={-1} data-begin>
          <code>{tool.name}</code>
        </h3>
        <p className={styles.about}>{tool.description}</p>
      </div>
      <Form
        schema={tool.inputSchema}
        project={project}
        isBusy={isBusy}
        refusal={refusal}
        problem={problem}
        onRun={(input) => void run(input)}
      />
      <span role="status">
        <Unseen>{said}</Unseen>
      </span>
    </>
  );
}

import { Link, useNavigate } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import type { ConversationSearch } from '../../app/router.tsx';
import { Select } from '../../design/field.tsx';
import { Panel } from '../../design/panel.tsx';
import { Loading, Problem, Unseen } from '../../design/states.tsx';
import { Form } from '../form/form.tsx';
import type { Connection, Tool } from '../mcp/connection.ts';
import { useProjects, useStores, useToolGroups } from '../queries.ts';
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
  const tool = connection?.tools.find((one) => one.name === name);
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
        {error ? (
          <Problem what="The tools could not be listed" error={error} onRetry={() => void refetch()} />
        ) : !groups ? (
          <Loading what="the tools" />
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
              <Runner key={tool.name} tool={tool} connection={connection!} isTaken={isTaken} />
            ) : (
              <p className={styles.about}>There is no tool “{name}” here.</p>
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

function Runner({ tool, connection, isTaken }: { tool: Tool; connection: Connection; isTaken: boolean }) {
  const { conversation } = useStores();
  const { may } = useAccount();
  const [isBusy, setBusy] = useState(false);
  const [said, setSaid] = useState('');
  const run = async (input: Record<string, unknown>) => {
    setBusy(true);
    setSaid('');
    // What went wrong stands where the answer would.
    const how = await conversation.callByHand(connection, tool.name, input).then(
      () => 'answered',
      () => 'failed',
    );
    setSaid(`${tool.name} ${how}.`);
    setBusy(false);
  };
  const refusal =
    tool.needsWrite && !may('write')
      ? 'Your token may only read, and this tool writes.'
      : isTaken
        ? 'Something else is under way in this conversation.'
        : undefined;
  return (
    <>
      <div>
        <h3 className={styles.name} tabIndex={-1} data-begin>
          <code>{tool.name}</code>
        </h3>
        <p className={styles.about}>{tool.description}</p>
      </div>
      <Form schema={tool.inputSchema} isBusy={isBusy} refusal={refusal} onRun={(input) => void run(input)} />
      <span role="status">
        <Unseen>{said}</Unseen>
      </span>
    </>
  );
}

import { Link } from '@tanstack/react-router';
import { Cable, Circle, CircleDot } from 'lucide-react';
import { Badge } from '../../design/badge.tsx';
import { Time } from '../../design/figures.tsx';
import { plural } from '../../design/format.ts';
import { Panel } from '../../design/panel.tsx';
import { Empty } from '../../design/states.tsx';
import { type Column, Table } from '../../design/table.tsx';
import { Tooltip } from '../../design/tooltip.tsx';
import type { Connection, Project } from '../queries.ts';
import styles from './connected.module.css';

/** What each kind of connection is, as one would say it. */
const KINDS = { mcp: 'MCP', gateway: 'pod', window: 'model' };

function columnsFor(projects: readonly Project[]): Column<Connection>[] {
  const projectOf = (id: string | null) => projects.find((project) => project.id === id)?.name ?? id;
  return [
    {
      name: 'Who',
      cell: ({ name, version }) => (
        <>
          <ByItself text={name ?? 'Not named'} className={styles.name} />
          {version !== null && <ByItself text={` ${version}`} className={styles.soft} />}
        </>
      ),
    },
    { name: 'By', isExtra: true, cell: ({ kind }) => <Badge>{KINDS[kind]}</Badge> },
    { name: 'Principal', isExtra: true, cell: ({ principal }) => principal },
    { name: 'Project', isExtra: true, cell: ({ project_id, pod }) => projectOf(project_id) ?? pod ?? '–' },
    { name: 'Opens', cell: (connection) => <Opens {...connection} /> },
    {
      name: 'Last heard of',
      isFigure: true,
      cell: ({ is_open, last_at }) => (
        <span className={styles.last}>
          {is_open ? (
            <CircleDot className={styles.open} aria-label="Connected" />
          ) : (
            <Circle className={styles.closed} aria-label="Not connected" />
          )}
          <Time at={last_at} />
        </span>
      ),
    },
  ];
}

/** From here on it is cut, and the whole is shown to who points at it. */
const LONG = 60;

/** What a program says of itself: whatever is in it, it stays in its place. */
function ByItself({ text, className }: { text: string; className: string | undefined }) {
  if (text.length <= LONG) return <bdi className={className}>{text}</bdi>;
  return (
    <Tooltip text={text.slice(0, 1000)}>
      <bdi className={className}>{`${text.slice(0, LONG)}…`}</bdi>
    </Tooltip>
  );
}

/** What there is to see of it. */
function Opens({ conversation, session_id }: Connection) {
  if (conversation !== null)
    return (
      <Link to="/window/$conversation" params={{ conversation }} className={styles.opens}>
        Window
      </Link>
    );
  if (session_id !== null)
    return (
      <Link to="/tree/$session" params={{ session: session_id }} className={styles.opens}>
        Tree
      </Link>
    );
  return '–';
}

export function Connected({
  connections,
  projects,
}: {
  connections: readonly Connection[];
  projects: readonly Project[];
}) {
  if (connections.length === 0) {
    return (
      <Panel>
        <Empty icon={<Cable aria-hidden />} title="Nothing is connected yet">
          <p>
            Choose a host below and copy its settings. It is listed here as soon as it says something, by name
            and with when it was last heard of.
          </p>
        </Empty>
      </Panel>
    );
  }
  const open = connections.filter(({ is_open }) => is_open).length;
  const earlier = connections.length - open;
  return (
    <Panel
      title={open === 0 ? 'Nobody is connected now' : `${plural(open, 'connection')} now`}
      isFlush
      aside={
        earlier > 0 && <span className={styles.soft}>{plural(earlier, 'earlier one', 'earlier ones')}</span>
      }
    >
      <Table
        caption="Connections, those heard of last first"
        columns={columnsFor(projects)}
        rows={connections}
        keyOf={({ kind, name, principal, session_id, conversation, pod }) =>
          JSON.stringify([kind, name, principal, session_id, conversation, pod])
        }
      />
    </Panel>
  );
}

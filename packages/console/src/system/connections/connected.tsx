import { Link } from '@tanstack/react-router';
import { Cable, Circle, CircleDot } from 'lucide-react';
import { useAccount } from '../../api/account.tsx';
import { Tooltip } from '../../design/controls/tooltip.tsx';
import { Badge } from '../../design/data/badge.tsx';
import { Time } from '../../design/data/figures.tsx';
import { count, plural } from '../../design/data/format.ts';
import { Panel } from '../../design/layout/panel.tsx';
import { Empty } from '../../design/layout/placeholders.tsx';
import { type Column, Table } from '../../design/table/table.tsx';
import type { ConnectionView, Project } from '../queries.ts';
import styles from './connected.module.css';
import { keysOf } from './keys.ts';

/** What each kind of connection is, as one would say it. */
const KINDS = { mcp: 'MCP', gateway: 'pod', window: 'model' };

function columnsFor(
  projects: readonly Project[],
  isOpenToMe: (connection: ConnectionView) => boolean,
): Column<ConnectionView>[] {
  const projectOf = (id: string | null) => projects.find((project) => project.id === id)?.name ?? id;
  return [
    {
      name: 'Who',
      cell: ({ name, version }) => (
        <>
          <ByItself text={name ?? 'Unnamed'} className={styles.name} />
          {version !== null && <ByItself text={` ${version}`} className={styles.soft} />}
        </>
      ),
    },
    { name: 'By', isExtra: true, cell: ({ kind }) => <Badge>{KINDS[kind]}</Badge> },
    { name: 'Principal', isExtra: true, cell: ({ principal }) => principal },
    { name: 'Project', isExtra: true, cell: ({ project_id, pod }) => projectOf(project_id) ?? pod ?? '–' },
    {
      name: 'Open',
      cell: (connection) => (isOpenToMe(connection) ? <Opens {...connection} /> : 'private to them'),
    },
    {
      name: 'Last active',
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
function Opens({ conversation, session_id }: ConnectionView) {
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
  connections: readonly ConnectionView[];
  projects: readonly Project[];
}) {
  const { status, isOwner } = useAccount();
  if (connections.length === 0) {
    return (
      <Panel>
        <Empty icon={<Cable aria-hidden />} title="Nothing is connected yet">
          <p>
            Choose a host below and copy its settings. It appears here as soon as it makes its first request.
          </p>
        </Empty>
      </Panel>
    );
  }
  const open = connections.filter(({ is_open }) => is_open).length;
  const earlier = connections.length - open;
  const keys = keysOf(connections);
  // Sessions and conversations are seen by who made them.
  const isOpenToMe = ({ org, principal }: ConnectionView) =>
    isOwner || (org === status?.organisation && principal === status.principal);
  return (
    <Panel
      title={open === 0 ? 'Nothing is connected now' : `${plural(open, 'connection')} now`}
      isFlush
      aside={earlier > 0 && <span className={styles.soft}>{`${count(earlier)} earlier`}</span>}
    >
      <Table
        caption="Connections, most recently active first"
        columns={columnsFor(projects, isOpenToMe)}
        rows={connections}
        keyOf={(connection) => keys.get(connection)!}
      />
    </Panel>
  );
}

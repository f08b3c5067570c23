import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useAccount } from '../../api/account.tsx';
import { portableName } from '../../api/tool-name.ts';
import { Estimate, Figures } from '../../design/data/figures.tsx';
import { count, milliseconds, plural, share } from '../../design/data/format.ts';
import { Panel } from '../../design/layout/panel.tsx';
import { Loading, Problem, Skeleton } from '../../design/layout/placeholders.tsx';
import { readSort, writeSort } from '../../design/table/sort.ts';
import { type Column, Table } from '../../design/table/table.tsx';
import { type ToolView, toolsQuery } from '../queries.ts';
import { doorsOf, worthKeeping } from './doors.ts';
import styles from './page.module.css';

const columnsFor = (most: number): Column<ToolView>[] => [
  {
    name: 'Tool',
    sortBy: ({ name }) => name,
    cell: ({ name, title }) => (
      <>
        <Link to="/conversation" search={{ tool: portableName(name) }} className={styles.tool}>
          <code>{name}</code>
        </Link>
        <span className={styles.title}>{title}</span>
      </>
    ),
  },
  { name: 'Door', isExtra: true, sortBy: ({ door }) => door, cell: ({ door }) => door },
  {
    name: 'Tokens',
    isFigure: true,
    sortBy: ({ tokens }) => tokens,
    cell: ({ tokens }) => (
      <span className={styles.cost}>
        <span className={styles.bar} aria-hidden>
          <span style={{ width: `${(100 * tokens) / most}%` }} />
        </span>
        <span>{count(tokens)}</span>
      </span>
    ),
  },
  { name: 'Calls', isFigure: true, sortBy: ({ calls }) => calls, cell: ({ calls }) => count(calls) },
  {
    name: 'Errors',
    isFigure: true,
    isExtra: true,
    sortBy: ({ errors }) => errors,
    cell: ({ errors, calls }) =>
      errors === 0 ? (
        '0'
      ) : (
        <span className={styles.errors}>{`${count(errors)} (${share(errors / calls)})`}</span>
      ),
  },
  {
    name: 'Median',
    isFigure: true,
    isExtra: true,
    sortBy: ({ seconds }) => seconds?.median ?? null,
    cell: ({ seconds }) => (seconds ? milliseconds(seconds.median * 1000) : '–'),
  },
  {
    name: 'p95',
    isFigure: true,
    isExtra: true,
    sortBy: ({ seconds }) => seconds?.p95 ?? null,
    cell: ({ seconds }) => (seconds ? milliseconds(seconds.p95 * 1000) : '–'),
  },
];

export default function ToolsPage() {
  const { data, error, refetch } = useQuery(toolsQuery(useAccount().session));
  const { sort: given } = useSearch({ strict: false });
  const navigate = useNavigate();
  if (error && !data) return <Problem what="The tools could not be read" error={error} onRetry={refetch} />;
  if (!data) {
    return (
      <Loading what="tools">
        <Skeleton lines={14} height="2rem" />
      </Loading>
    );
  }
  const { tools, tokens } = data;
  const doors = doorsOf(tools);
  const sort = readSort(given, { by: 'Tokens', isDown: true });
  return (
    <>
      <Figures
        label="What the tool list costs"
        figures={[
          {
            name: 'Whole list',
            value: <Estimate>{count(tokens)}</Estimate>,
            note: `tokens in every prompt, for ${plural(tools.length, 'tool')}`,
          },
          ...doors.map((door) => ({
            name: door.name,
            value: count(door.tokens),
            note: `${plural(door.tools, 'tool')}, ${door.calls === 0 ? 'not called yet' : plural(door.calls, 'call')}`,
          })),
        ]}
      />
      <Panel
        title="Tools"
        isFlush
        aside={<span className={styles.aside}>calls since the server started; times of the latest 512</span>}
      >
        <Table
          caption="Tools with their cost in tokens and time"
          columns={columnsFor(Math.max(1, ...tools.map((tool) => tool.tokens)))}
          rows={tools}
          keyOf={({ name }) => name}
          sort={sort}
          onSort={(next) =>
            void navigate({
              to: '.',
              search: (before: object) => ({ ...before, sort: writeSort(next) }),
              replace: true,
            })
          }
        />
      </Panel>
      <Panel title="How to pay less">
        <div className={styles.advice}>
          <p>
            A host puts this list into every prompt, and providers bill it as input (less when it is cached).
            Doors that nobody uses can be closed: list the ones to keep under <code>toolsets</code> in the
            configuration, or when starting a server:
          </p>
          <p>
            <code>npx infold serve --toolsets {worthKeeping(doors)}</code>
          </p>
          <p>
            A change in the file takes effect at once, and hosts are told that the list has changed. Hosts
            that search for tools instead of listing them all pay only for the tools they find.
          </p>
        </div>
      </Panel>
    </>
  );
}

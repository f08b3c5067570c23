import { useNavigate, useSearch } from '@tanstack/react-router';
import { Tabs } from '../../design/controls/tabs.tsx';
import { CodeBlock, CopyButton } from '../../design/data/code.tsx';
import { Time } from '../../design/data/figures.tsx';
import { Panel } from '../../design/layout/panel.tsx';
import type { Home, Way } from '../queries.ts';
import styles from './connect.module.css';
import type { Host } from './hosts.ts';

const TRANSPORTS = {
  install: {
    name: 'Installed',
    about: 'Tools, hooks and a skill, with every change shown; “uninstall” removes them.',
  },
  stdio: {
    name: 'As a process of its own',
    about: 'The host starts Infold itself, in the folder it works in. Tools alone.',
  },
  http: {
    name: 'By this address',
    about: 'Every window of the host shares this server. The address names the project. Tools alone.',
  },
};

/** How each host is connected to this server, and which were never heard of. */
export function Connect({ home, hosts }: { home: Home; hosts: readonly Host[] }) {
  const { host: chosen } = useSearch({ strict: false });
  const navigate = useNavigate();
  const current = hosts.find(({ name }) => name === chosen) ?? hosts[0];
  if (!current) return null;
  const choose = (host: string) =>
    void navigate({ to: '.', search: (before: object) => ({ ...before, host }), replace: true });
  return (
    <Panel
      title="Connect a host"
      aside={
        <span className={styles.address}>
          <code>{home.mcp}</code>
          <CopyButton text={home.mcp} label="Copy the MCP address" />
        </span>
      }
    >
      <div className={styles.connect}>
        <Tabs
          value={current.name}
          onChange={choose}
          tabs={hosts.map((host) => ({
            value: host.name,
            label: (
              <span className={styles.label}>
                {host.name}
                <Seen lastAt={host.lastAt} />
              </span>
            ),
            content: <Ways host={host} />,
          }))}
        />
      </div>
    </Panel>
  );
}

function Seen({ lastAt }: Pick<Host, 'lastAt'>) {
  if (lastAt === null) return <span className={styles.any}>any MCP client</span>;
  return lastAt === undefined ? (
    <span className={styles.never}>not seen yet</span>
  ) : (
    <span className={styles.seen}>seen</span>
  );
}

function Ways({ host: { name, ways, lastAt } }: { host: Host }) {
  return (
    <div className={styles.ways}>
      {lastAt !== null && (
        <p className={styles.about}>
          {lastAt === undefined ? (
            `${name} has not connected yet, as far as this server remembers.`
          ) : (
            <>
              {name} was last active <Time at={lastAt} />.
            </>
          )}
        </p>
      )}
      {ways.map((way) => (
        <OneWay key={way.transport} {...way} />
      ))}
    </div>
  );
}

function OneWay({ host, transport, where, text }: Way) {
  const { name, about } = TRANSPORTS[transport];
  return (
    <div>
      <h3 className={styles.heading}>{name}</h3>
      <p className={styles.about}>
        {about}{' '}
        {where === 'command' ? (
          'Run:'
        ) : (
          <>
            Add to <code>{where}</code>:
          </>
        )}
      </p>
      <CodeBlock label={`${host}, ${name.toLowerCase()}`} text={text} />
    </div>
  );
}

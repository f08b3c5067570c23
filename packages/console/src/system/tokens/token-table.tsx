import { Button } from '../../design/controls/button.tsx';
import { Tooltip } from '../../design/controls/tooltip.tsx';
import { Badge, type Tone } from '../../design/data/badge.tsx';
import { Time } from '../../design/data/figures.tsx';
import { day, fullTime } from '../../design/data/format.ts';
import { useNow } from '../../design/hooks/use-now.ts';
import { type Column, Table } from '../../design/table/table.tsx';
import type { Project, Token } from '../queries.ts';
import { ordered, stateOf, type TokenState } from './state.ts';
import styles from './token-table.module.css';

const TONES: Record<TokenState, Tone> = { 'in force': 'good', expired: 'warn', revoked: 'mute' };

interface TokenTableProps {
  tokens: readonly Token[];
  projects: readonly Project[];
  onRevoke: (token: Token) => void;
}

export function TokenTable({ tokens, projects, onRevoke }: TokenTableProps) {
  const now = useNow();
  const nameOf = (id: string) => projects.find((project) => project.id === id)?.name ?? id;
  const columns: Column<Token>[] = [
    {
      name: 'Name',
      cell: ({ name, id, scopes }) => (
        <>
          <bdi className={styles.name}>{name}</bdi>
          <code className={styles.id}>{id}</code>
          <span className={styles.narrow}>{scopes.join(', ')}</span>
        </>
      ),
    },
    {
      name: 'State',
      cell: (token) => {
        const state = stateOf(token, now);
        return <Badge tone={TONES[state]}>{state}</Badge>;
      },
    },
    { name: 'Scopes', isExtra: true, cell: ({ scopes }) => scopes.join(', ') },
    {
      name: 'Projects',
      isExtra: true,
      cell: ({ projects: opens }) => (opens === null ? 'all' : opens.map(nameOf).join(', ')),
    },
    {
      name: 'May send in pods',
      isExtra: true,
      cell: ({ capabilities }) =>
        capabilities.includes('*') ? 'anything' : capabilities.join(', ') || 'nothing',
    },
    {
      name: 'Last used',
      isExtra: true,
      cell: ({ last_used_at }) => (last_used_at === null ? 'never' : <Time at={last_used_at} />),
    },
    {
      name: 'Ends',
      isExtra: true,
      cell: ({ expires_at }) => (expires_at === null ? 'never' : <Ends at={Date.parse(expires_at)} />),
    },
    {
      name: 'Revoke',
      isFigure: true,
      cell: (token) =>
        stateOf(token, now) === 'in force' ? (
          <Button
            look="danger"
            size="small"
            aria-label={`Revoke the token of ${token.name}`}
            onClick={() => onRevoke(token)}
          >
            Revoke
          </Button>
        ) : (
          '–'
        ),
    },
  ];
  return <Table caption="Tokens" columns={columns} rows={ordered(tokens, now)} keyOf={({ id }) => id} />;
}

function Ends({ at }: { at: number }) {
  return (
    <Tooltip text={fullTime(at)}>
      <time dateTime={new Date(at).toISOString()}>{day(at)}</time>
    </Tooltip>
  );
}

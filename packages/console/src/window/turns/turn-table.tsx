import type { WindowTurnView } from '@infold/protocol';
import { count, money, share, timeOfDay } from '../../design/data/format.ts';
import { type Column, Table } from '../../design/table/table.tsx';
import { cachedShare, leftOf } from './bars.ts';

/** More would be more than anybody reads, and slow. */
const MOST = 500;

const COLUMNS: readonly Column<WindowTurnView>[] = [
  { name: 'Turn', cell: ({ turn }) => turn, isFigure: true },
  { name: 'Time', cell: ({ at }) => timeOfDay(Date.parse(at)), isExtra: true },
  { name: 'System', cell: ({ held }) => count(held.system), isFigure: true, isExtra: true },
  { name: 'Tools', cell: ({ held }) => count(held.tools), isFigure: true, isExtra: true },
  { name: 'Messages', cell: ({ held }) => count(held.text), isFigure: true, isExtra: true },
  {
    name: 'Results',
    cell: ({ held }) => count(held.results.reduce((sum, { tokens }) => sum + tokens, 0)),
    isFigure: true,
    isExtra: true,
  },
  { name: 'Sent', cell: ({ tokens }) => `≈ ${count(tokens.sent)}`, isFigure: true },
  {
    name: 'Left out',
    cell: (turn) => (leftOf(turn) === 0 ? '0' : `≈ ${count(leftOf(turn))}`),
    isFigure: true,
  },
  {
    name: 'From cache',
    cell: (turn) => {
      const cached = cachedShare(turn);
      return cached === undefined ? '–' : share(cached);
    },
    isFigure: true,
  },
  {
    name: 'Cost',
    cell: ({ answer }) => (answer?.money ? money(answer.money.actual) : '–'),
    isFigure: true,
    isExtra: true,
  },
];

/** The chart in figures, the newest turn first. */
export default function TurnTable({ turns }: { turns: readonly WindowTurnView[] }) {
  const rows = turns.slice(-MOST).reverse();
  const caption = rows.length < turns.length ? `The last ${MOST} turns, in tokens` : 'All turns, in tokens';
  return <Table caption={caption} columns={COLUMNS} rows={rows} keyOf={({ turn }) => String(turn)} />;
}

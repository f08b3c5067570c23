import { listDenials } from '../../system/actions/list-denials.ts';
import { act } from '../act.ts';
import type { Run } from '../command-line.ts';
import { table } from '../output.ts';

export function denials(run: Run): Promise<number> {
  return act(
    run,
    listDenials,
    {},
    {
      show: ({ denials: found }) => {
        if (found.length === 0) return 'Nobody was refused anything.';
        const rows = found.map((one) => [
          one.principal,
          one.org,
          one.action,
          one.resource,
          one.code,
          String(one.count),
          one.last_at,
        ]);
        return table(rows, ['WHO', 'ORG', 'ACTION', 'ON', 'WHY', 'TIMES', 'LAST']);
      },
    },
  );
}

import type { ConfigReport } from '../../kernel/config.ts';
import { limitsOf } from '../../system/actions/list-limits.ts';
import { type Output, table } from '../output.ts';

/** Asks no data folder: what it would say is in the configuration. */
export function showLimits({ config, origins }: ConfigReport, output: Output): void {
  const limits = limitsOf(config, origins);
  output.answer({ limits }, () => {
    const rows = limits.map(({ name, value, origin, environment }) => [
      name,
      String(value),
      origin,
      environment,
    ]);
    return table(rows, ['LIMIT', 'VALUE', 'FROM', 'ENVIRONMENT']);
  });
}

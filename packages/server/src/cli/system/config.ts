import type { ConfigReport } from '../../kernel/config.ts';
import { configView } from '../../system/actions/read-config.ts';
import { type Output, table } from '../output.ts';

/** The effective configuration and where each value came from. Values that may hold secrets are not shown. */
export function showConfig(report: ConfigReport, output: Output): void {
  const { file, values } = configView(report);
  output.answer({ file, values }, () => {
    const rows = Object.entries(values).map(([key, { value, origin, environment }]) => [
      key,
      value === null ? '-' : typeof value === 'string' ? value : JSON.stringify(value),
      origin,
      environment,
    ]);
    const from = file ?? 'none (looked for ./infold.config.json)';
    return `Configuration file: ${from}\n\n${table(rows, ['KEY', 'VALUE', 'FROM', 'ENVIRONMENT'])}`;
  });
}

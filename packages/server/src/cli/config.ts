import { type ConfigReport, environmentName } from '../kernel/config.ts';
import { limitsOf } from '../system/actions/list-limits.ts';
import { type Output, table } from './output.ts';

/** What is set name by name. */
const SECTIONS = ['limits', 'window'];

/** The effective configuration and where each value came from. Values that may hold secrets are not shown. */
export function showConfig(report: ConfigReport, output: Output): void {
  const values: Record<string, { value: unknown; origin: string; environment: string }> = {};
  const add = (key: string, value: unknown) => {
    const origin = report.origins[key] ?? 'default';
    values[key] = { value: shown(key, value), origin, environment: environmentName(key) };
  };
  for (const [key, value] of Object.entries(report.config)) {
    if (SECTIONS.includes(key))
      for (const [name, inner] of Object.entries(value as object)) add(`${key}.${name}`, inner);
    else add(key, value);
  }
  output.answer({ file: report.file, values }, () => {
    const rows = Object.entries(values).map(([key, { value, origin, environment }]) => [
      key,
      value === null ? '-' : typeof value === 'string' ? value : JSON.stringify(value),
      origin,
      environment,
    ]);
    const file = report.file ?? 'none (looked for ./infold.config.json)';
    return `Configuration file: ${file}\n\n${table(rows, ['KEY', 'VALUE', 'FROM', 'ENVIRONMENT'])}`;
  });
}

function shown(key: string, value: unknown): unknown {
  if (value === undefined) return null;
  if (['embeddings', 'oauth', 'sources'].includes(key) && value !== null && typeof value === 'object') {
    return Object.keys(value);
  }
  return value;
}

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

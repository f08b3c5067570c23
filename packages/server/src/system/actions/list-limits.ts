import { systemApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { type ConfigReport, environmentName } from '../../kernel/config.ts';

declare module '../../call/parts.ts' {
  interface Parts {
    /** What set each value of the configuration; the defaults where nothing is said. */
    origins: Partial<ConfigReport['origins']>;
  }
}

export const listLimits = defineAction(systemApi.listLimits, {
  run: (_input, { config, parts }) => ({ structured: { limits: limitsOf(config, parts.origins) } }),
});

/** Every row of the limits table, with what set it. */
export function limitsOf(
  { limits }: Pick<ConfigReport['config'], 'limits'>,
  origins: Partial<ConfigReport['origins']>,
) {
  return Object.entries(limits).map(([name, value]) => ({
    name,
    value,
    origin: origins[`limits.${name}`] ?? 'default',
    environment: environmentName(`limits.${name}`),
  }));
}

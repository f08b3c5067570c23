import { systemApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { type ConfigReport, environmentName } from '../../kernel/config.ts';
import { maskedAddresses } from '../../kernel/nats-config.ts';
import { shownWebhooks, type WebhookConfig } from '../../kernel/webhook-config.ts';
import { textFor } from '../../trust/access/hide-paths.ts';

declare module '../../call/parts.ts' {
  interface Parts {
    /** The file that the configuration was read from. */
    configFile: ConfigReport['file'];
  }
}

export const readConfig = defineAction(systemApi.readConfig, {
  run(_input, { config, caller, parts }) {
    const { file, values } = configView({ config, origins: parts.origins, file: parts.configFile });
    const told = (text: string) => textFor(caller, text, config);
    return {
      structured: {
        file: file === null ? null : told(file),
        values: Object.fromEntries(
          Object.entries(values).map(([key, one]) => [
            key,
            PATHS.includes(key) ? { ...one, value: JSON.parse(told(JSON.stringify(one.value))) } : one,
          ]),
        ),
      },
    };
  },
});

interface Shown {
  value: unknown;
  origin: string;
  environment: string;
}

/** What is set name by name. */
const SECTIONS = ['limits', 'window', 'hooks', 'hub', 'nats'];

/** What names files of this machine. */
const PATHS = ['data', 'nats.creds', 'nats.nkey', 'nats.tls'];

/** The effective configuration and where each value came from. Values that may hold secrets are not shown. */
export function configView({
  config,
  origins,
  file,
}: Omit<ConfigReport, 'origins'> & { origins: Partial<ConfigReport['origins']> }): {
  file: string | null;
  values: Record<string, Shown>;
} {
  const values: Record<string, Shown> = {};
  const add = (key: string, value: unknown) => {
    // Follows from where the others came from.
    if (key === 'hub.isForeignUrl') return;
    values[key] = {
      value: shown(key, value),
      origin: origins[key] ?? 'default',
      environment: key === 'nats.tls' ? `${environmentName(key)}_*` : environmentName(key),
    };
  };
  for (const [key, value] of Object.entries(config)) {
    if (SECTIONS.includes(key))
      for (const [name, inner] of Object.entries(value as object)) add(`${key}.${name}`, inner);
    else add(key, value);
  }
  return { file, values };
}

function shown(key: string, value: unknown): unknown {
  if (value === undefined) return null;
  if (['embeddings', 'oauth', 'sources'].includes(key) && value !== null && typeof value === 'object') {
    return Object.keys(value);
  }
  if (key === 'hub.token') return 'set';
  if (key === 'webhooks') return shownWebhooks(value as WebhookConfig[]);
  return key === 'nats.url' ? maskedAddresses(value as string) : value;
}

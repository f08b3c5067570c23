import type { WebhookStatus } from '@infold/protocol';
import { listWebhooks, retryWebhook, testWebhook } from '../../library/webhooks/actions.ts';
import { act } from '../act.ts';
import type { Run } from '../command-line.ts';
import { EXIT, table } from '../output.ts';

export function webhookList(run: Run): Promise<number> {
  return act(run, listWebhooks, {}, { reads: true, show: ({ webhooks }) => listed(webhooks) });
}

export function webhookTest(run: Run, webhook: string): Promise<number> {
  return act(
    run,
    testWebhook,
    { webhook },
    {
      reads: true,
      show: ({ webhook, delivery, ok, status, problem, milliseconds }) =>
        ok
          ? `"${webhook}" took the ping ${delivery} (${status}, ${milliseconds} ms).`
          : `"${webhook}" did not take the ping ${delivery}: ${problem}.`,
      exitCode: ({ ok }) => (ok ? EXIT.done : EXIT.failed),
    },
  );
}

export function webhookRetry(run: Run, webhook: string, delivery: string | undefined): Promise<number> {
  return act(
    run,
    retryWebhook,
    { webhook, delivery },
    {
      show: ({ webhook, retried, waiting }) =>
        `${retried} that were given up wait again; ${waiting} wait for "${webhook}". A server that runs sends them now.`,
    },
  );
}

const STATES: Record<WebhookStatus['state'], string> = {
  new: 'new: no server has started with it',
  ready: 'ready',
  failing: 'failing',
  removed: 'not configured any more',
};

function listed(webhooks: readonly WebhookStatus[]): string {
  if (webhooks.length === 0) return 'No webhooks are configured ("webhooks" in the configuration).';
  const rows = webhooks.map(({ name, url, state, waiting, delivered, given_up, last_delivery }) => [
    ...[name, url ?? '-', STATES[state], String(waiting), String(delivered), String(given_up)],
    last_delivery ? `${last_delivery.event} ${last_delivery.at}` : 'never',
  ]);
  const columns = ['WEBHOOK', 'RECEIVER', 'STATE', 'WAITING', 'DELIVERED', 'GIVEN UP', 'LAST DELIVERY'];
  return [table(rows, columns), ...webhooks.flatMap(troubles)].join('\n');
}

function troubles({ name, problem, failing_since, next_attempt, failed, given_up }: WebhookStatus): string[] {
  const since = failing_since === null ? '' : ` (since ${failing_since}, next attempt ${next_attempt})`;
  return [
    ...(problem === null ? [] : ['', `${name}: ${problem}${since}`]),
    ...(given_up === 0 ? [] : ['', `${name} was not told, and "infold webhook retry ${name}" tells it:`]),
    ...failed.map(({ id, event, at, problem }) => `  ${id} ${event} ${at}: ${problem}`),
    ...(given_up > failed.length ? [`  … and ${given_up - failed.length} older ones`] : []),
  ];
}

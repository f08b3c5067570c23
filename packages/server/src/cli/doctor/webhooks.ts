import { isLoopback } from '../../http/access/guard.ts';
import type { Journal } from '../../journal/journal.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Config } from '../../kernel/config.ts';
import { createLogger } from '../../kernel/log.ts';
import { Webhooks } from '../../library/webhooks/webhooks.ts';
import type { Check } from './check.ts';

/** Whether each webhook can be sent to, is taken, and is not read on its way. */
export function checkWebhooks(config: Config, journal: Journal): Check[] {
  const webhooks = new Webhooks({ journal, config, clock: systemClock, log: createLogger('silent') });
  return webhooks.list().map(({ name, url, state, waiting, given_up, problem }) => {
    const advice = [
      ...(problem === null ? [] : [problem]),
      ...(given_up > 0 ? [`${given_up} were given up: "infold webhook retry ${name}" sends them again`] : []),
      ...(url !== null && isOpenWay(url)
        ? ['What it is sent goes unencrypted to another machine: use https']
        : []),
      ...(state === 'removed' ? ['It is not configured any more; the next "infold serve" drops it'] : []),
    ];
    return {
      name: `webhook ${name}`,
      state: advice.length > 0 ? 'warning' : 'ok',
      detail: `${url ?? 'no address'}: ${state}, ${waiting} wait`,
      ...(advice.length > 0 && { advice: advice.join('; ') }),
    };
  });
}

function isOpenWay(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !isLoopback(hostname);
}

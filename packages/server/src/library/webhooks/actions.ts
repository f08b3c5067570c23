import { webhooksApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { type Caller, runsServer } from '../../trust/identity/caller.ts';

/** To everybody else, this server has none. */
function checkSeen(caller: Caller, name: string): void {
  if (!runsServer(caller)) throw new InfoldError('not_found', `There is no webhook "${name}"`);
}

export const listWebhooks = defineAction(webhooksApi.listWebhooks, {
  run(_input, { parts, caller }) {
    return { structured: { webhooks: runsServer(caller) ? parts.webhooks.list() : [] } };
  },
});

export const testWebhook = defineAction(webhooksApi.testWebhook, {
  async run({ webhook }, { parts, caller }) {
    checkSeen(caller, webhook);
    return { structured: await parts.webhooks.test(webhook) };
  },
});

export const retryWebhook = defineAction(webhooksApi.retryWebhook, {
  async run({ webhook, delivery }, { parts, caller }) {
    checkSeen(caller, webhook);
    return { structured: await parts.webhooks.retry(webhook, delivery ?? null) };
  },
});

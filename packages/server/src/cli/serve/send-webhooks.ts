import { messageOf } from '../../kernel/errors.ts';
import type { Services } from '../services/services.ts';

/** Before anybody can connect: what happens from then on is sent. A server that could send nothing says so and does not start. */
export async function configureWebhooks({ parts }: Services): Promise<void> {
  parts.webhooks.check();
  await parts.webhooks.configure({ ends: true });
}

/** For a host's process, whose tools work whatever is wrong with webhooks. */
export async function sendWebhooks({ parts, log }: Services): Promise<void> {
  try {
    await parts.webhooks.configure({ ends: false });
    parts.webhooks.start();
  } catch (error) {
    log.warn({ problem: messageOf(error) }, 'webhooks');
  }
}

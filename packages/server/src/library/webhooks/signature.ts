import { createHmac } from 'node:crypto';

/**
 * `t=1700000000,v1=…`: the second in which it was sent, and the HMAC-SHA256 of that number, a dot and the body. The time is
 * signed with the body, so that who overhears a delivery cannot send it again much later.
 */
export function signatureOf(secret: string, body: string, now: number): string {
  const timestamp = Math.floor(now / 1000);
  const digest = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  return `t=${timestamp},v1=${digest}`;
}

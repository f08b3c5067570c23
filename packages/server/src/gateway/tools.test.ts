import { expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { startServer } from '../fold/fixture.suite.ts';
import type { CallResult } from '../mcp/tools/call.ts';

interface Page {
  messages: { seq: number; envelope: { id: string; payload: { text: string } | string } }[];
  next: number;
  more: boolean;
}

test('what is read of a pod is kept under 40,000 characters, and each message is read once', async () => {
  verifies('KERN-07');
  const { agent, services } = await startServer({ toolsets: ['fold', 'gateway'] });
  services.openGateway(true);
  onTestFinished(() => services.settle());
  const sent: string[] = [];
  for (let index = 0; index < 30; index++) {
    const text = `${index} ${'"said"\n'.repeat(index === 12 ? 8000 : 400)}`;
    const { id } = await agent.call<{ id: string }>('pod_send', { pod: 'p', kind: 'reflection', text });
    sent.push(id);
  }
  const read: string[] = [];
  const texts: string[] = [];
  for (let since = 0, more = true; more; ) {
    const result = (await agent.outcome('pod_read', { pod: 'p', since, limit: 200 })) as CallResult;
    const [{ text }] = result.content;
    expect(text.length).toBeLessThan(40_000);
    expect(JSON.parse(text)).toEqual(result.structuredContent);
    const page = result.structuredContent as unknown as Page;
    const own = page.messages.filter(({ envelope }) => sent.includes(envelope.id));
    read.push(...own.map(({ envelope }) => envelope.id));
    texts.push(...own.map(({ envelope }) => JSON.stringify(envelope.payload)));
    ({ next: since, more } = page);
  }
  expect(read).toEqual(sent);
  expect(texts[12]).toMatch(/… \(\d+ characters\)"$/);
});

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { signatureOf } from './signature.ts';

const secret = ['only', 'for', 'this', 'test'].join('-');

test('a signature is what the documented receiver accepts, and of nothing else', async () => {
  const page = readFileSync(
    fileURLToPath(new URL('../../../../../docs/webhooks.md', import.meta.url)),
    'utf8',
  );
  const snippet = /```js\n([\s\S]*?)```/.exec(page)![1]!;
  const module = `data:text/javascript,${encodeURIComponent(`${snippet}\nexport { isGenuine };`)}`;
  const { isGenuine } = (await import(/* @vite-ignore */ module)) as {
    isGenuine: (secret: string, header: string, body: string) => boolean;
  };
  const body = '{"event":"ping","text":"naïve — ✓"}';
  const header = signatureOf(secret, body, Date.now());
  expect(header).toMatch(/^t=\d{10},v1=[0-9a-f]{64}$/);
  expect(isGenuine(secret, header, body)).toBe(true);
  expect(isGenuine(secret, header, `${body} `)).toBe(false);
  expect(isGenuine(`${secret}!`, header, body)).toBe(false);
  expect(isGenuine(secret, header.replace(/t=\d/, 't=9'), body)).toBe(false);
  expect(isGenuine(secret, header.slice(0, -2), body)).toBe(false);
  expect(isGenuine(secret, signatureOf(secret, body, Date.now() - 600_000), body)).toBe(false);
});

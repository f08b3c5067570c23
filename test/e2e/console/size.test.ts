import { beforeAll, expect, test } from 'vitest';
import { countScripts } from './scripts.ts';
import { seed } from './seed.ts';
import {
  type ConsoleServer,
  describeInBrowser,
  openConsole,
  settled,
  startConsoleServer,
} from './support.ts';

/** Of everything that the first view needs; `npm run bench console` measures the same. */
const MOST = 180_000;

describeInBrowser('what the console weighs', () => {
  let server: ConsoleServer;
  beforeAll(async () => {
    server = await startConsoleServer();
    // With a conversation, since what shows one is a part of the first view.
    await seed(server);
  });

  test('the first view needs at most 180 kB of JavaScript, and other views load theirs when one goes there', async () => {
    // Nothing of it is in the cache there.
    const page = await openConsole(server, { path: '/healthz' });
    const count = countScripts(page);
    await page.goto(`${server.url}/window`);
    // The last of it to be shown.
    await page.getByRole('list', { name: /blocks?, \d+ of them not sent whole/ }).waitFor();
    await settled(page);
    const first = await count();
    expect(first).toBeGreaterThan(50_000);
    expect(first).toBeLessThanOrEqual(MOST);
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Conversation' }).click();
    await page.getByRole('heading', { level: 1, name: 'Conversation' }).waitFor();
    await expect.poll(count).toBeGreaterThan(first);
  });
});

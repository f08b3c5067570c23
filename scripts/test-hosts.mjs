import { runTests } from './vitest.mjs';

/**
 * `npm run test:hosts [-- -t codex]`: the tests with real hosts, which are installed from npm for it and removed again.
 * INFOLD_TEST_HOSTS=DIR keeps them there for the next time.
 */
await runTests(['--project', 'e2e', 'test/e2e/hosts'], { INFOLD_TEST_HOSTS: '1', ...process.env });

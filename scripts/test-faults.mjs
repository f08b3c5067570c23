import { runTests } from './vitest.mjs';

/** `npm run test:faults`: the fault tests in their long form (hundreds of kills instead of a few). */
await runTests(['--project', 'faults'], { ...process.env, INFOLD_FAULTS: 'long' });

import { runTests } from './vitest.mjs';

/**
 * `npm run test:faults`: the fault tests in their long form (hundreds of kills instead of a few), and the properties of the
 * unit tests with all of their runs.
 */
await runTests(['--project', 'faults', '--project', 'unit*'], { ...process.env, INFOLD_FAULTS: 'long' });

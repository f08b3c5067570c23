import { afterAll } from 'vitest';
import { cleanUp } from './leftovers.ts';

/** Runs for every test file, also where files share their modules. */
afterAll(cleanUp);

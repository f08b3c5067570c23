import { readFileSync } from 'node:fs';
import { checkSessionProof } from '../../packages/server/dist/library/proof/check.js';

/** A process that verifies the session proof in a file and nothing else. Prints milliseconds. */
const text = readFileSync(process.argv[2] ?? '', 'utf8');
const started = performance.now();
const { problem } = checkSessionProof(text);
const taken = performance.now() - started;
if (problem) throw new Error(problem);
process.stdout.write(String(taken));

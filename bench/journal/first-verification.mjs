import { readFileSync } from 'node:fs';
import { problemOf, readProof } from '../../packages/server/dist/journal/integrity/proof.js';

/** A process that verifies the proof in a file and nothing else. Prints milliseconds. */
const text = readFileSync(process.argv[2] ?? '', 'utf8');
const started = performance.now();
const proof = readProof(text);
const problem = proof ? problemOf(proof) : 'no proof';
const taken = performance.now() - started;
if (problem) throw new Error(problem);
process.stdout.write(String(taken));

import { readFileSync } from 'node:fs';
import { problemOf, readProof } from '../../packages/server/dist/journal/proof.js';

/** A process that verifies the proof in a file and nothing else, nothing compiled yet. Prints milliseconds of CPU. */
const text = readFileSync(process.argv[2] ?? '', 'utf8');
const before = process.cpuUsage();
const proof = readProof(text);
const problem = proof ? problemOf(proof) : 'no proof';
const { user, system } = process.cpuUsage(before);
if (problem) throw new Error(problem);
process.stdout.write(String((user + system) / 1000));

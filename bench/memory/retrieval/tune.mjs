import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomFrom } from './bulk.mjs';
import { mean, openMaterial, recall } from './evaluate.mjs';

/**
 * Looks for weights by random search, and tells what choosing them is worth: each conversation is judged with the
 * weights that were best on the others. `node bench/memory/retrieval/tune.mjs [tries] [seed]`.
 */
const tries = Number(process.argv[2] ?? 120);
const random = randomFrom(Number(process.argv[3] ?? 11));
const folder = mkdtempSync(join(tmpdir(), 'infold-tune-'));
const material = await openMaterial(folder);

/** @type {Record<string, readonly number[]>} */
const CHOICES = {
  rarityPower: [1, 1.15, 1.3, 1.5],
  saturation: [0.5, 0.9, 1.3],
  lengthPenalty: [0.2, 0.4, 0.6],
  synonym: [0.35, 0.45, 0.6, 0.75],
  member: [0.25, 0.35, 0.5],
  proximity: [0, 0.2, 0.4],
  coverage: [0, 0.3, 0.6, 1],
  previous: [0.35, 0.5, 0.65],
  previous2: [0.1, 0.2, 0.3],
  next: [0.15, 0.3, 0.4],
  next2: [0, 0.1, 0.15],
  asked: [0, 0.2, 0.4],
  complement: [0, 0.5, 1],
  thread: [0.2, 0.4, 0.6, 0.8],
  author: [0.25, 0.4, 0.55],
  time: [0.8, 1.2],
  shape: [0, 0.1, 0.15, 0.25],
  question: [0, 0.1, 0.2],
  expansion: [0, 0, 0.1, 0.2],
  diversity: [0, 0.02, 0.04, 0.06],
};

/** @param {object} weights */
async function judge(weights) {
  const scores = material.questions.map(async (question) => {
    const found = await material.ask(question, weights, 10);
    return 0.7 * recall(found, question.evidence) + 0.3 * recall(found.slice(0, 5), question.evidence);
  });
  return Promise.all(scores);
}

const runs = [];
for (let index = 0; index < tries; index++) {
  /** @type {Record<string, number>} */
  const chosen = {};
  for (const [name, values] of Object.entries(CHOICES)) {
    const kept = index === 0 || random() < 0.35;
    chosen[name] = kept ? material.weights[name] : (values[Math.floor(random() * values.length)] ?? 0);
  }
  runs.push({ chosen, scores: await judge({ ...material.weights, ...chosen }) });
}
const names = [...new Set(material.questions.map(({ conversation }) => conversation))];
const held = names.map((name) => {
  const is = material.questions.map(({ conversation }) => conversation === name);
  const best = runs
    .map((run) => ({ run, score: mean(run.scores.filter((_, index) => !is[index])) }))
    .sort((one, other) => other.score - one.score)[0];
  const judged = (/** @type {{ scores: number[] }} */ run) =>
    mean(run.scores.filter((_, index) => is[index]));
  return { name, tuned: judged(best?.run ?? runs[0]), start: judged(runs[0] ?? { scores: [] }) };
});
for (const { name, tuned, start } of held) {
  process.stdout.write(
    `${name}: ${(start * 100).toFixed(1)} as it is, ${(tuned * 100).toFixed(1)} tuned on the others\n`,
  );
}
const sorted = [...runs].sort((one, other) => mean(other.scores) - mean(one.scores));
process.stdout.write(
  `as it is ${(mean(runs[0]?.scores ?? []) * 100).toFixed(2)}, best ${(mean(sorted[0]?.scores ?? []) * 100).toFixed(2)}\n`,
);
process.stdout.write('mean of the best tenth, and of the worst tenth:\n');
const tenth = Math.max(3, Math.floor(tries / 10));
for (const name of Object.keys(CHOICES)) {
  const good = mean(sorted.slice(0, tenth).map(({ chosen }) => chosen[name] ?? 0));
  const bad = mean(sorted.slice(-tenth).map(({ chosen }) => chosen[name] ?? 0));
  process.stdout.write(`  ${name.padEnd(14)} ${good.toFixed(3)}  ${bad.toFixed(3)}\n`);
}
await material.close();
rmSync(folder, { recursive: true, force: true });

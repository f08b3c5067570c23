import { fileURLToPath } from 'node:url';
import { benchmark } from '../harness.mjs';
import { importSource } from '../support/typescript.mjs';

const HOSTS = ['claude-code', 'codex', 'opencode-chat', 'gemini-cli-3'];
/** What counts as a long conversation: the tokens of its largest prompt. */
const LONG = 50_000;
const LOOP = 'branch and records';
/** Of the random conversations: what is found once can be looked into again. */
const SEED = 11;

/** @param {any} report */
function line({ host, name, turns, largest, tokens, ratio, worst, gone }) {
  const rules = Object.entries(gone).map(([rule, count]) => `${rule} ${Math.round(count / 100) / 10}k`);
  return [
    host.padEnd(14),
    name.padEnd(40),
    `${turns}`.padStart(4),
    `${Math.round(largest / 1000)}k`.padStart(5),
    `${Math.round(tokens / 1000)}k`.padStart(7),
    ratio.toFixed(3),
    `${worst.ratio.toFixed(3)} at ${worst.turn}`.padEnd(13),
    rules.join(', '),
  ].join('  ');
}

/** @param {any[]} reports */
function worstOf(reports) {
  return reports.reduce((one, other) => (other.worst.ratio > one.worst.ratio ? other : one));
}

/** @param {number[]} numbers */
function median(numbers) {
  const sorted = numbers.toSorted((one, other) => one - other);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/**
 * What conversations cost through the window door with a simulated provider: its cache, its lifetimes, its prices. The
 * same requests go to it as they came and as the door sends them.
 */
export default benchmark({
  target:
    'never above the untouched conversation; long ones at most 0.80 ×; branches and records at most 0.15 ×',
  async run({ quick }) {
    const source = 'packages/client/src/window/testing/bench.suite.ts';
    const { TRACES, compactionsOf, contentOf, costOfTrace, hostNamed, lastPromptShare, randomScripts } =
      await importSource(source);
    const content = contentOf(fileURLToPath(new URL('../..', import.meta.url)));
    const reports = [];
    const shares = [];
    const random = [];
    for (const name of HOSTS) {
      const host = hostNamed(name);
      for (const script of randomScripts(content, host, quick ? 30 : 150, SEED)) {
        const report = { ...costOfTrace(script, host), turnsTaken: [] };
        if (report.worst.ratio > 1) process.stderr.write(`${line(report)}\n`);
        random.push(report);
      }
      for (const [trace, make] of TRACES) {
        const script = make(content);
        if (quick && script.steps.length > 50) continue;
        const report = costOfTrace(script, host);
        process.stderr.write(`${line(report)}\n`);
        if (trace === LOOP) shares.push({ name, ...lastPromptShare(report, host) });
        if (trace === 'compacted at a limit') {
          const { untouched, door } = compactionsOf(script, host);
          process.stderr.write(
            `  compacted ${untouched.compactions} times untouched, ${door.compactions} times through the door, where the host goes by what it is told; billed ${(door.billed / untouched.billed).toFixed(3)}\n`,
          );
        }
        // The figures of each turn are for whoever looks into one trace; here they would only take memory.
        reports.push({ ...report, turnsTaken: [] });
      }
    }
    const against = 'the conversation as it came';
    const worst = worstOf(reports);
    const worstRandom = worstOf(random);
    const long = reports.filter(({ largest }) => largest > LONG).map(({ ratio }) => ratio);
    return [
      {
        what: `billed cost after any turn of ${reports.length} traces, the worst (${worst.name}, ${worst.host}, turn ${worst.worst.turn})`,
        unit: '×',
        against,
        ours: [worst.worst.ratio],
        floor: [1],
        limit: { ratioAtMost: 1 },
      },
      {
        what: `billed cost after any turn of ${random.length} random conversations, the worst (${worstRandom.name}, ${worstRandom.host}, turn ${worstRandom.worst.turn})`,
        unit: '×',
        against,
        ours: [worstRandom.worst.ratio],
        floor: [1],
        limit: { ratioAtMost: 1 },
      },
      ...(long.length === 0
        ? []
        : [
            {
              what: `billed cost of ${long.length} traces with more than 50,000 tokens, median`,
              unit: '×',
              against,
              ours: [median(long)],
              floor: [1],
              limit: { ratioAtMost: 0.8 },
            },
          ]),
      ...shares.map(({ name, sent, untouched }) => ({
        what: `last prompt of branches and records in ${name}, the conversation alone`,
        unit: 'tokens',
        against,
        ours: [sent],
        floor: [untouched],
        limit: { ratioAtMost: 0.15 },
      })),
    ];
  },
});

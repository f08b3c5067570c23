import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Agent } from './agents.mjs';
import { ask, findNats, startCluster } from './processes.mjs';
import { leaderOf, lineOf, look } from './watch.mjs';

/** `node examples/cluster/run.mjs [--seconds N] [--every N] [--agents N] [--quiet] [--json]` */
const { values } = parseArgs({
  options: {
    /** How long; without it until Ctrl-C. */
    seconds: { type: 'string' },
    /** Something dies this often, and comes back after half that time. */
    every: { type: 'string', default: '8' },
    agents: { type: 'string', default: '3' },
    /** Only what is broken, and the end. */
    quiet: { type: 'boolean', default: false },
    /** The end as JSON, and nothing else on standard output. */
    json: { type: 'boolean', default: false },
  },
});
const HEALING = 60_000;
/** In turns: what each of them answers gives back what it took. */
const FAULTS = [killLeader, killNode, holdLeader, restartNode];

const say = (text) => values.json || process.stdout.write(`${text}\n`);
const over = new AbortController();
const sleep = (milliseconds) => wait(milliseconds, undefined, { signal: over.signal }).catch(() => {});

const nats = findNats();
if (nats === undefined) {
  process.stderr.write('This needs nats-server in the PATH, such as by "apt-get install nats-server".\n');
  process.exit(2);
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    // Who asks twice does not want to wait. What was started ends with this process.
    if (over.signal.aborted) process.exit(130);
    say('… ending: everything comes back, and the nodes are compared. Ctrl-C once more ends at once.');
    over.abort();
  });
}

say('Starting three NATS servers and three nodes …');
const cluster = await startCluster(nats);
const { servers, nodes } = cluster;
const agents = Array.from({ length: Number(values.agents) }, (_, index) => {
  return new Agent(`agent-${index + 1}`, nodes, index % nodes.length);
});
const actions = [];
const surprises = [];

let report;
try {
  const working = agents.map((agent) => agent.work());
  const seconds = Number(values.seconds ?? Number.POSITIVE_INFINITY);
  const ends = Number.isFinite(seconds) ? sleep(seconds * 1000).then(() => over.abort()) : undefined;
  await Promise.all([ends, watch(), breakThings()]);
  for (const agent of agents) agent.stop();
  await Promise.all(working);
  report = await compare();
} finally {
  over.abort();
  await cluster.stop();
}
if (values.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
else say(summary(report));
process.exit(report.ok ? 0 : 1);

/** A line each second, until it is over. */
async function watch() {
  const started = performance.now();
  while (!over.signal.aborted) {
    for (const part of [...servers, ...nodes]) noteSurprise(part);
    if (!values.quiet)
      say(lineOf(await look(cluster), Math.round((performance.now() - started) / 1000), agents));
    await sleep(1000);
  }
}

/** Nothing may die of itself. */
function noteSurprise(part) {
  if (!part.isMeantToRun || part.isRunning || over.signal.aborted) return;
  surprises.push(`${part.name} ended by itself`);
  say(`!! ${part.name} ended by itself:\n${part.log()}`);
  part.start();
}

/** Takes one thing away at a time, and gives it back. */
async function breakThings() {
  const half = Number(values.every) * 500;
  for (let round = 0; !over.signal.aborted; round++) {
    await sleep(half);
    if (over.signal.aborted) return;
    const give = await FAULTS[round % FAULTS.length](round);
    await sleep(half);
    await give();
  }
}

async function killLeader() {
  const leader = await leadingServer();
  act(`kill -9 ${leader.name}, which leads the journal’s stream`);
  await leader.end('SIGKILL');
  return () => restart(leader);
}

async function killNode(round) {
  const node = nodes[round % nodes.length];
  act(`kill -9 ${node.name}`);
  await node.end('SIGKILL');
  return () => restart(node);
}

async function holdLeader() {
  const leader = await leadingServer();
  act(`stop ${leader.name}, which leads the journal’s stream: it neither answers nor hangs up`);
  leader.stop();
  return () => {
    act(`continue ${leader.name}`);
    leader.continue();
  };
}

async function restartNode(round) {
  const node = nodes[round % nodes.length];
  act(`end ${node.name} as for an upgrade`);
  await node.end('SIGTERM');
  return () => restart(node);
}

async function leadingServer() {
  const name = await leaderOf(servers);
  return servers.find((server) => server.name === name) ?? servers[0];
}

function restart(part) {
  act(`start ${part.name}`);
  part.start();
}

function act(text) {
  actions.push(text);
  say(`-- ${text}`);
}

/** Once all are back: every node has the same head, and knows every branch whose folding was acknowledged. */
async function compare() {
  for (const part of [...servers, ...nodes]) {
    if (part.isStopped) part.continue();
    part.start();
  }
  const deadline = performance.now() + HEALING;
  let seen = await look(cluster);
  while (!isEven(seen) && performance.now() < deadline) {
    await wait(200);
    seen = await look(cluster);
  }
  const lost = await Promise.all(nodes.map(lostOn));
  const failures = {};
  for (const agent of agents) {
    for (const [said, count] of Object.entries(agent.failures))
      failures[said] = (failures[said] ?? 0) + count;
  }
  return {
    ok: isEven(seen) && lost.flat().length === 0 && surprises.length === 0,
    folds: agents.reduce((sum, { folded }) => sum + folded.length, 0),
    failures,
    actions,
    surprises,
    lost: [...new Set(lost.flat())],
    nodes: seen.nodes,
  };
}

function isEven({ nodes: seen }) {
  const heads = new Set(seen.map(({ head }) => head));
  return heads.size === 1 && seen.every(({ state, seq, headSeq }) => state === 'ready' && seq === headSeq);
}

async function lostOn(node) {
  const missing = [];
  for (const { name, folded } of agents) {
    const answer = await ask(`${node.url}/api/sessions/${name}/branches`, {
      signal: AbortSignal.timeout(HEALING),
    });
    const known = (answer?.ok ? answer.body.branches : []).filter(({ status }) => status === 'folded');
    const ids = new Set(known.map(({ id }) => id));
    missing.push(...folded.filter((id) => !ids.has(id)));
  }
  return missing;
}

function summary({ ok, folds, failures, nodes: seen, lost }) {
  const retries = Object.entries(failures).map(([said, count]) => `${count} × ${said}`);
  return [
    `${folds} folds acknowledged, ${lost.length} of them missing on some node.`,
    `Calls that had to be repeated: ${retries.join(', ') || 'none'}.`,
    ...seen.map(({ name, state, seq, head }) => `${name}: ${state}, entry ${seq}, head ${head}`),
    ok ? 'All nodes agree.' : 'The nodes do not agree, or something ended by itself.',
  ].join('\n');
}

import { ask } from './processes.mjs';

/** Where the journal is kept: the stream in JetStream. */
const STREAM = 'INFOLD';

/** What each node and the NATS servers say of themselves at this moment. */
export async function look({ servers, nodes }) {
  const [states, heads, leader] = await Promise.all([
    Promise.all(nodes.map(stateOf)),
    headsOf(nodes),
    leaderOf(servers),
  ]);
  const newest = Math.max(0, ...states.map(({ seq }) => seq ?? 0));
  return {
    leader,
    nodes: nodes.map((node, index) => {
      const { state, seq } = states[index];
      const lag = seq === undefined ? undefined : newest - seq;
      return { name: node.name, state, seq, lag, ...heads.get(node.id()) };
    }),
    servers: servers.map(({ name, isRunning, isStopped }) => {
      return { name, state: isStopped ? 'stopped' : isRunning ? 'up' : 'down' };
    }),
  };
}

async function stateOf({ url, isRunning }) {
  const answer = await ask(`${url}/readyz`);
  if (answer === undefined) return { state: isRunning ? 'silent' : 'down' };
  return { state: answer.body.status, seq: answer.body.seq };
}

/** The head of each node, as they tell each other every few seconds: any of them knows. */
async function headsOf(nodes) {
  for (const { url } of nodes.filter(({ isRunning }) => isRunning)) {
    const answer = await ask(`${url}/api/cluster`);
    if (!answer?.ok) continue;
    return new Map(answer.body.nodes.map(({ node, seq, head }) => [node, { headSeq: seq, head }]));
  }
  return new Map();
}

/** Any server knows who leads; after a death, each of them learns it in its own time. */
export async function leaderOf(servers) {
  const running = servers.filter(({ isRunning, isStopped }) => isRunning && !isStopped);
  const answers = await Promise.all(running.map(({ url }) => ask(`${url}/jsz?accounts=true&streams=true`)));
  const leaders = answers.map(
    (answer) =>
      answer?.body.account_details
        ?.flatMap(({ stream_detail: streams }) => streams ?? [])
        .find(({ name }) => name === STREAM)?.cluster?.leader,
  );
  return running.find(({ name }) => isNamedByMost(name, leaders))?.name;
}

function isNamedByMost(name, leaders) {
  return leaders.filter((leader) => leader === name).length * 2 > leaders.length;
}

export function lineOf({ nodes, servers, leader }, second, agents) {
  const ofNode = ({ name, state, seq, head, lag }) =>
    `${name} ${state}${seq === undefined ? '' : ` ${seq} ${head?.slice(0, 6) ?? ''} lag ${lag}`}`.padEnd(38);
  const ofServer = ({ name, state }) =>
    `${name}${state === 'up' ? '' : ` ${state}`}${name === leader ? ' leads' : ''}`;
  const folds = agents.reduce((sum, { folded }) => sum + folded.length, 0);
  const cells = [...nodes.map(ofNode), servers.map(ofServer).join(', '), `${folds} folds`];
  return `${String(second).padStart(4)} s  ${cells.join(' | ')}`;
}

import { benchmark, interleave } from '../harness.mjs';
import { Crowd, connect, cpuPerDelivery, envelope, startGateway } from './pods.mjs';

const DAY = 24 * 60 * 60_000;
const KINDS = ['chat', 'reflection', 'reasoning/step', 'mcp/proposal:tools/call'];
/** Nested up to four deep, so that a rule about what a context is nested in has something to climb. */
const CONTEXTS = [
  { id: 'incident-1', type: 'incident' },
  { id: 'analysis-1', type: 'analysis', parent: 'incident-1' },
  { id: 'analysis-2', type: 'analysis', parent: 'incident-1' },
  { id: 'hypothesis-1', type: 'hypothesis', parent: 'analysis-1' },
  { id: 'hypothesis-2', type: 'hypothesis', parent: 'analysis-2' },
  { id: 'experiment-1', type: 'experiment', parent: 'hypothesis-1' },
  { id: 'experiment-2', type: 'experiment', parent: 'hypothesis-2' },
  { id: 'review-1', type: 'review' },
  { id: 'review-2', type: 'review', parent: 'incident-1' },
];

const TEMPLATES = {
  incident: { metadata: { severity: 'unknown' }, idleMs: DAY, depth: 1, kinds: ['*', '!mcp/response:*'] },
  analysis: { metadata: { confidence: 0 }, idleMs: DAY, depth: 2, kinds: [...KINDS, 'conclusion'] },
  hypothesis: { metadata: { stated: true }, idleMs: DAY, depth: 3, kinds: ['*', '!system/*', '!deploy/*'] },
  experiment: { metadata: { cost: 'low' }, idleMs: DAY, depth: 4, kinds: [...KINDS, 'mcp/*', 'result/*'] },
  review: { metadata: { votes: 0 }, idleMs: DAY, depth: 2, kinds: ['chat', 'reflection', 're*', 'mcp/*'] },
};

/**
 * Twenty rules that deny nothing of what is sent here. Whatever its kind, a message is held against fifteen or more of
 * them; those by sender, by type and by nesting all have to be followed to their end to find that they do not hold.
 */
const RULES = [
  { effect: 'deny', kind: '*', from: ['guest-*', 'visitor-*'] },
  { effect: 'deny', kind: '*', context: { id: 'closed' } },
  { effect: 'deny', kind: '*', context: { within: 'sealed' } },
  { effect: 'deny', kind: '*', context: { within: 'archive' }, from: 'send*' },
  { effect: 'deny', kind: '*', context: 'main', from: '*-bot' },
  { effect: 'deny', kind: '*', context: { type: 'incident' }, from: '*-trainee' },
  { effect: 'deny', kind: '*', context: { type: 'review', id: 'review-9' } },
  { effect: 'deny', kind: '*', context: { type: 'experiment', within: 'review-1' } },
  { effect: 'deny', kind: '*', context: { type: 'incident', within: 'type:analysis' } },
  { effect: 'deny', kind: '*', context: { id: 'analysis-9', within: 'type:incident' } },
  { effect: 'deny', kind: 'mcp/*', context: 'main' },
  { effect: 'deny', kind: 'mcp/proposal:*', context: { within: 'sealed-tools' } },
  { effect: 'deny', kind: ['mcp/request:*', 'deploy/*'], from: 'send*' },
  { effect: 'deny', kind: ['reflection', 'reasoning/*'], context: { within: 'public' } },
  { effect: 'deny', kind: 'chat', context: { type: 'experiment', within: 'quiet' } },
  { effect: 'allow', kind: '*', context: { within: 'type:incident' } },
  { effect: 'allow', kind: '*', context: { type: 'review' }, from: 'send*' },
  { effect: 'allow', kind: '*', context: { id: 'analysis-1' } },
  { effect: 'allow', kind: '*', context: { type: 'experiment', within: 'type:hypothesis' } },
  { effect: 'allow', kind: ['deploy/*', 'result/*'], context: { type: 'hypothesis' }, from: '*-lead' },
];

const POLICY = { templates: TEMPLATES, rules: RULES };

const said = (/** @type {number} */ index) => ({
  kind: KINDS[index % KINDS.length],
  context: CONTEXTS[index % CONTEXTS.length],
});

const MESSAGES = { 100: 2000, 10: 4000 };

/** What twenty rules and five templates add to a delivery; against the same server without any. */
export default benchmark({
  target: 'at most 1.1 × the CPU of the same server without rules and templates',
  async run({ quick }) {
    await checkPolicy();
    const rows = [];
    for (const history of /** @type {const} */ (['none', 'durable'])) {
      const samples = { 100: empty(), 10: empty() };
      // A process is faster or slower than its equals for as long as it lives, by more than what is looked for here.
      for (let pair = 0; pair < (quick ? 2 : 8); pair++) {
        const [first, second] = pair % 2 === 0 ? [POLICY, {}] : [{}, POLICY];
        const one = await startGateway({ history, idleMs: DAY, ...first });
        const other = await startGateway({ history, idleMs: DAY, ...second });
        const [ruled, plain] = pair % 2 === 0 ? [one, other] : [other, one];
        try {
          for (const receivers of /** @type {const} */ ([100, 10])) {
            const taken = await compare(ruled, plain, { history, receivers, quick });
            samples[receivers].ours.push(...taken.ours);
            samples[receivers].floor.push(...taken.floor);
          }
        } finally {
          await Promise.all([ruled.stop(), plain.stop()]);
        }
      }
      for (const receivers of /** @type {const} */ ([100, 10])) {
        const words = history === 'none' ? 'history off' : 'durable history';
        rows.push({
          what: `server CPU per delivery, ${receivers} receivers, ${words}, 20 rules and 5 templates`,
          unit: 'µs',
          against: 'the same without rules and templates',
          ...samples[receivers],
          ...(receivers === 100 ? { limit: { ratioAtMost: 1.1 } } : {}),
        });
      }
    }
    return rows;
  },
});

/** @returns {{ ours: number[], floor: number[] }} */
function empty() {
  return { ours: [], floor: [] };
}

/**
 * @typedef {import('../support/server-process.mjs').ServerProcess} ServerProcess
 * @param {ServerProcess} ruled
 * @param {ServerProcess} plain
 * @param {{ history: 'none' | 'durable', receivers: 100 | 10, quick: boolean }} options
 */
async function compare(ruled, plain, { history, receivers, quick }) {
  const count = MESSAGES[receivers] / (quick ? 8 : 1);
  const settings = { more: said, settle: history === 'durable' ? 500 : 0 };
  const crowds = {
    ruled: await Crowd.gather(ruled.url, receivers),
    plain: await Crowd.gather(plain.url, receivers),
  };
  const samples = await interleave({
    rounds: quick ? 2 : 3,
    ours: () => cpuPerDelivery(ruled, crowds.ruled, count, settings),
    floor: () => cpuPerDelivery(plain, crowds.plain, count, settings),
  });
  for (const crowd of Object.values(crowds)) crowd.close();
  return samples;
}

/** A policy that was not read would cost nothing, and what it refuses would never arrive. */
async function checkPolicy() {
  const server = await startGateway({ history: 'none', ...POLICY });
  try {
    const socket = await connect(`${server.url.replace('http', 'ws')}/ws?pod=check&participant=sender`);
    const expectations = [
      ...CONTEXTS.flatMap((context) =>
        KINDS.map((kind) => ({ more: { kind, context }, expected: /^taken$/ })),
      ),
      { more: { context: { id: 'closed' } }, expected: /gateway\.rules\.1\b/ },
      { more: { context: { id: 'inner', parent: 'sealed' } }, expected: /gateway\.rules\.2\b/ },
      { more: { kind: 'vote/late', context: { id: 'review-1' } }, expected: /type "review" do not take/ },
    ];
    /** @type {Record<string, any>[]} */
    const frames = [];
    socket.on('message', (/** @type {Buffer} */ data) => frames.push(JSON.parse(String(data))));
    for (const { more, expected } of expectations) {
      const found = await outcome(socket, frames, more);
      if (!expected.test(found)) throw new Error(`${JSON.stringify(more)} was answered: ${found}`);
    }
    const began = frames.find(
      ({ kind, payload }) => kind === 'system/context' && payload.id === 'analysis-1',
    );
    if (began?.payload.metadata?.confidence !== 0) throw new Error('Templates give contexts no metadata');
    socket.terminate();
  } finally {
    await server.stop();
  }
}

/**
 * @param {import('ws').WebSocket} socket
 * @param {Record<string, any>[]} frames what it has received
 * @param {object} more
 */
async function outcome(socket, frames, more) {
  const text = envelope(more);
  const { id } = JSON.parse(text);
  socket.send(text);
  for (;;) {
    const frame = frames.find((one) => one.id === id || one.correlation_id === id);
    if (frame) return frame.kind === 'system/error' ? String(frame.payload.message) : 'taken';
    await new Promise((resolve) => socket.once('message', resolve));
  }
}

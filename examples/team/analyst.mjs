import { Conversation, connect } from './conversation.mjs';
import { lookCloser } from './defect.mjs';
import { ANALYSIS, answersTo, branchOff, foldBack, store } from './steps.mjs';
import { constraintFor, errorsIn, misfiled } from './tickets.mjs';

const PER_PAGE = 20;
/** Patterns/1: so many tickets with the same error are looked at together. */
const TOGETHER = 5;

/** The first agent. All that it does are calls of MCP tools; what a model would decide is in the script. */
export async function analyse({ url, token, project, sessionId, tell }) {
  const client = await connect(url, token, project);
  const conversation = new Conversation(client, "Sort the week's tickets.", ({ results }) => {
    for (const { tokens, textTokens } of results) {
      tell('analyst', `  stored; the page collapses from ${tokens} to ${textTokens} tokens`);
    }
  });
  const agent = { conversation, project, tell, position: 0 };
  try {
    const prepared = await prepare(agent, sessionId);
    const work = await triage(agent, prepared.loaded);
    await submit(agent, work.branches[0].message);
    return { ...prepared, ...work, state: conversation.state, figures: conversation.figures() };
  } finally {
    await client.close();
  }
}

/** What the library asks for before the work: setup, the rules, and what earlier weeks found out. */
async function prepare({ conversation, tell }, sessionId) {
  const { mpf } = await conversation.call('memory_setup', { session_id: sessionId, knownHash: '' });
  const { items: rules } = await conversation.call('memory_discover', { kind: 'rule', group: 'triage' });
  const { items: background } = await conversation.call('memory_discover', { query: 'release app' });
  const ids = [...rules, ...background].map(({ id }) => id);
  const { items: loaded } = await conversation.call('memory_load', {
    ids,
    knownHashes: Object.fromEntries(ids.map((id) => [id, ''])),
  });
  const constraints = loaded.flatMap((item) => item.constraints ?? []);
  tell(
    'analyst',
    `sets up ${sessionId}, loads ${loaded.length} files with ${constraints.length} constraints`,
  );
  const { total_items } = await conversation.call('context', {
    goal: 'Sort the tickets of the week; which errors were there before?',
    intent: 'build',
  });
  tell('analyst', `compiles a pack: ${total_items} items from earlier weeks`);
  await conversation.call('get_workflow_step', { workflow: ANALYSIS, step: 1 });
  return { mpf: mpf.hash, loaded };
}

/** The whole work in a branch: of its pages and thoughts the main thread keeps a summary. */
async function triage(agent, loaded) {
  const branch = await branchOff(
    agent,
    "Sort the week's tickets",
    'Go through all tickets page by page, find those in the wrong queue and what many of them share.',
  );
  const { tickets, moved, findings } = await readPages(agent);
  const moves = moved.map(({ queue, ids }) => `${ids.length} to ${queue}`).join(', ');
  const [error, showing] = errorsIn(tickets).find(([, ids]) => ids.length >= TOGETHER);
  await agent.conversation.call('pod_send', {
    kind: 'reflection',
    payload: { thought: `${tickets.length} tickets read: ${moves}. ${error} stands in ${showing.length}.` },
    context: { id: branch.id },
  });
  agent.tell('analyst', `says in the branch: ${error} stands in ${showing.length} tickets`);
  const inner = await lookCloser(agent, error, loaded);
  const refs = await refer(agent, loaded, moved);
  const message = `${tickets.length} tickets read: ${moves}. ${inner.reasoning.conclusion}`;
  const outer = await foldBack(agent, branch, message);
  await answersTo(agent, [outer.id, inner.branch.id]);
  return {
    error,
    refs,
    reasoning: inner.reasoning,
    findings: [...findings, ...inner.findings],
    branches: [outer, inner.branch],
  };
}

/** Fetch, store, next: a page collapses as soon as its findings are stored. */
async function readPages(agent) {
  const tickets = [];
  const findings = [];
  const moved = new Map();
  for (let page = 1, last = 1; page <= last; page++) {
    const { records, pagination, handle } = await agent.conversation.call('search_records', {
      model: 'ticket',
      page,
      per_page: PER_PAGE,
    });
    last = pagination.total_pages;
    tickets.push(...records);
    const moves = misfiled(records);
    for (const { queue, ids } of moves) moved.set(queue, [...(moved.get(queue) ?? []), ...ids]);
    agent.tell('analyst', `reads page ${page}/${last}: ${records.length} tickets`);
    findings.push(...(await store(agent, findingsOf(page, moves), { handle, key: page })));
  }
  return { tickets, findings, moved: [...moved].map(([queue, ids]) => ({ queue, ids })) };
}

function findingsOf(page, moves) {
  if (moves.length === 0) return [{ finding: `Every ticket of page ${page} is in its queue` }];
  return moves.map(({ queue, ids }) => ({
    finding: `In the wrong queue, belongs to ${queue}: ${ids.join(', ')}`,
    category: queue,
    metadata: { ids },
  }));
}

/** Says which constraints were applied, and in which content they stand. */
async function refer({ conversation, tell }, loaded, moved) {
  const [queues, evidence] = ['triage/QUEUES.md', 'triage/EVIDENCE.md'].map((path) =>
    loaded.find((item) => item.path === path),
  );
  const applied = [
    ...moved.map(({ queue, ids }) => [queues, constraintFor(queue), `${ids.length} tickets belong there`]),
    [evidence, 'Findings/1', 'every finding names its tickets'],
    [evidence, 'Patterns/1', 'tickets with one error were read together'],
    [evidence, 'Patterns/2', 'tickets of other versions were looked at'],
  ];
  const refs = applied.map(([{ id, hash }, constraintId, reason]) => ({
    ruleId: id,
    constraintId,
    ruleHash: hash,
    reason,
  }));
  const { count } = await conversation.call('memory_refer', { refs });
  tell('analyst', `refers to ${count} constraints`);
  return refs;
}

async function submit({ conversation, tell }, summary) {
  await conversation.call('memory_submit', { summary });
  conversation.finish(summary);
  tell('analyst', 'submits the report');
}

/** A week later, over another connection: what does a new session know? */
export async function nextSession({ url, token, project, sessionId, knownHash, goal, tell }) {
  const client = await connect(url, token, project);
  const call = async (name, input) => {
    const { structuredContent, content, isError } = await client.callTool({ name, arguments: input });
    if (isError) throw new Error(`${name} was refused: ${content[0].text}`);
    return structuredContent;
  };
  try {
    const { mpf } = await call('memory_setup', { session_id: sessionId, knownHash });
    const { sections, total_items } = await call('context', { session_id: sessionId, goal, limit: 10 });
    tell('analyst', `begins ${sessionId} and asks: ${goal} The pack has ${total_items} items`);
    const items = sections.flatMap((section) => section.items);
    return {
      changed: mpf.changed ?? true,
      items: items.map(({ id, content, source, quality, metadata }) => ({
        id,
        // What says the same stands once, for all who said it.
        also: (metadata.also ?? []).map((other) => other.id),
        content,
        source,
        origin: quality.origin,
      })),
    };
  } finally {
    await client.close();
  }
}

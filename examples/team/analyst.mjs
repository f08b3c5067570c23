import { Conversation, connect } from './conversation.mjs';
import { commonOf, constraintFor, errorsIn, misfiled } from './tickets.mjs';

export const ANALYSIS = 'weekly-triage';
const PER_PAGE = 20;
const TOGETHER = 5;
const ANSWER_SECONDS = 10;

/** The first agent. Everything that it does is a call of an MCP tool. */
export async function analyse({ url, token, project, sessionId, tell }) {
  const client = await connect(url, token, project);
  const conversation = new Conversation(client, "Sort the week's tickets.", ({ results }) => {
    for (const { tokens, textTokens } of results) {
      tell('analyst', `  used: the page collapses, ${tokens} → ${textTokens} tokens`);
    }
  });
  const agent = { conversation, project, tell, position: 0 };
  try {
    const prepared = await prepare(agent, sessionId);
    const work = await triage(agent, prepared);
    await submit(agent, work);
    return { ...prepared, ...work, figures: conversation.figures() };
  } finally {
    await client.close();
  }
}

/** What the library asks for before the work: setup, the rules, and what earlier weeks found out. */
async function prepare({ conversation, tell }, sessionId) {
  const { mpf } = await conversation.call('memory.setup', { session_id: sessionId, knownHash: '' });
  const { items: rules } = await conversation.call('memory.discover', { kind: 'rule', group: 'triage' });
  const { items: background } = await conversation.call('memory.discover', { query: 'release app' });
  const ids = [...rules, ...background].map(({ id }) => id);
  const { items: loaded } = await conversation.call('memory.load', {
    ids,
    knownHashes: Object.fromEntries(ids.map((id) => [id, ''])),
  });
  const constraints = loaded.flatMap((item) => item.constraints ?? []);
  tell('analyst', `sets up ${sessionId}; loads ${loaded.length} files with ${constraints.length} constraints`);
  const pack = await conversation.call('context', {
    goal: 'Sort the tickets of the week; which errors were there before?',
    intent: 'build',
  });
  tell('analyst', `compiles a pack: ${pack.total_items} items, nothing was learned yet`);
  await conversation.call('get_workflow_step', { workflow: ANALYSIS, step: 1 });
  return { mpf: mpf.hash, loaded, packItems: pack.total_items };
}

/** The whole work in a branch: of its pages and thoughts the main thread keeps a summary. */
async function triage(agent, { loaded }) {
  const { conversation, project, tell } = agent;
  const branch = await conversation.call('context_branch', {
    description: "Sort the week's tickets",
    prompt: 'Go through all tickets page by page, find those in the wrong queue and what many of them share.',
    project_path: project,
  });
  tell('analyst', `branches: ${branch.branch_id}`);
  const mark = conversation.mark();
  const { tickets, moved, findings } = await readPages(agent);
  const [error, ids] = [...errorsIn(tickets)].find(([, found]) => found.length >= TOGETHER);
  const moves = moved.map(({ queue, ids: tickets }) => `${tickets.length} to ${queue}`).join(', ');
  await conversation.call('pod_send', {
    kind: 'reflection',
    payload: { thought: `${tickets.length} tickets read, ${moves}. ${error} stands in ${ids.length} of them.` },
    context: { id: branch.branch_id },
  });
  tell('analyst', `says in the branch that ${error} stands in ${ids.length} tickets`);
  const inner = await lookCloser(agent, branch.branch_id, error);
  const refs = await refer(agent, loaded, moved);
  const { conclusion } = inner.reasoning;
  const message = `${tickets.length} tickets read; ${moves}. ${conclusion}`;
  const fold = await foldBack(agent, mark, branch.branch_id, message);
  await answersTo(agent, [branch.branch_id, inner.branch.id]);
  return {
    tickets: tickets.length,
    moved,
    error,
    findings: [...findings, ...inner.findings],
    refs,
    reasoning: inner.reasoning,
    branches: [{ id: branch.branch_id, parent: null, message, fold }, inner.branch],
  };
}

/** Fetch, store, next: a page collapses as soon as its findings are stored. */
async function readPages({ conversation, tell }) {
  const tickets = [];
  const findings = [];
  const moved = new Map();
  for (let page = 1, last = 1; page <= last; page++) {
    const answer = await conversation.call('search_records', { model: 'ticket', page, per_page: PER_PAGE });
    last = answer.pagination.total_pages;
    tickets.push(...answer.records);
    const moves = misfiled(answer.records);
    for (const { queue, ids } of moves) moved.set(queue, [...(moved.get(queue) ?? []), ...ids]);
    tell('analyst', `page ${page}/${last}: ${answer.records.length} tickets, ${moves.length} findings`);
    findings.push(...(await store(conversation, page, moves, answer.handle)));
  }
  return { tickets, findings, moved: [...moved].map(([queue, ids]) => ({ queue, ids })) };
}

async function store(conversation, page, moves, handle) {
  const found = moves.map(({ queue, ids }) => ({
    finding: `Tickets ${ids.join(', ')} belong to ${queue}`,
    category: queue,
    metadata: { ids },
  }));
  const findings = found.length > 0 ? found : [{ finding: `Every ticket of page ${page} is in its queue` }];
  const sources = handle === undefined ? [] : [handle];
  const { ids } = await conversation.call('store_analysis_memory', {
    analysis_id: ANALYSIS,
    findings,
    persistent: true,
    sources,
    idempotency_key: `${ANALYSIS}-${page}`,
  });
  return ids.map((id, index) => ({ id, text: findings[index].finding }));
}

/** A branch in the branch, for one question; its thoughts are in a context below it, for all to hear. */
async function lookCloser(agent, parent, error) {
  const { conversation, project, tell } = agent;
  const { branch_id } = await conversation.call('context_branch', {
    description: `Is ${error} one defect?`,
    prompt: `Read every ticket with ${error} and say whether one cause explains all of them.`,
    project_path: project,
  });
  tell('analyst', `branches again, below: ${branch_id}`);
  const mark = conversation.mark();
  const shown = await conversation.call('search_records', {
    model: 'ticket',
    filters: { text: { contains: error } },
    per_page: 50,
  });
  const { versions, first, ids } = commonOf(shown.records);
  const others = await conversation.call('search_records', {
    model: 'ticket',
    filters: { app: { in: versions }, id: { lt: ids[0] } },
    lean: true,
  });
  const finding = `${error}: ${ids.length} tickets since ${first}, all from app ${versions.join(', ')}: ${ids.join(', ')}`;
  const stored = await conversation.call('store_analysis_memory', {
    analysis_id: ANALYSIS,
    findings: [{ finding, category: 'pattern', metadata: { ids } }],
    persistent: true,
    sources: [shown.handle],
    idempotency_key: `${ANALYSIS}-${error}`,
  });
  const reasoning = await reason(agent, branch_id, { error, versions, first, ids, earlier: others.count });
  const message = `${error} is one defect: ${ids.length} tickets, all from app ${versions.join(', ')}, none before ${first}.`;
  const fold = await foldBack(agent, mark, branch_id, message);
  const findings = [{ id: stored.ids[0], text: finding }];
  return { findings, reasoning, branch: { id: branch_id, parent, message, fold } };
}

async function reason(agent, parent, { error, versions, first, ids, earlier }) {
  const context = { id: `why-${error}`, type: 'reasoning', parent };
  const thoughts = [
    `Is ${error} one defect? ${ids.length} tickets show it.`,
    `All of them come from app ${versions.join(', ')}, which came out on ${first}; it checks codes before they are sent.`,
    `Other tickets from app ${versions.join(', ')} that were opened before the first of them: ${earlier}. All codes are in lower case.`,
  ];
  const conclusion = `App ${versions.join(', ')} refuses discount codes in lower case: ${error} in ${ids.length} tickets has this one cause.`;
  const payloads = [...thoughts.map((thought) => ({ thought })), { conclusion }];
  const { conversation, tell } = agent;
  tell('analyst', `reasons in ${context.id}, ${payloads.length} messages`);
  for (const payload of payloads) {
    const kind = payload.conclusion ? 'conclusion' : 'reflection';
    await conversation.call('pod_send', { kind, payload, context });
  }
  await answersTo(agent, [context.id]);
  return { id: context.id, parent, payloads, conclusion };
}

/** Listens until the reviewer has answered what these contexts came to. */
async function answersTo(agent, contexts) {
  const missing = new Set(contexts);
  const deadline = performance.now() + ANSWER_SECONDS * 1000;
  while (missing.size > 0) {
    if (performance.now() > deadline) throw new Error(`nobody answered ${[...missing].join(', ')}`);
    const { messages, next } = await agent.conversation.call('pod_read', {
      since: agent.position,
      filter: { contexts: 'main', kinds: ['review/answer'] },
      wait_seconds: ANSWER_SECONDS,
    });
    agent.position = next;
    for (const { envelope } of messages) missing.delete(envelope.correlation_id);
  }
  agent.tell('analyst', `reads the answer to ${contexts.join(' and ')}`);
}

/** Says which constraints were applied, by the content that was loaded. */
async function refer({ conversation, tell }, loaded, moved) {
  const ruleNamed = (path) => loaded.find((item) => item.path === path);
  const queues = ruleNamed('triage/QUEUES.md');
  const evidence = ruleNamed('triage/EVIDENCE.md');
  const refs = [
    ...moved.map(({ queue, ids }) => [queues, constraintFor(queue), `${ids.length} tickets moved to ${queue}`]),
    [evidence, 'Findings/1', 'every finding names its tickets'],
    [evidence, 'Patterns/1', 'tickets with one error were read together'],
    [evidence, 'Patterns/2', 'earlier tickets of the same version were looked at'],
  ].map(([rule, constraintId, reason]) => ({ ruleId: rule.id, constraintId, ruleHash: rule.hash, reason }));
  const { count } = await conversation.call('memory.refer', { refs });
  tell('analyst', `refers to ${count} constraints`);
  return refs;
}

async function foldBack({ conversation, project, tell }, mark, id, message) {
  const { summary } = await conversation.call('context_return', { message, project_path: project });
  conversation.fold(mark, `${message}\n[folded: context_expand ${id}]`);
  tell('analyst', `folds ${id}: ${summary.tokens_folded} tokens, ${summary.tokens_saved} of them saved`);
  return summary;
}

async function submit({ conversation, tell }, { branches }) {
  const { message } = branches[0];
  await conversation.call('memory.submit', { summary: message });
  conversation.finish(message);
  tell('analyst', 'submits the report');
}

/** A week later, over another connection: what does a new session know? */
export async function nextSession({ url, token, project, sessionId, knownHash, goal, tell }) {
  const client = await connect(url, token, project);
  try {
    const call = async (name, input) => {
      const { structuredContent, content, isError } = await client.callTool({ name, arguments: input });
      if (isError) throw new Error(`${name} was refused: ${content[0].text}`);
      return structuredContent;
    };
    const { mpf } = await call('memory.setup', { session_id: sessionId, knownHash });
    const pack = await call('context', { session_id: sessionId, goal, limit: 10 });
    tell('analyst', `${sessionId}: the pack for "${goal}" has ${pack.total_items} items`);
    const items = pack.sections.flatMap(({ facet, items: found }) =>
      found.map(({ id, type, content, source, quality }) => ({ id, facet, type, content, source, origin: quality.origin })),
    );
    return { changed: mpf.changed ?? true, items };
  } finally {
    await client.close();
  }
}

/** Steps that the analyst takes more than once. An agent is `{conversation, project, tell, position}`. */

export const ANALYSIS = 'weekly-triage';
const ANSWER_SECONDS = 10;

/** Begins a branch, and notes where its messages begin in the conversation. */
export async function branchOff({ conversation, project, tell }, description, prompt) {
  const { branch_id: id, parent_branch_id: parent } = await conversation.call('context_branch', {
    description,
    prompt,
    project_path: project,
  });
  tell('analyst', `branches off ${id}: ${description}`);
  return { id, parent, mark: conversation.mark() };
}

/** Folds a branch on the server, and drops its messages here: only both together make the prompt smaller. */
export async function foldBack({ conversation, project, tell }, { id, parent, mark }, message) {
  const { summary: fold } = await conversation.call('context_return', { message, project_path: project });
  conversation.fold(mark, `${message}\n[folded: context_expand ${id}]`);
  tell('analyst', `folds ${id}: ${fold.tokens_folded} tokens, ${fold.tokens_saved} of them saved`);
  return { id, parent, message, fold };
}

/** Stores what was found, for good. `handle` is the page that it was found in, which is used up by this. */
export async function store({ conversation }, findings, { handle, key }) {
  const { ids } = await conversation.call('store_analysis_memory', {
    analysis_id: ANALYSIS,
    findings,
    persistent: true,
    sources: handle === undefined ? [] : [handle],
    idempotency_key: `${ANALYSIS}-${key}`,
  });
  return ids.map((id, index) => ({ id, text: findings[index].finding }));
}

/** Listens until somebody has answered what these contexts came to. */
export async function answersTo(agent, contexts) {
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
  agent.tell('analyst', `reads the answer to ${contexts.join(' and to ')}`);
}

import { idsOf, named, recounted, sum } from './values.mjs';

/** A branch is a branch for its agent, a context for the pod, entries for the journal: one thing, seen three times. */
export function branchChecks({ analyst, now, byCommand, person }, { id, parent, message, fold }) {
  const view = now.branches[id];
  const inTree = named(branchesOf(now.tree.main.children), id);
  const context = named(now.contexts, id);
  const drawn = named(byCommand.contexts, id);
  const replayed = named(person.contexts, id);
  const parts = partsOf(now.messagesOf[id]);
  const operations = view.items.filter(({ type }) => type === 'operation');
  const children = analyst.branches.filter((branch) => branch.parent === id);
  const returned = sum(children.map((child) => child.fold.tokens_folded - child.fold.tokens_saved));
  const prompt = tokensOf(parts.begun);
  const name = `"${view.description}"`;
  return [
    [
      `${name}: tokens`,
      {
        'answer of context_return': fold.tokens_folded,
        'infold tree': inTree.tokens,
        'GET /api/branches': view.tokens,
        'GET /api/pods/…/contexts': context.tokens,
        'infold pod contexts': drawn.tokens,
        'prompt, operations and returns in its trajectory':
          prompt + sum(operations.map(({ tokens }) => tokens)) + returned,
        'what was told and said in the pod': prompt + tokensOf(parts.told) + recounted(parts.own) + returned,
      },
    ],
    [
      `${name}: operations`,
      {
        'answer of context_return': fold.operations_count,
        'infold tree': inTree.operations,
        'GET /api/branches': view.operations,
        'its trajectory': operations.length,
        'what was told and said in the pod': parts.told.length + parts.own.length,
      },
    ],
    [
      `${name}: messages`,
      {
        'GET /api/pods/…/contexts': context.messages,
        'infold pod contexts': drawn.messages,
        'GET /api/pods/…/messages': now.messagesOf[id].length,
        'infold pod export': byCommand.exported.filter((one) => one.context?.id === id).length,
        "the person's replay": replayed.messages,
        'beginning + operations + returns + conclusion + what others said':
          1 + inTree.operations + children.length + 1 + parts.others.length,
      },
    ],
    [
      `${name}: its parent and its summary`,
      {
        analyst: { parent, summary: message },
        'infold tree': { parent: parentIn(now.tree.main, id), summary: inTree.summary },
        'GET /api/branches': { parent: view.parent_branch_id, summary: view.summary },
        'GET /api/pods/…/contexts': { parent: context.parent, summary: context.summary },
        "the person's replay": { parent: replayed.parent, summary: replayed.conclusion },
      },
    ],
  ];
}

/** What a branch's context holds: how it began, what the server told, what its agent and what others said. */
function partsOf(messages) {
  const said = messages.filter(({ kind }) => !kind.startsWith('fold/') && kind !== 'conclusion');
  return {
    begun: messages.filter(({ kind }) => kind === 'fold/branch'),
    told: messages.filter(({ kind }) => kind === 'fold/operation'),
    own: said.filter(({ from }) => from === 'analyst'),
    others: said.filter(({ from }) => from !== 'analyst'),
  };
}

const tokensOf = (messages) => sum(messages.map(({ payload }) => payload.tokens));
const branchesOf = (children) => children.flatMap((branch) => [branch, ...branchesOf(branch.children)]);

function parentIn({ id = null, children }, wanted) {
  if (children.some((child) => child.id === wanted)) return id;
  return children.map((child) => parentIn(child, wanted)).find((found) => found !== undefined);
}

export function sessionChecks({ analyst, now }) {
  const { state, branches } = analyst;
  const shown = now.contexts.filter(({ type }) => type === 'branch');
  return [
    [
      'the session: its branches',
      {
        analyst: idsOf(branches),
        'infold tree': idsOf(branchesOf(now.tree.main.children)),
        'GET /api/pods/…/contexts': idsOf(shown),
      },
    ],
    [
      'the session: whose its branches are',
      {
        'GET /api/sessions': branches.map(() => now.session.id),
        'GET /api/branches': branches.map(({ id }) => now.branches[id].session_id),
        'GET /api/pods/…/contexts': shown.map(({ metadata }) => metadata?.session_id),
      },
    ],
    [
      'the session: tokens folded away',
      {
        'answers of context_return': sum(branches.map(({ fold }) => fold.tokens_folded)),
        'context state of the last answer': state.folded_tokens,
        'infold tree': now.tree.session.folded_total,
        'GET /api/sessions': now.session.folded_total,
        'GET /api/pods/…/contexts': sum(shown.map(({ tokens }) => tokens)),
      },
    ],
    [
      'the session: tokens of the main thread',
      {
        'context state of the last answer': state.total_tokens,
        'infold tree': now.tree.main.tokens,
        'GET /api/sessions': now.session.context_state.main_thread_tokens,
      },
    ],
  ];
}

import { idsOf, named, placesOf, recounted, sum } from './values.mjs';

/** What the two agents and the person did and heard, by their own account and on record. */
export function agentChecks(facts) {
  return [
    ...reasoningChecks(facts),
    ...attestationChecks(facts),
    ...reviewerChecks(facts),
    ...personChecks(facts),
  ];
}

/** What was thought aloud, in a context below a branch. */
function reasoningChecks({ analyst, now, byCommand, person }) {
  const { id, parent, payloads, conclusion } = analyst.reasoning;
  const context = named(now.contexts, id);
  const drawn = named(byCommand.contexts, id);
  const resolved = named(now.correlations[id].contexts, id);
  const messages = now.messagesOf[id];
  const outcome = ({ parent: below, state, summary }) => ({ parent: below, state, summary });
  return [
    [
      `${id}: messages`,
      {
        analyst: payloads.length,
        'GET /api/pods/…/contexts': context.messages,
        'infold pod contexts': drawn.messages,
        'GET /api/pods/…/messages': messages.length,
        'GET /api/correlations': resolved.messages,
        "the person's replay": named(person.contexts, id).messages,
      },
    ],
    [
      `${id}: tokens`,
      {
        'GET /api/pods/…/contexts': context.tokens,
        'infold pod contexts': drawn.tokens,
        'GET /api/correlations': resolved.tokens,
        'counted again': recounted(messages),
      },
    ],
    [
      `${id}: what was said`,
      { analyst: payloads, 'GET /api/pods/…/messages': messages.map(({ payload }) => payload) },
    ],
    [
      `${id}: what it came to`,
      {
        analyst: { parent, state: 'concluded', summary: conclusion },
        'GET /api/pods/…/contexts': outcome(context),
        'infold pod contexts': outcome(drawn),
        'GET /api/correlations': outcome(resolved),
      },
    ],
  ];
}

function attestationChecks({ analyst, now, byCommand }) {
  const { loaded, refs, branches } = analyst;
  const turn = now.turns.find(({ session_id }) => session_id === now.session.id) ?? {
    loaded: [],
    claimed: [],
  };
  const hashes = (items) => Object.fromEntries(items.map(({ path, hash }) => [path, hash]).sort());
  const referred = (rows) => sum(rows.map((row) => row.referred));
  return [
    [
      'attestation: files loaded',
      {
        analyst: loaded.length,
        'GET /api/attestation/turns': turn.loaded.length,
        'GET /api/attestation/rules': sum(now.rules.map((row) => row.loaded)),
        'infold attest report': sum(byCommand.rules.map((row) => row.loaded)),
      },
    ],
    [
      'attestation: the content that was loaded',
      { analyst: hashes(loaded), 'GET /api/attestation/turns': hashes(turn.loaded) },
    ],
    [
      'attestation: constraints applied',
      {
        analyst: refs.length,
        'GET /api/attestation/turns': turn.claimed.filter((claim) => claim.loaded && !claim.stale).length,
        'GET /api/attestation/rules': referred(now.rules),
        'infold attest report': referred(byCommand.rules),
        'GET /api/attestation/constraints': referred(now.constraints),
      },
    ],
    [
      'attestation: which ones, in which content, and why',
      {
        analyst: refs.map((ref) => `${ref.ruleId} ${ref.constraintId} ${ref.ruleHash} ${ref.reason}`),
        'GET /api/attestation/turns': turn.claimed.map(
          (claim) => `${claim.rule_id} ${claim.constraint_id} ${claim.rule_hash} ${claim.reason}`,
        ),
      },
    ],
    [
      'attestation: the report',
      {
        analyst: { outcome: 'submitted', summary: branches[0].message },
        'GET /api/attestation/turns': { outcome: turn.outcome, summary: turn.summary },
      },
    ],
  ];
}

/** Conclusions and nothing else, each once; every answer leads back to the context that it is about. */
function reviewerChecks({ analyst, reviewer, now }) {
  const contexts = [analyst.reasoning.id, ...idsOf(analyst.branches)].sort();
  const inMain = now.messages.filter(({ kind, context }) => kind === 'review/answer' && !context);
  const about = (answers) =>
    contexts.map((id) => [id, idsOf(answers.filter((answer) => answer.correlation_id === id))]);
  return [
    [
      'the reviewer: what it heard',
      {
        reviewer: placesOf(reviewer.heard),
        'conclusions in the pod': placesOf(now.messages.filter(({ kind }) => kind === 'conclusion')),
      },
    ],
    [
      'the reviewer: contexts that came to something',
      {
        reviewer: reviewer.heard.map(({ context }) => context.id).sort(),
        analyst: contexts,
        'GET /api/pods/…/contexts': idsOf(now.contexts).sort(),
      },
    ],
    [
      'the reviewer: its answers, by what they are about',
      {
        reviewer: about(reviewer.answers),
        'main context of the pod': about(inMain),
        'GET /api/correlations': contexts.map((id) => [id, answersLinked(now.correlations[id])]),
      },
    ],
  ];
}

/** The answers that refer to a context, where its id leads to one. */
function answersLinked({ contexts, linked }) {
  if (contexts.length !== 1) return [];
  return idsOf(linked.map(({ envelope }) => envelope).filter(({ kind }) => kind === 'review/answer'));
}

/** Who comes later has the same history, in the same order and without a gap. */
function personChecks({ person, now, byCommand }) {
  const { replayed, missed, gaps, refusal } = person;
  const shape = (contexts) =>
    contexts.map(({ id, type, parent, messages }) => ({ id, type, parent, messages }));
  return [
    [
      'the person: every message in its place',
      {
        'gateway/replay': placesOf(replayed),
        'joining with since=0': placesOf(missed),
        'GET /api/pods/…/messages': placesOf(now.messages),
        'infold pod export': placesOf(byCommand.exported),
        'counted from 1': now.messages.map(({ id }, index) => `${index + 1} ${id}`),
      },
    ],
    ['the person: gaps', { 'joining with since=0': gaps.length, expected: 0 }],
    [
      'the person: the contexts of the story',
      { 'gateway/replay': shape(person.contexts), 'GET /api/pods/…/contexts': shape(now.contexts) },
    ],
    ['the person: may not speak', { 'answer of the gateway': refusal, expected: 'capability_violation' }],
  ];
}

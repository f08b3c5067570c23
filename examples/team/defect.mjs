import { answersTo, branchOff, foldBack, store } from './steps.mjs';
import { commonOf } from './tickets.mjs';

/** A branch in the branch for one question: is an error that many tickets show one defect? */
export async function lookCloser(agent, error, loaded) {
  const { conversation } = agent;
  const branch = await branchOff(
    agent,
    `Is ${error} one defect?`,
    `Read every ticket with ${error} and say whether one cause explains all of them.`,
  );
  const shown = await conversation.call('search_records', {
    model: 'ticket',
    filters: { text: { contains: error } },
    per_page: 50,
  });
  const { version, first, ids } = commonOf(shown.records);
  const finding = `${error}: ${ids.length} tickets since ${first}, all from app ${version}: ${ids.join(', ')}`;
  const findings = await store(agent, [{ finding, category: 'pattern', metadata: { ids } }], {
    handle: shown.handle,
    key: error,
  });
  const others = await otherVersions(agent, version, error);
  const release = releaseNote(loaded, version);
  const reasoning = await reason(agent, branch.id, { error, version, ids, others, release });
  const message = `${error} is one defect of app ${version}: ${ids.length} tickets, none before ${first}.`;
  return { findings, reasoning, branch: await foldBack(agent, branch, message) };
}

/** Patterns/2: also what does not have the cause. The rows stay on the server, which answers by filters. */
async function otherVersions({ conversation }, version, error) {
  const { scratch_ref, count } = await conversation.call('search_records', {
    model: 'ticket',
    filters: { app: { ne: version } },
    per_page: 200,
    lean: true,
  });
  const { pagination } = await conversation.call('scratch_read', {
    ref: scratch_ref,
    filters: { text: { contains: error } },
    fields: ['id'],
  });
  return { count, showing: pagination.total };
}

/** What the library says of a version: a line such as "- **4.2.0**: 3 March 2026. Codes are checked." */
function releaseNote(loaded, version) {
  const { content } = loaded.find(({ path }) => path === 'context/RELEASES.md');
  return content.split(`**${version}**: `)[1].split('\n')[0];
}

/** Thinks aloud in a context below the branch, for everybody to hear, and waits for what others say of it. */
async function reason(agent, parent, { error, version, ids, others, release }) {
  const context = { id: `why-${error}`, type: 'reasoning', parent };
  const thoughts = [
    `${ids.length} tickets show ${error}. Is it one defect?`,
    `All ${ids.length} come from app ${version}. Its release note: ${release}`,
    `Of ${others.count} tickets from other versions ${others.showing} show it. All codes are in lower case.`,
  ];
  const conclusion = `App ${version} refuses discount codes in lower case: this one cause explains ${error} in all ${ids.length} tickets.`;
  agent.tell('analyst', `reasons in ${context.id}, below ${parent}`);
  const payloads = [...thoughts.map((thought) => ({ thought })), { conclusion }];
  for (const payload of payloads) {
    const kind = payload.conclusion ? 'conclusion' : 'reflection';
    await agent.conversation.call('pod_send', { kind, payload, context });
  }
  await answersTo(agent, [context.id]);
  return { id: context.id, parent, payloads, conclusion };
}

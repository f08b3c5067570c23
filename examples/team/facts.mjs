import { command, commandText, rest } from './infold.mjs';

/**
 * What every part of the system says about the same work, as a stranger can ask for it: by the REST interface, with the
 * tokens of those concerned, and by commands on the data folder. Nothing is compared here.
 */
export async function gatherFacts({ data, url, tokens, project, pod, sessionId, branches, contexts }) {
  const asPerson = rest(url, tokens.person);
  const asAnalyst = rest(url, tokens.analyst);
  const messagesIn = async (query) =>
    (await everyPage(asPerson, `/api/pods/${pod}/messages?${query}`, 'messages')).all.map(placed);
  return {
    tree: await command(data, 'tree', sessionId),
    session: await asAnalyst(`/api/sessions/${sessionId}`),
    branches: await byId(branches, async (id) => {
      const { first, all } = await everyPage(asAnalyst, `/api/branches/${id}?`, 'items');
      return { ...first, items: all };
    }),
    contexts: flat((await asPerson(`/api/pods/${pod}/contexts`)).contexts),
    messages: await messagesIn(''),
    messagesOf: await byId(contexts, (id) => messagesIn(`context=${encodeURIComponent(id)}`)),
    correlations: await byId(contexts, (id) => asPerson(`/api/correlations/${encodeURIComponent(id)}`)),
    turns: (await everyPage(asAnalyst, `/api/attestation/turns?project=${project}`, 'turns')).all,
    rules: (await everyPage(asAnalyst, `/api/attestation/rules?project=${project}`, 'rules')).all,
    constraints: (
      await everyPage(asAnalyst, `/api/attestation/constraints?project=${project}`, 'constraints')
    ).all,
  };
}

/** The same from the terminal, where the data folder is. */
export async function gatherByCommand({ data, project, pod }) {
  const [{ contexts }, exported, rules] = await Promise.all([
    command(data, 'pod', 'contexts', pod),
    commandText(data, 'pod', 'export', pod),
    command(data, 'attest', 'report', '--project', project),
  ]);
  const lines = exported.split('\n').filter((line) => line !== '');
  return {
    contexts: flat(contexts),
    exported: lines.map((line) => JSON.parse(line)),
    rules: rules.rows,
  };
}

async function byId(ids, work) {
  return Object.fromEntries(await Promise.all(ids.map(async (id) => [id, await work(id)])));
}

/** A page names the next one; following them is all that a reader has to do. */
async function everyPage(get, path, name, limit = 20) {
  const pages = [];
  for (let cursor = ''; cursor !== null; ) {
    const page = await get(`${path}&limit=${limit}${cursor && `&cursor=${cursor}`}`);
    pages.push(page);
    cursor = page.next;
  }
  return { first: pages[0], all: pages.flatMap((page) => page[name]) };
}

const placed = ({ seq, epoch, envelope }) => ({ ...envelope, seq, epoch });

/** A tree as a list: what is nested has its parent's id. */
const flat = (nodes) => nodes.flatMap(({ children, ...node }) => [node, ...flat(children)]);

/**
 * A process with the whole fold door on a data folder. It does what its order says and ends itself at the named
 * point of the last commit, if one is named.
 */
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createServices } from '../../packages/server/dist/cli/services/create.js';
import { PROJECTIONS } from '../../packages/server/dist/cli/services/projections.js';
import { SqliteJournal } from '../../packages/server/dist/journal/sqlite.js';
import { loadConfig } from '../../packages/server/dist/kernel/config.js';
import { callTool } from '../../packages/server/dist/mcp/tools/call.js';
import { localOwner } from '../../packages/server/dist/trust/identity/caller.js';
import { Connection } from '../../packages/server/dist/trust/sessions/resolve.js';

const order = JSON.parse(process.argv[2]);
const say = (line) => writeSync(1, `${JSON.stringify(line)}\n`);

let armed = false;
const { config } = loadConfig({ data: order.folder }, {});
const journal = await SqliteJournal.open({
  folder: order.folder,
  projections: PROJECTIONS,
  limits: config.limits,
  onPoint: (point) => {
    if (armed && point === order.kill) process.kill(process.pid, 'SIGKILL');
  },
});
const services = createServices(config, journal, 'silent');
// One host, whose processes come and go: its id is what they have in common.
const connection = new Connection(undefined, { hostSession: order.session });

async function call(name, input) {
  const signal = new AbortController().signal;
  const request = {
    name,
    arguments: { project_path: '/fault', ...input },
    caller: localOwner,
    connection,
    signal,
  };
  const outcome = await callTool(services, request);
  return 'failure' in outcome ? { code: outcome.failure.rpc.code } : outcome.result.structuredContent;
}

const fold = async (branch) =>
  say({ answer: await call('context_return', { message: 'folded', branch_id: branch }) });

if (order.task === 'prepare') {
  const branches = [];
  for (const description of ['outer', 'middle', 'inner']) {
    const { branch_id } = await call('context_branch', { description, prompt: 'do it' });
    say({ branch: branch_id });
    branches.push(branch_id);
    for (let count = 0; count < order.operations; count++) await call('infold_status', { project: '/fault' });
  }
  armed = true;
  await fold(branches[0]);
} else {
  // Both processes of a race are ready before either folds the branch that both are told.
  say({ ready: true });
  for await (const branch of createInterface({ input: process.stdin })) await fold(branch);
}
await journal.close();
process.exit();

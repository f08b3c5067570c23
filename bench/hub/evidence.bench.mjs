import { randomUUID } from 'node:crypto';
import { callsOf } from '../../packages/server/dist/cli/services/calls.js';
import { listLibraryItems } from '../../packages/server/dist/library/actions/items.js';
import { reportUsage } from '../../packages/server/dist/library/actions/usage.js';
import { localOwner } from '../../packages/server/dist/trust/identity/caller.js';
import { listProjects } from '../../packages/server/dist/trust/identity/queries.js';
import { hubStream } from '../../packages/server/dist/trust/streams.js';
import { benchmark, interleave, time } from '../harness.mjs';
import { importInto, writeLibrary } from '../library/folder.mjs';
import { startServices } from '../support/agent.mjs';
import { temporaryFolder } from '../support/server-process.mjs';

const PROJECT = '/bench/shop';
const RULES = 2000;
const DAYS = 180;
const DAY = 86_400_000;
const BATCH = 1000;
const MODELS = ['opus-5', 'sonnet-5', 'gpt-6', 'qwen-4'];

/** The same for every run. */
function* numbers() {
  for (let state = 1; ; ) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield state;
  }
}

/** What is concluded from what a team's agents did. */
export default benchmark({
  target: 'an evidence report over 1,000,000 events and 2,000 rules in 300 ms',
  async run({ quick }) {
    const events = quick ? 50_000 : 1_000_000;
    const services = await startServices();
    const folder = temporaryFolder();
    writeLibrary(folder, RULES);
    await importInto(services, PROJECT, folder);
    const { journal } = services;
    const [project] = listProjects(journal.database, localOwner.org);
    if (!project) throw new Error('There is no project');
    const files = journal.database.all(
      `SELECT id, path, kind, hash FROM library_file WHERE workspace_id = ? AND deleted = 0 AND kind <> 'context'`,
      project.workspace_id,
    );
    const random = numbers();
    const pick = (/** @type {number} */ below) => /** @type {number} */ (random.next().value) % below;
    const start = Date.now() - DAYS * DAY;
    const event = (/** @type {number} */ number) => {
      const { id, path, kind, hash } = /** @type {Record<string, string>} */ (files[pick(files.length)]);
      const kindOf = number % 10;
      if (kindOf === 0) {
        const model = MODELS[pick(MODELS.length)];
        return { type: 'attest.setup', data: { mpf_hash: null, mpf_changed: false, drafts: false, model } };
      }
      if (kindOf === 9) {
        return pick(8) === 0
          ? { type: 'attest.reject', data: { reason: null } }
          : { type: 'attest.agent_report', data: { summary: '' } };
      }
      if (kindOf < 6) {
        return {
          type: 'attest.load',
          data: { items: [{ id, kind, path, hash, changed: true, draft: false }] },
        };
      }
      const ref = {
        ...{ rule_id: id, path, rule_hash: hash, claimed_hash: hash, constraint_id: `Example/${pick(4)}` },
        ...{ constraint_name: 'Example', constraint_text: '', reason: null, loaded: true, stale: false },
      };
      return { type: 'attest.refer', data: { refs: [ref] } };
    };
    const zero = { seq: 0, hash: '0'.repeat(64) };
    for (let first = 0; first < events; first += BATCH) {
      const principal = `member${(first / BATCH) % 40}`;
      const entries = Array.from({ length: BATCH }, (_, index) => {
        const number = first + index;
        return {
          ...{ id: randomUUID(), seq: number + 1, hash: zero.hash },
          at: Math.floor(start + (number / events) * DAYS * DAY),
          ...{ agent: `agent-${(first / BATCH) % 20}`, project_id: project.id },
          ...{ workspace_id: project.workspace_id, session_id: `sess_${Math.floor(number / 10)}` },
          events: [event(number)],
        };
      });
      const data = {
        ...{ edge_id: `edge_${principal}`, org: localOwner.org, principal, after: zero, upto: zero, skew: 0 },
        entries,
      };
      await journal.commit({
        stream: hubStream(localOwner.org, data.edge_id),
        actor: { org: localOwner.org, principal },
        decide: () => ({ events: [/** @type {any} */ ({ type: 'hub.received', data })], answer: null }),
      });
    }
    const call = callsOf(services, localOwner);
    const middle = new Date(start + (DAYS / 2) * DAY).toISOString().slice(0, 8);
    const asked = [
      { name: 'by rule', question: { by: 'rule' } },
      { name: 'by rule, since the middle of a month', question: { by: 'rule', since: `${middle}02` } },
      { name: 'by rule, of one agent', question: { by: 'rule', agent: 'agent-7' } },
      { name: 'by constraint', question: { by: 'constraint' } },
      { name: 'by model', question: { by: 'model' } },
      { name: 'by agent, of one rule', question: { by: 'agent', project: PROJECT, rule: files[0]?.path } },
    ];
    const floor = async () => {
      for (let page = { next: '' }; page.next !== null; ) {
        const cursor = page.next === '' ? {} : { cursor: page.next };
        page = /** @type {any} */ (
          await call(listLibraryItems, { project: PROJECT, limit: 1000, ...cursor })
        );
      }
    };
    const rows = [];
    for (const { name, question } of asked) {
      const samples = await interleave({
        rounds: quick ? 3 : 10,
        ours: () => time(() => call(reportUsage, question)),
        floor: () => time(floor),
      });
      rows.push({
        what: `evidence of ${events.toLocaleString('en')} events of 40 people and 2,000 rules, ${name}`,
        unit: 'ms',
        against: 'listing 2,000 files',
        ...samples,
        limit: { atMost: 300 },
      });
    }
    await journal.close();
    return rows;
  },
});

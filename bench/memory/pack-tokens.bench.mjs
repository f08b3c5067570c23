import { fileURLToPath } from 'node:url';
import { createServices } from '../../packages/server/dist/cli/services/create.js';
import { openJournal } from '../../packages/server/dist/cli/services/journal.js';
import { loadConfig } from '../../packages/server/dist/kernel/config.js';
import { countTokens } from '../../packages/server/dist/kernel/tokens/count.js';
import { callTool } from '../../packages/server/dist/mcp/tools/call.js';
import { markdownFiles, readMarkdown } from '../../packages/server/dist/memory/ingest/folder.js';
import { Importer } from '../../packages/server/dist/memory/ingest/importer.js';
import { LineReader } from '../../packages/server/dist/memory/ingest/lines.js';
import { localOwner } from '../../packages/server/dist/trust/identity/caller.js';
import { Connection } from '../../packages/server/dist/trust/sessions/resolve.js';
import { benchmark } from '../harness.mjs';
import { temporaryFolder } from '../support/server-process.mjs';
import { readMaterial } from './retrieval/material.mjs';

const GOALS = [
  'Add a new event type to the journal and keep old data folders readable',
  'Why is a folded summary not found by a later pack?',
  'Decide how drafts of rules are reviewed before they are published',
  'Speed up the broadcast of envelopes to many slow readers',
  'What happens to secrets in tool arguments?',
  'Plan the migration of the projections to a new schema version',
  'How are superseded items kept out of search results?',
  'Make the client collapse pages of records once they were used',
  'Which limits hold for a single principal?',
  'Write a host integration that starts the server over stdio',
];
const BUDGETS = { wake: 1500, recall: 4000, deep_search: 8000 };
const UNLIMITED = 1_000_000;

/** What a model reads of a default pack: this repository's pages and the hand-written dialogues are the memory. */
export default benchmark({
  target:
    'a default pack at most 1,500 tokens in wake, 4,000 in recall, 8,000 in deep_search, whichever half is read',
  async run() {
    const config = loadConfig({ data: temporaryFolder() }, {}).config;
    const journal = await openJournal(config);
    const services = createServices(config, journal, 'silent');
    const items = await fill(services);
    /** @param {object} input @param {string} [client] */
    const ask = async (input, client) => {
      const outcome = await callTool(services, {
        name: 'context',
        arguments: input,
        caller: localOwner,
        connection: new Connection(),
        signal: new AbortController().signal,
        ...(client === undefined ? {} : { client: { name: client, version: '1' } }),
      });
      if (!('result' in outcome) || outcome.result.isError) throw new Error('A pack was refused');
      return outcome.result;
    };
    const rows = [];
    for (const [layer, atMost] of Object.entries(BUDGETS)) {
      const data = [];
      const text = [];
      const all = [];
      for (const goal of GOALS) {
        const compact = await ask({ goal, layer }, 'claude-code');
        data.push(countTokens(JSON.stringify(compact.structuredContent)));
        text.push(countTokens((await ask({ goal, layer })).content[0]?.text ?? ''));
        const full = await ask({ goal, layer, format: 'full', token_budget: UNLIMITED });
        all.push(countTokens(JSON.stringify(full.structuredContent)));
      }
      const row = { unit: 'tokens', against: 'the full shape without a budget', floor: all };
      const what = `a default pack in ${layer}, ${items} items`;
      rows.push({ ...row, what: `${what}, read as data`, ours: data, limit: { atMost } });
      rows.push({ ...row, what: `${what}, read as text`, ours: text, limit: { atMost } });
    }
    await journal.close();
    return rows;
  },
});

/** @param {import('../../packages/server/dist/cli/services/services.js').Services} services */
async function fill({ journal, scrubber, config }) {
  const folder = fileURLToPath(new URL('../../docs', import.meta.url));
  const importer = new Importer({ journal, scrubber, caller: localOwner, project: 'filled' });
  const lines = new LineReader(config.limits);
  let number = 0;
  for (const path of markdownFiles(folder)) {
    const read = readMarkdown(lines, folder, path);
    if ('line' in read) await importer.add(++number, read.line, 'markdown');
  }
  for (const turns of readMaterial().conversations.values()) {
    for (const turn of turns) await importer.add(++number, turn);
  }
  return (await importer.finish()).imported;
}

import { createCollapser } from '@infold/client';

/** A process that restores a snapshot and projects once: what an agent that restarts waits for. Prints milliseconds. */
const RESULTS = 300;
const MESSAGES = 1000;
const notes = 'some notes about it, '.repeat(15);
const PAGE = JSON.stringify(Array.from({ length: 15 }, (_, id) => ({ id, title: `Activity ${id}`, notes })));

/** @type {import('@infold/client').TrackedResult[]} */
const results = Array.from({ length: RESULTS }, (_, index) => ({
  callId: `call_${index}`,
  server: 's',
  tool: 'search_records',
  phase: 'collapsed',
  spent: false,
  turn: index,
  tokens: 1500,
  callTokens: 60,
  text: `15 activity records (page ${index}/300)\n[collapsed: context_expand rs_${index}]`,
  textTokens: 25,
}));
/** @type {object[]} */
const messages = results.flatMap(({ callId }) => [
  { role: 'assistant', content: [{ type: 'tool_use', id: callId, name: 'search_records', input: {} }] },
  {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: callId, content: [{ type: 'text', text: PAGE }] }],
  },
]);
while (messages.length < MESSAGES) messages.push({ role: 'user', content: 'Go on.' });

const collapser = createCollapser();
collapser.restore({ ...collapser.snapshot(), results });
const started = performance.now();
const sent = collapser.project(messages);
const taken = performance.now() - started;
const collapsed = sent.filter((message, place) => message !== messages[place]).length;
if (collapsed !== RESULTS) throw new Error(`${collapsed} results collapsed, not ${RESULTS}`);
process.stdout.write(String(taken));

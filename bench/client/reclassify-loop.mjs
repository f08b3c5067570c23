import { createHash } from 'node:crypto';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/**
 * The reclassify workflow with a scripted agent: 132 activities in 9 pages of 15; each page is fetched, analysed and
 * its findings stored. Messages are those of Anthropic's Messages API; the server's answers have the shapes that the
 * transient door gives.
 *
 * @typedef {import('@anthropic-ai/sdk/resources/messages').MessageParam} Message
 * @typedef {{ name: string, input: Record<string, unknown>, result: Record<string, unknown> }} Call
 */

const RECORDS = 132;
const PER_PAGE = 15;
const FIRST_ID = 72;
const PAGES = Math.ceil(RECORDS / PER_PAGE);
const SERVER = 'infold';

const NOTES = [
  'Paired with the platform group on the rollout checklist, then fixed the flaky retry test that blocked the release twice',
  'Reviewed the classifier evaluation with the data team and wrote down which labels annotators mix up most often',
  'Rebuilt the landing page hero for small screens, replaced two bitmap icons and measured the layout shift again',
  'Called the customer about the failed import, collected sample files and agreed on a date for the second attempt',
];

/** @param {number} index from 0 */
export function activity(index) {
  const id = FIRST_ID + index;
  return {
    id,
    title: `Activity ${id}: ${NOTES[index % NOTES.length]?.split(',')[0]}`,
    category: ['Web Dev', 'AI', 'Support', 'Unsorted'][(index * 7) % 4],
    project: `client-${(index * 13) % 17}`,
    minutes: 15 + ((index * 37) % 200),
    started_at: `2026-0${1 + (index % 9)}-1${index % 9}T09:${10 + (index % 50)}:00Z`,
    notes: `${NOTES[(index * 3) % NOTES.length]}. Follow-up ${id * 31} is due next week.`,
    tags: ['billing', 'review', 'urgent', 'mobile'].slice(index % 3),
  };
}

/** @param {number} page from 1 */
function fetchPage(page) {
  const from = (page - 1) * PER_PAGE;
  const records = Array.from({ length: Math.min(PER_PAGE, RECORDS - from) }, (_, place) =>
    activity(from + place),
  );
  const pagination = { page, per_page: PER_PAGE, total: RECORDS, total_pages: PAGES };
  const data = { schema: { model: 'activity', columns: Object.keys(records[0] ?? {}) }, records, pagination };
  const ids = records.slice(0, 3).map(({ id }) => id);
  const summary = `${records.length} activity records (page ${page}/${PAGES}, IDs: ${ids.join(', ')}…)`;
  return {
    content: [{ type: 'text', text: JSON.stringify(data) }],
    structuredContent: data,
    _meta: { context: { lifecycle: 'transient', summary }, 'infold/handle': `rs_${7400 + page}` },
  };
}

/** @param {number} page @returns {Call} */
const search = (page) => ({
  name: 'search_records',
  input: { model: 'activity', page, per_page: PER_PAGE },
  result: fetchPage(page),
});

/** @param {number} page @returns {Call} */
const store = (page) => ({
  name: 'store_analysis_memory',
  input: {
    analysis_id: 'reclassify',
    findings: [
      {
        finding: `Page ${page}: ${FIRST_ID + page * 3}, ${FIRST_ID + page * 5} to Web Dev`,
        category: 'Web Dev',
      },
    ],
  },
  result: {
    content: [
      { type: 'text', text: `Stored 1 analysis finding (expires in 1 hour).\nIDs: an_${8800 + page}` },
    ],
    _meta: { context: { consumed: true } },
  },
});

/** @returns {Call} */
const workflowStep = () => ({
  name: 'get_workflow_step',
  input: { workflow: 'reclassify', step: 2 },
  result: {
    content: [
      {
        type: 'text',
        text: '## Steps 2–3 — loop (repeat for each page of results)\nFetch a page of activities, decide which are in the wrong category, store the findings. Check pagination.total_pages; after the last page call get_workflow_step(4).',
      },
    ],
    _meta: {
      contextHints: [
        { step: 2, tool: 'search_records', lifecycle: 'transient', consumedBy: 'store_analysis_memory' },
      ],
    },
  },
});

/**
 * What the agent calls, turn by turn. `ahead` pages are fetched at once before they are stored one by one; 1 is the
 * loop as the workflow says it.
 *
 * @param {number} [ahead]
 * @returns {Call[][]}
 */
export function script(ahead = 1) {
  const turns = [[workflowStep()]];
  for (let page = 1; page <= PAGES; page += ahead) {
    const pages = Array.from({ length: Math.min(ahead, PAGES - page + 1) }, (_, place) => page + place);
    turns.push(pages.map(search), ...pages.map((stored) => [store(stored)]));
  }
  return turns;
}

/**
 * Runs the loop and answers each prompt as it was sent.
 *
 * @param {object} options
 * @param {Call[][]} options.turns
 * @param {import('@infold/client').Collapser} [options.collapser] none: nothing collapses
 * @param {(messages: Message[]) => Message[]} [options.prepare] the last word on what is sent, such as a breakpoint
 * @param {(left: number) => void} [options.onTurn] told how many model calls are left, the coming one included
 */
export function runLoop({ turns, collapser, prepare = (messages) => messages, onTurn }) {
  /** @type {Message[]} */
  const history = [
    { role: 'user', content: 'Reclassify all activities that are in the wrong category, page by page.' },
  ];
  /** @type {Message[][]} */
  const prompts = [];
  const send = () => prompts.push(prepare(collapser ? collapser.project(history) : history.slice()));
  for (const [index, calls] of turns.entries()) {
    send();
    const left = turns.length - index;
    onTurn?.(left);
    const ids = calls.map((_, place) => `toolu_${index}_${place}`);
    history.push({
      role: 'assistant',
      content: calls.map(({ name, input }, place) => ({
        type: 'tool_use',
        id: ids[place] ?? '',
        name,
        input,
      })),
    });
    for (const [place, { name, input, result }] of calls.entries()) {
      collapser?.observe({ server: SERVER, tool: name, callId: ids[place] ?? '', result, input });
    }
    history.push({
      role: 'user',
      content: calls.map(({ result }, place) => ({
        type: 'tool_result',
        tool_use_id: ids[place] ?? '',
        content: /** @type {{ type: 'text', text: string }[]} */ (result.content),
      })),
    });
  }
  send();
  return { history, prompts };
}

/** @param {Message} message @returns {Record<string, unknown>[]} */
const blocksOf = ({ content }) =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : /** @type {any[]} */ (content);

/** @type {Map<string, number>} */
const counted = new Map();

/** @param {string} text */
function tokensOf(text) {
  const known = counted.get(text);
  if (known !== undefined) return known;
  const tokens = countTokens(text);
  counted.set(text, tokens);
  return tokens;
}

/** What a model reads of a block. @param {Record<string, unknown>} block */
function blockTokens(block) {
  if (block.type === 'tool_use') return tokensOf(`${block.name} ${JSON.stringify(block.input)}`);
  if (block.type !== 'tool_result') return tokensOf(String(block.text));
  const parts =
    typeof block.content === 'string' ? [{ text: block.content }] : /** @type {any[]} */ (block.content);
  return parts.reduce((sum, { text }) => sum + tokensOf(text), 0);
}

/** @param {Message[]} messages */
export function promptTokens(messages) {
  return messages.flatMap(blocksOf).reduce((sum, block) => sum + blockTokens(block), 0);
}

/** Marks the end of the last message, as applications do that cache a growing conversation. @param {Message[]} messages */
export function breakpointAtEnd(messages) {
  const last = messages.at(-1);
  if (!last) return messages;
  const blocks = blocksOf(last).slice();
  blocks[blocks.length - 1] = { ...blocks.at(-1), cache_control: { type: 'ephemeral' } };
  return [...messages.slice(0, -1), /** @type {Message} */ ({ ...last, content: blocks })];
}

const LOOKBACK_BLOCKS = 20;

/**
 * What prompts cost, in input tokens, where a provider caches up to marked blocks: the longest cached beginning is read
 * from the cache, the rest up to the last mark is written to it, what follows is plain input.
 *
 * @param {Message[][]} prompts
 * @param {{ read: number, write: number }} prices relative to input
 */
export function cachedCost(prompts, { read, write }) {
  const cached = new Set();
  let cost = 0;
  for (const prompt of prompts) {
    const hash = createHash('sha256');
    const blocks = prompt.flatMap((message) =>
      blocksOf(message).map((block) => ({ role: message.role, block })),
    );
    const places = blocks.map(({ role, block: { cache_control: marked, ...block } }) => {
      hash.update(`${role}${JSON.stringify(block)}\n`);
      return { marked: marked !== undefined, digest: hash.copy().digest('hex'), tokens: blockTokens(block) };
    });
    const mark = places.findLastIndex(({ marked }) => marked);
    let hit = mark;
    while (hit >= 0 && mark - hit < LOOKBACK_BLOCKS && !cached.has(places[hit]?.digest)) hit--;
    if (!cached.has(places[hit]?.digest)) hit = -1;
    for (const [place, { tokens }] of places.entries()) {
      cost += tokens * (place <= hit ? read : place <= mark ? write : 1);
    }
    if (mark >= 0) cached.add(places[mark]?.digest);
  }
  return cost;
}

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createCollapser } from '@infold/client';
import { aiSdkMessages } from '@infold/client/ai-sdk';
import { anthropicMessages } from '@infold/client/anthropic';
import { openaiChatMessages } from '@infold/client/openai-chat';
import { openaiResponsesItems } from '@infold/client/openai-responses';
import { benchmark, interleave } from '../harness.mjs';

const MESSAGES = 1000;
const RESULTS = 300;
const PAGE = JSON.stringify(
  Array.from({ length: 15 }, (_, id) => ({ id, title: `Activity ${id}`, notes: 'n '.repeat(150) })),
);

/** How each format says: an answer of the model, a call, its result. @type {Record<string, any>} */
const FORMATS = {
  anthropic: {
    format: anthropicMessages,
    call: (/** @type {string} */ id) => ({
      role: 'assistant',
      content: [{ type: 'tool_use', id, name: 'search_records', input: {} }],
    }),
    result: (/** @type {string} */ id) => ({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text: PAGE }] }],
    }),
  },
  'openai-chat': {
    format: openaiChatMessages,
    call: (/** @type {string} */ id) => ({
      role: 'assistant',
      tool_calls: [{ id, type: 'function', function: { name: 'search_records', arguments: '{}' } }],
    }),
    result: (/** @type {string} */ id) => ({ role: 'tool', tool_call_id: id, content: PAGE }),
  },
  'openai-responses': {
    format: openaiResponsesItems,
    call: (/** @type {string} */ id) => ({
      type: 'function_call',
      call_id: id,
      name: 'search_records',
      arguments: '{}',
    }),
    result: (/** @type {string} */ id) => ({ type: 'function_call_output', call_id: id, output: PAGE }),
  },
  'ai-sdk': {
    format: aiSdkMessages,
    call: (/** @type {string} */ id) => ({
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: id, toolName: 'search_records', input: {} }],
    }),
    result: (/** @type {string} */ id) => ({
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: id,
          toolName: 'search_records',
          output: { type: 'json', value: JSON.parse(PAGE) },
        },
      ],
    }),
  },
};

/** A conversation in which every result has collapsed: the most work that projecting can be. @param {any} shape */
function conversation({ call, result }) {
  const collapser = createCollapser();
  const messages = [];
  for (let index = 0; index < RESULTS; index++) {
    const id = `call_${index}`;
    collapser.observe({
      server: 's',
      tool: 'search_records',
      callId: id,
      result: {
        content: [{ type: 'text', text: PAGE }],
        _meta: {
          context: { lifecycle: 'transient', summary: `15 activity records (page ${index}/300)` },
          'infold/handle': `rs_${index}`,
        },
      },
    });
    messages.push(call(id), result(id));
  }
  const consumes = Array.from({ length: RESULTS }, (_, index) => `rs_${index}`);
  collapser.observe({
    server: 's',
    tool: 'store',
    callId: 'store',
    result: { content: [], _meta: { context: { consumed: true }, 'infold/consumes': consumes } },
  });
  while (messages.length < MESSAGES) messages.push({ role: 'user', content: 'Go on.' });
  return { collapser, messages };
}

/** What projecting costs before each model call, beside writing the same messages as JSON, which every SDK does then. */
export default benchmark({
  target: 'at most 0.2 ms when nothing is new, at most 5 ms from cold',
  async run({ quick }) {
    const rounds = quick ? 10 : 50;
    const rows = [];
    for (const [name, shape] of Object.entries(FORMATS)) {
      const { collapser, messages } = conversation(shape);
      const timed = (/** @type {any[]} */ given, /** @type {any} */ format) => {
        const started = performance.now();
        const projected = collapser.project(given, format);
        const taken = performance.now() - started;
        if (projected.length !== MESSAGES) throw new Error('A message was lost');
        return taken;
      };
      const warm = await interleave({
        rounds,
        warmup: 20,
        ours: () => timed(messages, shape.format),
        floor: () => timed(messages, undefined),
      });
      const cold = await interleave({
        rounds,
        warmup: 5,
        // New objects each time, as after reading the history from a database: nothing is remembered of them.
        ours: () => timed(structuredClone(messages), shape.format),
        floor: () => {
          const started = performance.now();
          JSON.stringify(messages);
          return performance.now() - started;
        },
      });
      const what = `\`project()\`, ${name}, 1,000 messages with 300 collapsed results`;
      const limit = { ratioAtMost: 1 };
      const most = (/** @type {number} */ value) => warm.ours.map(() => value);
      rows.push(
        {
          what: `${what}, nothing new`,
          unit: 'ms',
          against: 'the most that is allowed',
          ours: warm.ours,
          floor: most(0.2),
          limit,
        },
        {
          what: `${what}, format found by itself`,
          unit: 'ms',
          against: 'the most that is allowed',
          ours: warm.floor,
          floor: most(0.2),
          limit,
        },
        {
          what: `${what}, cold`,
          unit: 'ms',
          against: 'the most that is allowed',
          ours: cold.ours,
          floor: most(5),
          limit,
        },
        { what: `${what}, cold`, unit: 'ms', against: '`JSON.stringify` of the full history', ...cold },
      );
    }
    const program = fileURLToPath(new URL('./first-projection.mjs', import.meta.url));
    const first = Array.from({ length: quick ? 3 : 15 }, () =>
      Number(execFileSync(process.execPath, [program])),
    );
    rows.push({
      what: 'the first `project()` of a process, anthropic, nothing compiled yet',
      unit: 'ms',
      against: 'the most that is allowed',
      ours: first,
      floor: first.map(() => 5),
      limit: { ratioAtMost: 1 },
    });
    return rows;
  },
});

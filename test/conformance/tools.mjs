import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { defineTool } from '../../packages/server/dist/call/tool.js';
import { InfoldError } from '../../packages/server/dist/kernel/errors.js';
import { PIXEL, SILENCE } from './media.mjs';

const PAUSE = 50;

/**
 * @param {string} name
 * @param {(context: import('../../packages/server/dist/call/context.js').CallContext) => unknown} run
 * @param {z.ZodObject} [input]
 */
function tool(name, run, input = z.object({})) {
  return defineTool({
    name,
    title: name,
    description: `What the conformance suite expects of ${name}.`,
    input,
    output: z.object({ said: z.string() }),
    annotations: { readOnlyHint: true },
    scope: 'read',
    async run(_input, context) {
      const { said, ...more } = /** @type {any} */ (await run(context));
      return { structured: { said }, text: said, ...more };
    },
  });
}

/** @param {string} uri @param {string} mimeType @param {string} text */
const embedded = (uri, mimeType, text) => ({ type: 'resource', resource: { uri, mimeType, text } });

/** The keywords stand in the listed schema as they are here; arguments are checked by its properties alone. */
const addressed = z
  .strictObject({
    session_id: z.string().optional(),
    name: z.string().optional(),
    address: z
      .object({ street: z.string().optional(), city: z.string().optional() })
      .meta({ id: 'address', $anchor: 'addressDef' })
      .optional(),
    contactMethod: z.enum(['phone', 'email']).optional(),
    phone: z.string().optional(),
    email: z.string().optional(),
  })
  .meta({
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['phone'] },
    else: { required: ['email'] },
  });

export const tools = [
  tool('test_simple_text', () => ({ said: 'This is a simple text response for testing.' })),
  tool('test_image_content', () => ({ said: 'A pixel:', attachments: [PIXEL] })),
  tool('test_audio_content', () => ({ said: 'Silence:', attachments: [SILENCE] })),
  tool('test_embedded_resource', () => ({
    said: 'A resource:',
    attachments: [
      embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
    ],
  })),
  tool('test_multiple_content_types', () => ({
    said: 'Multiple content types test:',
    attachments: [
      PIXEL,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  })),
  tool('test_error_handling', () => {
    throw new InfoldError('internal', 'This tool intentionally returns an error for testing');
  }),
  tool('test_tool_with_logging', async ({ log }) => {
    log('info', 'Tool execution started');
    await setTimeout(PAUSE);
    log('info', 'Tool processing data');
    await setTimeout(PAUSE);
    log('info', 'Tool execution completed');
    return { said: 'Done.' };
  }),
  tool('test_logging_tool', ({ log }) => {
    log('info', 'Heard only by those who asked');
    return { said: 'Done.' };
  }),
  tool('test_tool_with_progress', async ({ progress }) => {
    for (const done of [0, 50, 100]) {
      progress(done, 100);
      await setTimeout(PAUSE);
    }
    return { said: 'Done.' };
  }),
  tool('json_schema_2020_12_tool', () => ({ said: 'Understood.' }), addressed),
];

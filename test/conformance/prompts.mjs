import { PIXEL } from './media.mjs';

/** @param {string} text */
const text = (text) => ({ type: /** @type {const} */ ('text'), text });

/** @param {string[]} names */
const required = (...names) => names.map((name) => ({ name, description: name, required: true }));

/** @typedef {import('../../packages/server/dist/call/content.js').Content} Content */
/** @type {Record<string, { arguments: ReturnType<typeof required>, content: (input: Record<string, string>) => Content[] }>} */
const PROMPTS = {
  test_simple_prompt: { arguments: [], content: () => [text('This is a simple prompt for testing.')] },
  test_prompt_with_arguments: {
    arguments: required('arg1', 'arg2'),
    content: ({ arg1, arg2 }) => [text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  },
  test_prompt_with_embedded_resource: {
    arguments: required('resourceUri'),
    content: ({ resourceUri: uri = '' }) => [
      {
        type: 'resource',
        resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
      },
      text('Please process the embedded resource above.'),
    ],
  },
  test_prompt_with_image: {
    arguments: [],
    content: () => [PIXEL, text('Please analyze the image above.')],
  },
};

/** @type {import('../../packages/server/dist/call/prompt.js').PromptSource} */
export const prompts = {
  streams: '',
  list: () =>
    Object.entries(PROMPTS).map(([name, prompt]) => ({
      name,
      title: name,
      description: `What the conformance suite expects of ${name}`,
      arguments: prompt.arguments,
    })),
  get: (name, _context, input) => {
    const prompt = PROMPTS[name];
    return prompt && { content: prompt.content(input) };
  },
};

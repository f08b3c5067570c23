import { PIXEL } from './media.mjs';

/** @typedef {import('../../packages/server/dist/call/resource.js').ResourceDefinition} ResourceDefinition */

/**
 * @param {string} template
 * @param {string} mimeType
 * @param {ResourceDefinition['read']} read
 * @param {string[]} listed
 * @returns {ResourceDefinition}
 */
function resource(template, mimeType, read, listed = []) {
  return {
    template,
    name: template,
    title: template,
    description: `What the conformance suite expects at ${template}`,
    mimeType,
    read,
    list: () => listed.map((id) => ({ id, title: id })),
    streams: '',
    changedBy: () => [],
  };
}

/** @type {Record<string, string>} */
const TEXTS = {
  'static-text': 'This is the content of the static text resource.',
  'watched-resource': 'This resource can be watched.',
};

export const resources = [
  resource(
    'test://{id}',
    'text/plain',
    (id) => (TEXTS[id] === undefined ? undefined : { text: TEXTS[id] }),
    Object.keys(TEXTS),
  ),
  resource('test://static-{id}', 'image/png', (id) => (id === 'binary' ? { blob: PIXEL.data } : undefined), [
    'binary',
  ]),
  resource('test://template/{id}/data', 'application/json', (id) => ({
    text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
  })),
];

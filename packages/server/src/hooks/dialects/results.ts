import { type Fields, fieldsOf } from './fields.ts';

/** A result as text, as near to what a model sees of it as the host tells. */
export function textOfResult(result: unknown): string | undefined {
  if (result === undefined || result === null) return undefined;
  if (typeof result === 'string') return result;
  if (Array.isArray(result)) return textOfBlocks(result) ?? JSON.stringify(result);
  const fields = fieldsOf(result);
  return (fields && textOfFields(fields)) ?? JSON.stringify(result);
}

function textOfFields(fields: Fields): string | undefined {
  const { stdout, stderr, content, structuredContent, file, result, llmContent, textResultForLlm } = fields;
  if (typeof stdout === 'string')
    return [stdout, stderr].filter((part) => typeof part === 'string' && part !== '').join('\n');
  if (structuredContent !== undefined && structuredContent !== null) return JSON.stringify(structuredContent);
  if (Array.isArray(content)) return textOfBlocks(content);
  for (const text of [content, fieldsOf(file)?.content, result, textResultForLlm]) {
    if (typeof text === 'string') return text;
  }
  return llmContent === undefined ? undefined : textOfResult(llmContent);
}

/** Blocks of a message, or Gemini's parts. One that is no text, such as a picture, makes this undefined. */
function textOfBlocks(blocks: readonly unknown[]): string | undefined {
  const texts = blocks.map((block) => (typeof block === 'string' ? block : fieldsOf(block)?.text));
  return texts.every((text) => typeof text === 'string') ? texts.join('\n') : undefined;
}

/** The same result with another text, in the tool's own shape. Undefined where that shape has no place for it. */
export type Replace = (result: unknown, text: string) => unknown;

/** A command's output: what it wrote to either stream is in the new text. */
export const replaceStreams: Replace = (result, text) => {
  const fields = fieldsOf(result);
  if (typeof fields?.stdout !== 'string' || fields.isImage === true) return undefined;
  // The host has put it into a file, and shows the model where.
  if (typeof fields.persistedOutputPath === 'string') return undefined;
  return { ...fields, stdout: text, ...(typeof fields.stderr === 'string' ? { stderr: '' } : {}) };
};

export const replaceField =
  (name: string): Replace =>
  (result, text) => {
    const fields = fieldsOf(result);
    return typeof fields?.[name] === 'string' ? { ...fields, [name]: text } : undefined;
  };

/** A text, or blocks that are all text, bare or within a result. */
export const replaceBlocks: Replace = (result, text) => {
  if (typeof result === 'string') return text;
  if (Array.isArray(result)) {
    return result.length > 0 && textOfBlocks(result) !== undefined ? [{ type: 'text', text }] : undefined;
  }
  const content = fieldsOf(result)?.content;
  return Array.isArray(content) && content.length > 0 && textOfBlocks(content) !== undefined
    ? [{ type: 'text', text }]
    : undefined;
};

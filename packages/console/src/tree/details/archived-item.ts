/** Items of the archive as this page shows them. Nothing is taken for granted: what is not known is shown as it is. */
export type ArchivedItem =
  | { type: 'branch'; prompt: string }
  | { type: 'summary'; text: string }
  | { type: 'child'; handle: string; description: string; status: string; tokens: number }
  | {
      type: 'operation';
      handle: string;
      tool: string;
      tokens: number;
      input: unknown;
      output: unknown;
      isDiscarded: boolean;
      isErased: boolean;
      isCut: boolean;
    }
  | { type: 'call'; input: unknown }
  | { type: 'output'; text: string }
  | { type: 'other'; text: string };

type Given = Record<string, unknown>;

export function archivedItem(value: unknown): ArchivedItem {
  const item = (typeof value === 'object' && value !== null ? value : {}) as Given;
  switch (item.type) {
    case 'branch':
      return { type: 'branch', prompt: words(item.prompt) };
    case 'summary':
      return { type: 'summary', text: words(item.text) };
    case 'child':
      return {
        type: 'child',
        handle: words(item.handle),
        description: words(item.description),
        status: words(item.status),
        tokens: figure(item.tokens),
      };
    case 'operation':
      return {
        type: 'operation',
        handle: words(item.handle),
        tool: words(item.tool) || 'An operation',
        tokens: figure(item.tokens),
        input: item.input,
        output: item.output,
        isDiscarded: item.discarded === true,
        isErased: item.erased === true,
        isCut: 'input_characters' in item || 'output_characters' in item,
      };
    case 'call':
      return { type: 'call', input: item.input };
    case 'output':
      return { type: 'output', text: textOf('text' in item ? item.text : item.value) };
    default:
      return { type: 'other', text: textOf(value) };
  }
}

const words = (value: unknown) => (typeof value === 'string' ? value : '');
const figure = (value: unknown) => (typeof value === 'number' ? value : 0);

/** Text as it is, everything else as indented JSON. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
}

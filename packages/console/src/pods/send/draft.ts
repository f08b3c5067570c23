import type { EnvelopeContext } from '@infold/protocol';

/** What somebody is about to say. */
export interface MessageDraft {
  kind: string;
  text: string;
  /** The text is the payload itself, as JSON. */
  isJson: boolean;
  to: readonly string[];
  /** `main`, `new`, or the id of a context. */
  place: string;
  newType: string;
  newParent: string;
  /** The message or context that it answers. */
  correlation: string;
}

export const EMPTY_DRAFT: MessageDraft = {
  kind: 'chat',
  text: '',
  isJson: false,
  to: [],
  place: 'main',
  newType: '',
  newParent: '',
  correlation: '',
};

export const MAIN = 'main';
export const NEW = 'new';
const CONTEXT = 'c:';
export const placeOfContext = (id: string): string => CONTEXT + id;
export const contextIn = (place: string): string | undefined =>
  place.startsWith(CONTEXT) ? place.slice(CONTEXT.length) : undefined;

/** The field of a payload that holds what is said, by kind. */
const FIELDS: Readonly<Record<string, string>> = { reflection: 'thought', conclusion: 'conclusion' };

/** What goes out as the payload; throws what is wrong with the JSON. */
export function payloadOf({ kind, text, isJson }: MessageDraft): unknown {
  if (isJson) return JSON.parse(text);
  return { [Object.hasOwn(FIELDS, kind) ? FIELDS[kind]! : 'text']: text };
}

export type DraftProblems = Partial<Record<'kind' | 'text' | 'correlation', string>>;

/** What is wrong with it before anybody is asked. */
export function problemsOf(draft: MessageDraft): DraftProblems {
  const { kind, text, isJson, correlation } = draft;
  const problems: DraftProblems = {};
  if (kind === '') problems.kind = 'Say what kind of message it is';
  else if (kind.length > 256) problems.kind = 'A kind has at most 256 characters';
  if (text.trim() === '') problems.text = isJson ? 'Write the payload as JSON' : 'Write something';
  else if (isJson) {
    try {
      payloadOf(draft);
    } catch (error) {
      problems.text = `This is not JSON: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
  if (kind.startsWith('mcp/response:') && correlation === '')
    problems.correlation = 'A response names what it answers';
  if (kind.startsWith('mcp/proposal:') && correlation !== '')
    problems.correlation = 'A proposal answers nothing: leave this empty';
  return problems;
}

/** The context that a draft goes to. One that is new gets an id that nobody can guess. */
export function contextOf(
  { place, newType, newParent }: MessageDraft,
  typeOf: (id: string) => string | null | undefined,
  newId: () => string,
): EnvelopeContext | undefined {
  const id = contextIn(place);
  if (id !== undefined) {
    const type = typeOf(id);
    return { id, ...(type != null && { type }) };
  }
  if (place !== NEW) return undefined;
  return {
    id: newId(),
    ...(newType !== '' && { type: newType }),
    ...(newParent !== '' && { parent: newParent }),
  };
}

/** A draft from what was sent, to be changed and sent again. */
export function draftOf({
  kind,
  payload,
  to = [],
  correlation_id,
  context,
}: {
  kind: string;
  payload: unknown;
  to?: readonly string[];
  correlation_id?: string;
  context?: EnvelopeContext;
}): MessageDraft {
  const field = Object.hasOwn(FIELDS, kind) ? FIELDS[kind]! : 'text';
  const said = (payload as Record<string, unknown> | null)?.[field];
  const isText = typeof said === 'string' && Object.keys(payload as object).length === 1;
  return {
    ...{ ...EMPTY_DRAFT, kind, to },
    ...{ text: isText ? said : JSON.stringify(payload, null, 2), isJson: !isText },
    ...{ place: context ? placeOfContext(context.id) : MAIN, correlation: correlation_id ?? '' },
  };
}

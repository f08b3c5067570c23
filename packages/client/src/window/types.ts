/** The ways in which model APIs write a conversation. */
export const DIALECTS = ['anthropic', 'openai-chat', 'openai-responses', 'gemini'] as const;
export type Dialect = (typeof DIALECTS)[number];

/** Why something leaves a window. */
export const RULES = [
  'folded',
  'discarded',
  'consumed',
  'shortened',
  'repeated',
  'superseded',
  'resolved',
  'aged',
] as const;
export type Rule = (typeof RULES)[number];

/** Where a value stands in a request's body, from the outside in. */
export type Path = readonly (string | number)[];

interface Placed {
  path: Path;
  /** What it weighs, by estimate. */
  tokens: number;
}

export interface TextPart extends Placed {
  kind: 'text';
  text: string;
}

export interface CallPart extends Placed {
  kind: 'call';
  id: string;
  name: string;
  input: unknown;
}

export interface ResultPart extends Placed {
  kind: 'result';
  /** Of the call that it answers. */
  id: string;
  /** As the model reads it. */
  text: string;
  isError: boolean;
  /** It holds more than text: it stays as it is. */
  isFixed: boolean;
  /** It defines tools that are used later: its step never goes. */
  bringsTools: boolean;
}

/** Thinking, images, what a later version of the API brings: it goes with its message, or stays with it. */
export interface OtherPart extends Placed {
  kind: 'other';
  /** Defines tools, or something that nobody here knows: its message never goes. */
  isFixed: boolean;
}

export type Part = TextPart | CallPart | ResultPart | OtherPart;

export interface Message {
  role: 'user' | 'assistant' | 'system';
  path: Path;
  parts: readonly Part[];
  /** What it says, in one way however it is written, and without marks for a cache: the same message gives the same text. */
  canonical: string;
}

/** What a request's body says, in whichever dialect. */
export interface Conversation {
  dialect: Dialect;
  model: string | undefined;
  /** What stands before the messages. */
  system: { tokens: number; digest: string };
  tools: { tokens: number; digest: string };
  /** The model can get back what left: it is offered `context_expand`. */
  canExpand: boolean;
  /** Marks for the provider's cache: the JSON of the last one, and how many there are. */
  cache: { mark: string; count: number } | undefined;
  messages: readonly Message[];
}

/** A result as a decision means it: the call's id alone could be another's. */
export interface Anchor {
  call: string;
  /** Of the result's text. */
  digest: string;
}

/**
 * What becomes of something in the window. It is taken once, and holds everything that is needed to do it again to the byte,
 * wherever all of its anchors are in the request.
 */
export interface Decision {
  /** What brings the original back. */
  handle: string;
  rule: Rule;
  /** All of them have to be there; the first one is what it is about. */
  anchors: readonly Anchor[];
  effect: Effect & { mark?: Mark };
  /** Estimated tokens of what it was and of what stands there instead. */
  tokens: { before: number; after: number };
}

/** The request with this digest gets a mark for the provider's cache at this message: further back than a provider looks. */
export interface Mark {
  request: string;
  message: number;
}

export type Effect =
  /** The result of the first anchor becomes this text. */
  | { kind: 'replace'; text: string }
  /** Everything from behind the result of the first anchor up to and with that of the second goes; the first becomes this text. */
  | { kind: 'fold'; text: string }
  /** Everything from the call of the first anchor up to that of the second goes; the result of the second becomes this text. */
  | { kind: 'discard'; text: string }
  /** The fold of the first anchor, which ended with the second, is undone. */
  | { kind: 'reopen' }
  /** The result of the first anchor becomes the text of the second, which left. */
  | { kind: 'show' };

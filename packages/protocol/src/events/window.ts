/** A conversation between a host and a model, as recognised from its requests. */
export interface WindowOpened {
  conversation: string;
  principal: string;
  /** Identifies it in later requests: the host's session id, or the digest of the first message. */
  key: string;
  /** The host's own id of the session and of the agent in it; null if requests carry none. */
  host_session: string | null;
  /** The name that the host gives itself, if any. */
  host: string | null;
  upstream: string;
  dialect: string;
  /** The conversation that this one continues: a fork, or one that the host resumed under another id. */
  forked_from: string | null;
}

/** What a request contains. Tokens are estimates; the provider's own count comes with its answer. */
export interface WindowAsked {
  conversation: string;
  turn: number;
  /** The turn that this request continues; null if none is known. */
  parent: { conversation: string; turn: number } | null;
  model: string | null;
  /** The number of messages that the host sent, and their digest, which the next request starts with. */
  messages: number;
  digest: string;
  /** Digests of what precedes the messages. A change invalidates the provider's cache. */
  system_digest: string;
  tools_digest: string;
  held: WindowHeld;
  gone: WindowGone[];
  /** As the host sent it to us, and as it was sent to the provider. */
  tokens: { asked: number; sent: number };
  /** The estimated cost in input tokens, from known prices and the state of the cache: as asked, and as sent. */
  cost: { asked: number; sent: number };
  /** As far as is known, the provider's cache held nothing of it. */
  is_cold: boolean;
  /** Why it was sent unchanged, if it was. */
  passed: string | null;
}

/** What is in the window after the rules were applied, in tokens. */
export interface WindowHeld {
  system: number;
  tools: number;
  /** Text of people and of the model, and the model's calls. */
  text: number;
  /** Results by tool, largest first. */
  results: { tool: string; count: number; tokens: number }[];
}

/** What left this request, by rule. */
export interface WindowGone {
  rule: string;
  count: number;
  tokens: number;
}

/** A decision about the window: made once, then repeated to the byte in every later request. */
export interface WindowCollapsed {
  conversation: string;
  turn: number;
  handle: string;
  rule: string;
  anchors: { call: string; digest: string }[];
  effect: ({ kind: 'replace' | 'fold' | 'discard'; text: string } | { kind: 'reopen' | 'show' }) & {
    /** The request with this digest got another cache breakpoint, at this message. */
    mark?: { request: string; message: number };
  };
  tokens: { before: number; after: number };
  /** The tool that produced the result. */
  tool: string;
  secrets: number;
}

/** The provider's own figures. */
export interface WindowUsage {
  /** Neither read from the cache nor written to it. */
  input: number;
  cache_read: number;
  cache_write: number;
  /** Of those written, the ones that are kept for an hour. */
  cache_write_long: number;
  output: number;
}

export interface WindowAnswered {
  conversation: string;
  turn: number;
  status: number;
  /** Null if the answer has none. */
  usage: WindowUsage | null;
  /** From the request's arrival to the first and the last byte of the answer, and the part spent here before sending. */
  milliseconds: { first: number; all: number; own: number };
  /** In US dollars at the model's price; null if that is unknown. `untouched` is an estimate. */
  money: { actual: number; untouched: number } | null;
}

/** The door was turned off, or on again, for one conversation. */
export interface WindowSwitched {
  conversation: string;
  enabled: boolean;
}

export interface WindowEvents {
  'window.opened': WindowOpened;
  'window.asked': WindowAsked;
  'window.collapsed': WindowCollapsed;
  'window.answered': WindowAnswered;
  'window.switched': WindowSwitched;
}

/** A conversation between a host and a model, as its requests show it. */
export interface WindowOpened {
  conversation: string;
  principal: string;
  /** What later requests find it by: the host's id of the session, or the digest of the first message. */
  key: string;
  /** The host's own id of the session, and of the agent within it; null where the first messages have to do. */
  host_session: string | null;
  /** The name that the host goes by, where it tells one. */
  host: string | null;
  upstream: string;
  dialect: string;
  /** The conversation that this one goes on from: a fork, or what a host resumed under another id. */
  forked_from: string | null;
}

/** What a request holds. Tokens are estimates: only the provider knows them, and tells with its answer. */
export interface WindowAsked {
  conversation: string;
  turn: number;
  /** The turn that this request goes on from; null where nothing before it is known. */
  parent: { conversation: string; turn: number } | null;
  model: string | null;
  /** How many messages the host sent, and the digest of them all: what the next request begins with. */
  messages: number;
  digest: string;
  /** Of what stands before the messages: a change costs the provider's cache. */
  system_digest: string;
  tools_digest: string;
  held: WindowHeld;
  gone: WindowGone[];
  /** As the host asked, and as it was sent. */
  tokens: { asked: number; sent: number };
  /** What the request costs by the prices and the cache that are known, in input tokens: as asked, and as sent. */
  cost: { asked: number; sent: number };
  /** The provider's cache held nothing of it, as far as can be told. */
  is_cold: boolean;
  /** Why it was sent as it came, if it was. */
  passed: string | null;
}

/** What is in the window after everything left that did. */
export interface WindowHeld {
  system: number;
  tools: number;
  /** What people and the model said, and its calls. */
  text: number;
  /** Results, by the name of their tool, largest first. */
  results: { tool: string; count: number; tokens: number }[];
}

/** What left this request, by the rule that it left by. */
export interface WindowGone {
  rule: string;
  count: number;
  tokens: number;
}

/** A decision about what the window holds: taken once, and done again to the byte in every later request. */
export interface WindowCollapsed {
  conversation: string;
  turn: number;
  handle: string;
  rule: string;
  anchors: { call: string; digest: string }[];
  effect: ({ kind: 'replace' | 'fold' | 'discard'; text: string } | { kind: 'reopen' | 'show' }) & {
    /** The request with this digest got a further mark for the provider's cache, at this message. */
    mark?: { request: string; message: number };
  };
  tokens: { before: number; after: number };
  /** The tool whose result it was. */
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
  /** Null where the answer told none. */
  usage: WindowUsage | null;
  /** From the request's arrival to the first byte and to the last one, and what of it was spent here before sending. */
  milliseconds: { first: number; all: number; own: number };
  /** In US dollars by the price of the model; null where it is not known. `untouched` is an estimate. */
  money: { actual: number; untouched: number } | null;
}

/** Somebody turned the door off, or on again, for one conversation. */
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

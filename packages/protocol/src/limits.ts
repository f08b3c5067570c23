/**
 * Every limit, with its default. `limits` in the configuration overrides them by name. A schema that depends on a limit
 * is a function of the limits in force. Sizes are in bytes unless the name says otherwise, times in milliseconds.
 */
export const LIMITS = {
  /** A request body over HTTP, or one message over stdio. */
  requestBytes: 4 * 1024 * 1024,
  /** Bytes received of all unanswered requests together; the same limit applies to all WebSocket messages together. */
  requestBytesInAll: 64 * 1024 * 1024,
  /** Messages in one JSON-RPC batch (2025 era only; later revisions have no batches). */
  batchMessages: 100,
  /** Entry data above this size is stored as a content-addressed file beside the journal. */
  inlineEntryBytes: 256 * 1024,
  /** One entry, blob included. */
  entryBytes: 64 * 1024 * 1024,
  /** A session ends this long after its last event. */
  sessionLifetime: 24 * 60 * 60 * 1000,
  /** 2025-era HTTP connections kept at once, and how long an unused one is kept. */
  httpConnections: 1024,
  httpConnectionIdle: 60 * 60 * 1000,
  /** Memory that such a connection may use for its client's details and its resource subscriptions. */
  httpConnectionBytes: 64 * 1024,
  /** Connections to the port, of any kind. */
  portConnections: 12_000,
  /** Fold: a branch's description and instruction, a summary, the depth of the tree, open branches per session. */
  descriptionCharacters: 200,
  promptBytes: 256 * 1024,
  summaryBytes: 64 * 1024,
  branchDepth: 8,
  activeBranches: 64,
  /** Operations in one report. */
  operationsPerReport: 1000,
  /** Memory: the goal of a pack, one item, its title, tags and relations, a line of an import. */
  goalCharacters: 16_384,
  itemCharacters: 262_144,
  itemTitleCharacters: 200,
  itemTags: 64,
  itemRelations: 64,
  importLineBytes: 1024 * 1024,
  /** Tokens of a pack by layer, unless the call sets a budget. */
  wakeTokens: 1500,
  recallTokens: 4000,
  deepSearchTokens: 8000,
  /** Library: one file, files listed and found at once, ids of one load, references of one claim. */
  libraryFileBytes: 1024 * 1024,
  discoverItems: 200,
  discoverMatches: 50,
  loadItems: 200,
  referItems: 200,
  /**
   * Hub: files in the library of a project and their bytes in all, the meta prompt that an edge accepts, texts of one answer, entries of
   * a batch that an edge sends, and its bytes.
   */
  hubFiles: 20_000,
  hubLibraryBytes: 256 * 1024 * 1024,
  hubMetaPromptBytes: 64 * 1024,
  hubTextsPerAnswer: 100,
  hubBatchEntries: 1000,
  hubBatchBytes: 2 * 1024 * 1024,
  /** Per principal: calls in flight, and what it may start or send in a minute. */
  callsAtOnce: 64,
  callsPerMinute: 30_000,
  sessionsPerMinute: 300,
  branchesPerMinute: 6000,
  remembersPerMinute: 12_000,
  envelopesPerMinute: 12_000,
  bytesPerMinute: 1024 * 1024 * 1024,
  /** Per principal and per organisation: streams, WebSockets and pods open at once. */
  streamsPerPrincipal: 256,
  streamsPerOrganisation: 1024,
  socketsPerPrincipal: 256,
  socketsPerOrganisation: 4096,
  podsPerPrincipal: 200,
  podsPerOrganisation: 500,
  /** Unauthenticated requests: how many a minute are answered at once, and how many may wait. */
  strangersPerMinute: 1200,
  strangersWaiting: 64,
  /** JSON that is nested deeper, or has more keys, is refused before it is parsed. */
  jsonDepth: 64,
  jsonKeys: 200_000,
  /** Transient: records per page, bytes of a page and of one record, columns of a file, values in one filter. */
  recordsPerPage: 200,
  recordPageBytes: 4 * 1024 * 1024,
  recordBytes: 4 * 1024 * 1024,
  recordColumns: 200,
  filterValues: 500,
  /** How long a call waits for a file to be indexed, and for a source to answer. */
  indexWait: 20_000,
  sourceWait: 20_000,
  /** Rows kept for a `scratch_ref` and for handles: how long, and bytes per principal. */
  scratchLifetime: 60 * 60 * 1000,
  resultLifetime: 24 * 60 * 60 * 1000,
  scratchBytes: 64 * 1024 * 1024,
  /**
   * Analysis memory: findings per call, one finding, its metadata, and the least time that findings live that are not
   * persistent (never less than their session).
   */
  findingsPerCall: 25,
  findingCharacters: 16_384,
  findingMetadataBytes: 16_384,
  findingLifetime: 24 * 60 * 60 * 1000,
  /** The length of a page of records, findings, messages or a trajectory. Hosts cut longer results. */
  pageCharacters: 40_000,
  workflowSteps: 200,
  /** Gateway: one message, the metadata of its context, nesting, live contexts per participant. */
  envelopeBytes: 1536 * 1024,
  contextMetadataBytes: 16 * 1024,
  contextDepth: 16,
  contextsPerParticipant: 1000,
  /** Memory for contexts: of one pod whose history is not stored, and of all pods. */
  contextBytes: 8 * 1024 * 1024,
  contextBytesInAll: 64 * 1024 * 1024,
  /** Memory for message ids, to detect duplicates. */
  messageIdBytesInAll: 16 * 1024 * 1024,
  contextsPerMinute: 6000,
  /** Messages a minute from one participant in one context, so that a runaway context stops only itself. */
  contextEnvelopesPerMinute: 6000,
  /** Bytes buffered for one slow receiver and for all, over WebSockets and again over HTTP; bytes waiting for history, per pod and in all. */
  readerBufferBytes: 4 * 1024 * 1024,
  readerBytesInAll: 128 * 1024 * 1024,
  podBufferBytes: 8 * 1024 * 1024,
  historyBufferBytes: 32 * 1024 * 1024,
  /** Recent messages that a pod keeps for participants who reconnect, their bytes, and those of all pods. */
  recentEnvelopes: 2000,
  recentEnvelopeBytes: 8 * 1024 * 1024,
  recentBytesInAll: 64 * 1024 * 1024,
  /** Bytes read from history at once. */
  historyPageBytes: 4 * 1024 * 1024,
  /** Pods open at once, connections to one pod, envelopes in one replay. */
  podsOpen: 1000,
  podConnections: 10_000,
  replayEnvelopes: 10_000,
  /** Messages from this size on are compressed for clients that support it. */
  deflateBytes: 4096,
  /** Memory for the last prompts of conversations, which the console shows. */
  promptsHeldBytes: 32 * 1024 * 1024,
  /** How long a connection may be silent before the server pings it. */
  heartbeat: 30_000,
  /** How long a write waits for another process's lock before it gives up with a retryable error. */
  lockWait: 5000,
} as const;

export type LimitName = keyof typeof LIMITS;
export type Limits = { readonly [name in LimitName]: number };

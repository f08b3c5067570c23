/**
 * Every limit of the system, with its default. The configuration's `limits` overrides single rows by name, and code
 * reads them from there: a schema that depends on a limit is a function of the limits that are in force.
 * Sizes are bytes unless the name says otherwise, times are milliseconds.
 */
export const LIMITS = {
  /** A request body over HTTP, or one message over stdio. */
  requestBytes: 4 * 1024 * 1024,
  /** What came in of all requests that are not answered yet, and again of all messages over WebSockets. */
  requestBytesInAll: 64 * 1024 * 1024,
  /** Messages in one JSON-RPC batch (2025 era only; later revisions have no batches). */
  batchMessages: 100,
  /** Entry data above this size is kept as a content-addressed file beside the journal. */
  inlineEntryBytes: 256 * 1024,
  /** One entry, blob included. */
  entryBytes: 64 * 1024 * 1024,
  /** A session ends this long after its last event. */
  sessionLifetime: 24 * 60 * 60 * 1000,
  /** 2025-era HTTP connections kept at once, and how long an unused one is kept. */
  httpConnections: 1024,
  httpConnectionIdle: 60 * 60 * 1000,
  /** What such a connection keeps of what its client said of itself, and of the resources that it watches. */
  httpConnectionBytes: 64 * 1024,
  /** Connections to the port, of whatever kind. */
  portConnections: 12_000,
  /** Fold: a branch's description and instruction, a summary, the depth of the tree, open branches a session. */
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
  /** Tokens of a pack by layer, where the call names no budget. */
  wakeTokens: 1500,
  recallTokens: 4000,
  deepSearchTokens: 8000,
  /** Library: one file, files listed and found at once, ids of one load, references of one claim. */
  libraryFileBytes: 1024 * 1024,
  discoverItems: 200,
  discoverMatches: 50,
  loadItems: 200,
  referItems: 200,
  /** Of one principal: calls in flight, and what it may begin or send in a minute. */
  callsAtOnce: 64,
  callsPerMinute: 30_000,
  sessionsPerMinute: 300,
  branchesPerMinute: 6000,
  remembersPerMinute: 12_000,
  envelopesPerMinute: 12_000,
  bytesPerMinute: 1024 * 1024 * 1024,
  /** Of one principal, and of all of an organisation: streams, WebSockets and pods that are open at once. */
  streamsPerPrincipal: 256,
  streamsPerOrganisation: 1024,
  socketsPerPrincipal: 256,
  socketsPerOrganisation: 4096,
  podsPerPrincipal: 200,
  podsPerOrganisation: 500,
  /** Requests that nobody vouches for: what is answered at once, and how many may wait for a later answer. */
  strangersPerMinute: 1200,
  strangersWaiting: 64,
  /** JSON that is nested deeper, or has more keys, is refused before it is read. */
  jsonDepth: 64,
  jsonKeys: 200_000,
  /** Transient: records a page, bytes of a page and of one record, columns of a file, values of one filter. */
  recordsPerPage: 200,
  recordPageBytes: 4 * 1024 * 1024,
  recordBytes: 4 * 1024 * 1024,
  recordColumns: 200,
  filterValues: 500,
  /** How long a call waits for a file to be indexed, and for a source to answer. */
  indexWait: 20_000,
  sourceWait: 20_000,
  /** Rows kept for `scratch_ref` and for handles: how long, and bytes for each principal. */
  scratchLifetime: 60 * 60 * 1000,
  resultLifetime: 24 * 60 * 60 * 1000,
  scratchBytes: 64 * 1024 * 1024,
  /**
   * Analysis memory: findings of one call, one finding, its metadata, and how long those live at least that are not kept
   * (as long as their session, in any case).
   */
  findingsPerCall: 25,
  findingCharacters: 16_384,
  findingMetadataBytes: 16_384,
  findingLifetime: 24 * 60 * 60 * 1000,
  /** What a page of records, findings, messages or of an archive may hold: hosts cut what is longer. */
  pageCharacters: 40_000,
  workflowSteps: 200,
  /** Gateway: one message, the metadata of its context, nesting, live contexts of a participant and new ones a minute. */
  envelopeBytes: 1536 * 1024,
  contextMetadataBytes: 16 * 1024,
  contextDepth: 16,
  contextsPerParticipant: 1000,
  /** What contexts take in memory: of one pod whose history is not stored, and of all pods. */
  contextBytes: 8 * 1024 * 1024,
  contextBytesInAll: 64 * 1024 * 1024,
  /** What is kept in memory of the ids of messages, to know those that come twice. */
  messageIdBytesInAll: 16 * 1024 * 1024,
  contextsPerMinute: 6000,
  /** Messages a minute of one participant in one context, so that a context that runs away stops only itself. */
  contextEnvelopesPerMinute: 6000,
  /** What waits for one reader, and for all: over WebSockets, and again over HTTP; what waits to be written to history of one pod, and of all. */
  readerBufferBytes: 4 * 1024 * 1024,
  readerBytesInAll: 128 * 1024 * 1024,
  podBufferBytes: 8 * 1024 * 1024,
  historyBufferBytes: 32 * 1024 * 1024,
  /** Recent messages of a pod that are kept for who comes back, their bytes, and those of all pods. */
  recentEnvelopes: 2000,
  recentEnvelopeBytes: 8 * 1024 * 1024,
  recentBytesInAll: 64 * 1024 * 1024,
  /** What is read from history at once. */
  historyPageBytes: 4 * 1024 * 1024,
  /** Pods open at once, connections to one of them, envelopes of one replay. */
  podsOpen: 1000,
  podConnections: 10_000,
  replayEnvelopes: 10_000,
  /** Messages from this size on are compressed for who can read that. */
  deflateBytes: 4096,
  /** Last prompts of conversations with models that are kept in memory to be looked at. */
  promptsHeldBytes: 32 * 1024 * 1024,
  /** How long the connection to a reader may be silent before it is asked for a sign of life. */
  heartbeat: 30_000,
  /** How long a write waits for another process's lock before it gives up with a retryable error. */
  lockWait: 5000,
} as const;

export type LimitName = keyof typeof LIMITS;
export type Limits = { readonly [name in LimitName]: number };

/** Which part of the program delivers a requirement. A part is delivered as a whole or not at all. */
export type Door =
  | 'foundation'
  | 'fold'
  | 'trust'
  | 'library'
  | 'memory'
  | 'transient'
  | 'client'
  | 'gateway'
  | 'gateway-reach'
  | 'actions'
  | 'window'
  | 'hosts'
  | 'trusted-memory'
  | 'console'
  | 'console-govern'
  | 'cluster'
  | 'hub'
  | 'embeddings';

export interface Requirement {
  door: Door;
  behaviour: string;
  /** Beyond the seed documents. */
  ours?: true;
}

/** The doors whose requirements must each be cited by a test. */
export const DELIVERED: readonly Door[] = [
  'foundation',
  'fold',
  'trust',
  'library',
  'memory',
  'transient',
  'client',
  'gateway',
  'gateway-reach',
  'actions',
  'window',
  'console',
  'console-govern',
  'hosts',
  'cluster',
  'embeddings',
  'hub',
];

export const REQUIREMENTS = {
  'KERN-01': {
    door: 'foundation',
    behaviour:
      'An acknowledged write survives `kill -9` at any moment; a write is applied to all projections or to none',
  },
  'KERN-02': {
    door: 'foundation',
    behaviour:
      'Several processes on one data folder: no lost acknowledged write, no SQLITE_BUSY shown to a caller',
  },
  'KERN-03': {
    door: 'foundation',
    behaviour:
      '`infold verify` passes on an untouched journal, and names the first changed, dropped or reordered event otherwise',
  },
  'KERN-04': {
    door: 'foundation',
    behaviour: '`infold rebuild` gives identical projections',
  },
  'KERN-05': {
    door: 'foundation',
    behaviour: 'The same event id or idempotency key twice is one write and the same answer',
  },
  'KERN-06': {
    door: 'foundation',
    behaviour:
      'Every tool answers over stdio and over Streamable HTTP, to 2025-era and 2026-07-28-era clients',
  },
  'KERN-07': {
    door: 'foundation',
    behaviour:
      "Success envelope: `content[0].text` = JSON of `structuredContent` (prose where the seed shows prose, Markdown for packs; what a model must read is in both), `isError: false`; structuredContent, errors too, matches the tool's output schema",
  },
  'KERN-08': {
    door: 'foundation',
    behaviour:
      'Wrong types, missing fields and unknown tools get the answers that seed 002 lists ("Unknown tool", `isError: true`)',
  },
  'KERN-09': {
    door: 'foundation',
    behaviour:
      "Tools are callable by seed name and portable name; `tools/list` shows one spelling: the seed's at `/mcp`, the portable one at `/mcp?names=portable` and on stdio; `--tool-names` overrides",
  },
  'KERN-10': {
    door: 'trust',
    behaviour:
      'Without a valid token where tokens exist: 401 before any work; wrong project: "Project access denied: <id>"; token without organisation: "Organization context required"',
  },
  'KERN-11': {
    door: 'trust',
    behaviour:
      'A non-loopback bind without tokens is refused; hostile Host or Origin gets 403 on HTTP and on the WebSocket upgrade',
  },
  'KERN-12': {
    door: 'trust',
    behaviour: 'Secrets are replaced before anything is written, in every door that stores caller text',
  },
  'KERN-13': {
    door: 'foundation',
    behaviour:
      '`--port 0 --data DIR` works; the first line on stdout of `serve` is `infold listening on http://127.0.0.1:<port>`',
  },
  'KERN-14': {
    door: 'foundation',
    behaviour:
      '`/healthz`, `/readyz`, `/metrics` (Prometheus); structured logs on stderr; nothing but protocol on stdout of `stdio`',
  },
  'KERN-15': {
    door: 'foundation',
    behaviour: 'A stdio server ends within 5 s of its host going away; SIGTERM drains and exits 0',
  },
  'KERN-16': {
    door: 'fold',
    behaviour:
      'Resources: `infold://session/{id}/state`, `infold://library/{path}`, `infold://branch/{id}` can be read and subscribed to',
    ours: true,
  },
  'KERN-17': {
    door: 'foundation',
    behaviour:
      "A connection has its own session: two windows in one folder never see or fold each other's branches unless they name the same session",
    ours: true,
  },
  'KERN-18': {
    door: 'actions',
    behaviour:
      'Every configurable limit takes effect; the same bad value through MCP, REST and CLI gets the same code and sentence',
    ours: true,
  },
  'KERN-19': {
    door: 'actions',
    behaviour:
      '`/api/openapi.json` describes every route; `/api/events` streams what the caller may read, resumable',
    ours: true,
  },
  'FOLD-01': {
    door: 'fold',
    behaviour:
      '`context_branch` with description (≤ 200 characters), prompt, project_path; response fields exactly as in the seed, `context_state` included',
  },
  'FOLD-02': {
    door: 'fold',
    behaviour: 'A branch made while another is active is its child: `parent_branch_id`, `branch_depth`',
  },
  'FOLD-03': {
    door: 'fold',
    behaviour:
      '`context_return` folds the named branch or the active one; summary figures: tokens_folded, tokens_saved, operations_count, secrets_scrubbed, summary_redacted; `context_state`, `context_health`',
  },
  'FOLD-04': {
    door: 'fold',
    behaviour:
      'Arithmetic as in the seed: main 5000, branch 200, total 5200; 8500 folded with a 200-token message saves 8300 and leaves main at 5200, health 0.16',
  },
  'FOLD-05': {
    door: 'fold',
    behaviour:
      '`context_branch_status`: branch_path from `main`, token_breakdown per open branch, total, folded_total (not in total), context_limit (default 32768, configurable), usage_percent (whole number; health to two decimals)',
  },
  'FOLD-06': {
    door: 'fold',
    behaviour: '`context_list_branches`: all branches with status, tokens, times; totals by status',
  },
  'FOLD-07': {
    door: 'fold',
    behaviour:
      '`context_rollback`: branches_discarded, tokens_recovered, the target active; restore_state; to a folded branch; to `main`',
  },
  'FOLD-08': {
    door: 'fold',
    behaviour:
      "Errors −32602 (unknown branch), −32001 (hard limit, when configured), −32003 (not active), each with the seed's `data`",
  },
  'FOLD-09': {
    door: 'fold',
    behaviour:
      'Context state on every response of a session: `X-Context-State` header over HTTP, `_meta["infold/contextState"]` everywhere',
  },
  'FOLD-10': {
    door: 'trust',
    behaviour: 'Secrets in a summary are scrubbed and counted; no scrubber, no fold',
  },
  'FOLD-11': {
    door: 'memory',
    behaviour:
      'The folded summary goes to the main collection (retrievable by `context`), the full trajectory to the archive (readable by branch id)',
  },
  'FOLD-12': {
    door: 'fold',
    behaviour:
      'Session state expires 24 hours after its last event: open branches end as `expired`, live state is removed, archive and summaries stay; a sweep never touches a live session',
  },
  'FOLD-13': {
    door: 'fold',
    behaviour: '`GET /mcp/tools/list` lists the tools with their input schemas',
  },
  'FOLD-14': {
    door: 'fold',
    behaviour:
      "Events branch.created, branch.folded, operation.completed; session_state; under the seed's hierarchy when NATS is used",
  },
  'FOLD-15': {
    door: 'fold',
    behaviour: 'Folding a branch with open children folds them first, atomically, innermost out',
  },
  'FOLD-16': {
    door: 'fold',
    behaviour: 'Two callers folding the same branch: one folds, the other gets −32003',
  },
  'FOLD-17': {
    door: 'fold',
    behaviour: '`context_expand` returns an archived operation or a collapsed result by handle, in pages',
    ours: true,
  },
  'FOLD-18': {
    door: 'fold',
    behaviour:
      'Fold loss check: identifiers, file paths, URLs and open tasks that occur in the branch but not in its summary are listed in the response (`dropped`), so that the agent can amend it',
    ours: true,
  },
  'LIB-01': {
    door: 'library',
    behaviour:
      '`memory.setup`: workspaceId, sessionId, mpf; `knownHash` equal → `changed: false` and no content; a setup event',
  },
  'LIB-02': {
    door: 'library',
    behaviour:
      '`session_id` required (where the host has not told its own), string, not empty, `[A-Za-z0-9_-]{1,128}`; the other tools before setup say that setup is required',
  },
  'LIB-03': {
    door: 'library',
    behaviour:
      '`memory.discover` by kind, group (first path segment, or the logical group in its front matter), query; item fields as in the seed; inventory only, no content',
  },
  'LIB-04': {
    door: 'library',
    behaviour:
      '`memory.load`: ids and knownHashes both required, every id in the map, `""` allowed; unknown id "Unknown rule id" and nothing loaded',
  },
  'LIB-05': {
    door: 'library',
    behaviour:
      'Delta loading: unchanged → `changed: false`, `content: null`, constraints still returned for rules and workflows',
  },
  'LIB-06': {
    door: 'library',
    behaviour:
      'Constraint ids, names, texts and textHash; a refer reminder follows rule and workflow content, not context, and is not in the hash',
  },
  'LIB-07': {
    door: 'library',
    behaviour:
      '`memory.refer`: ok and count; unknown_rule_or_workflow, unknown_constraint with validConstraints, context id refused; retryable and retryAction as in the seed',
  },
  'LIB-08': {
    door: 'library',
    behaviour:
      '`memory.submit` requires a non-empty string summary; `memory.reject` takes an optional reason; both recorded',
  },
  'LIB-09': {
    door: 'library',
    behaviour:
      "`draft` with exactly one tagged op; create, update, rename, delete, discard for context, rule, mpf, with the seed's rules for each; a workflow is drafted as `rule`; ids may be a resource id, a draft path, a temporary id or META_PROMPT.md",
  },
  'LIB-10': {
    door: 'library',
    behaviour:
      'Draft errors: "unsafe path", "file not found in cache", "draft already exists"; mpf cannot be renamed; delete on a create-only draft discards it',
  },
  'LIB-11': {
    door: 'library',
    behaviour:
      "Draft-aware reads, in the session that staged the draft or opted in: load gives the draft's content with hasDraft and draftBaseHash; a rename keeps its content; a delete hides it",
  },
  'LIB-12': {
    door: 'library',
    behaviour:
      'Drafts change nothing published until reviewed: submit, approve or decline, publish; a stale base is a conflict at submit and again at publish',
  },
  'LIB-13': {
    door: 'library',
    behaviour:
      'Every runtime action is an attestation event with its evidence (`setup`, `discover`, `load`, `refer`, `agent_report`, `reject`, draft operations); failing to record fails the call',
  },
  'LIB-14': {
    door: 'library',
    behaviour:
      'memory.begin, memory.complete, memory.startup, memory.list, memory.activate are not in the tool list',
  },
  'LIB-15': {
    door: 'library',
    behaviour:
      'Unsafe paths never leave the library: `..`, absolute, backslash, NUL, `.` segments, symlinked parents, Unicode look-alikes of separators',
  },
  'LIB-16': {
    door: 'library',
    behaviour:
      'Import and export of a folder of Markdown keeps bytes; ids survive a re-import; well-known rule files with dotted paths (.cursor/rules, …) import under a plain path and remember their origin; export writes no dotfile',
  },
  'LIB-17': {
    door: 'library',
    behaviour:
      'Usage figures per rule and per constraint: referred, loaded but never referred, rejected turns; per agent and per day',
    ours: true,
  },
  'LIB-18': {
    door: 'hub',
    behaviour:
      'Hub: a team server publishes the library; an edge `stdio --hub URL` keeps a local copy that works offline (manifest by revision, only what changed), and uploads attestation in batches, each event once',
  },
  'LIB-19': {
    door: 'library',
    behaviour:
      '`attest prove` gives a file that anyone can verify offline: which rules were in force, loaded and declared',
    ours: true,
  },
  'PACK-01': {
    door: 'memory',
    behaviour:
      '`context` input as in the seed; defaults; `limit` clamped to 1–50; unknown intent or layer is a clear error',
  },
  'PACK-02': {
    door: 'memory',
    behaviour: 'Response schema exactly as in the seed, `query`, `usage_hint` and `markdown` included',
  },
  'PACK-03': {
    door: 'memory',
    behaviour:
      'The eleven facets; intent orders them; wake is compact, recall is working context, deep_search is broad',
  },
  'PACK-04': {
    door: 'memory',
    behaviour:
      'Every item has score, reason, quality and metadata; sections hold no duplicates; superseded and forgotten items never occur',
  },
  'PACK-05': {
    door: 'memory',
    behaviour:
      'One-hop related items with relationship, direction, distance; `related_limit`; `include_related: false`',
  },
  'PACK-06': {
    door: 'memory',
    behaviour:
      'Project scope is enforced before ranking and before graph expansion; domain filters; diary only with its `agent_id`',
  },
  'PACK-07': {
    door: 'memory',
    behaviour:
      '`remember`: kinds, title, content, domain, project, tags, relations (supersedes, contradicts, requires, supports, decides), agent diary, idempotency key; returns the id and conflicts',
  },
  'PACK-08': {
    door: 'memory',
    behaviour:
      '`synthesis_plan`: a source-grounded outline for a goal, with sources per section and gaps named, no model needed',
  },
  'PACK-09': {
    door: 'memory',
    behaviour: "Each compilation is audited without the goal's text; denials are audited too",
  },
  'PACK-10': {
    door: 'transient',
    behaviour: 'Folded summaries and analysis findings are found by later packs',
  },
  'PACK-11': {
    door: 'memory',
    behaviour: 'Exact identifiers (error codes, file names, flags) find their items first',
  },
  'PACK-12': {
    door: 'memory',
    behaviour:
      'Bulk import (JSONL: content, kind, author, thread, at, source, …) with a progress bar, resumable, ≥ 5,000 items/s; export gives it back',
  },
  'PACK-13': {
    door: 'memory',
    behaviour: 'A pack never exceeds `token_budget` when one is given, and says what it left out',
  },
  'PACK-14': {
    door: 'memory',
    behaviour:
      'Items that belong to a thread (dialogue turns, log lines) are ranked with their neighbours, thread, author and date',
    ours: true,
  },
  'PACK-15': {
    door: 'embeddings',
    behaviour:
      'An embedding endpoint (OpenAI-compatible) can be configured; vectors carry model and version; without one nothing is missing but that lane',
    ours: true,
  },
  'PACK-16': {
    door: 'memory',
    behaviour:
      'Standing wishes of a person are recognised, kept with their condition, and come first in packs that meet it',
    ours: true,
  },
  'PACK-17': {
    door: 'memory',
    behaviour:
      'A pack is shorter rather than padded; nothing known is said so; conflicting values are shown with dates',
    ours: true,
  },
  'TCP-01': {
    door: 'transient',
    behaviour:
      '`search_records` and `find_records` mark 5 or more records transient with the summary; fewer carry no `_meta.context`; a lookup by id never does',
  },
  'TCP-02': {
    door: 'transient',
    behaviour:
      'Summary: `15 activity records (page 1/9, IDs: 72, 73, 74…)`; without a total `(page 1, IDs: …)`; without ids no IDs part',
  },
  'TCP-03': {
    door: 'transient',
    behaviour: 'No `consumedBy` on tool responses; tools do not know their consumers',
  },
  'TCP-04': {
    door: 'transient',
    behaviour:
      '`store_analysis_memory` answers `_meta.context.consumed: true` after the findings are durable, never on an error',
  },
  'TCP-05': {
    door: 'transient',
    behaviour:
      "Steps declare `contextHint`; `get_workflow_step` returns `_meta.contextHints`, for every member of a loop group the whole group's",
  },
  'TCP-06': {
    door: 'transient',
    behaviour:
      'Loop groups, parallel groups, decisions, the next step and the end of a workflow are told in the text; an unknown workflow or step lists the valid ones',
  },
  'TCP-07': {
    door: 'transient',
    behaviour: '`suggest_workflow` lists and picks workflows, with the hints of what it shows',
  },
  'TCP-08': {
    door: 'transient',
    behaviour:
      'Analysis memory: store 1–25 findings with category and metadata, ephemeral (as long as its session, at least 24 hours) or persistent; recall by analysis, category or query; clear',
  },
  'TCP-09': {
    door: 'transient',
    behaviour:
      'Lean mode: summary and `scratch_ref`, no rows; rows readable by page and fields; usable where records are',
  },
  'TCP-10': {
    door: 'transient',
    behaviour:
      'Record sources: CSV, JSONL, JSON, SQLite and PostgreSQL tables; filters, fields, paging, sort; an unknown filter names the valid ones',
  },
  'TCP-11': {
    door: 'client',
    behaviour: 'Client step A: pairs registered from contextHints, several tools per consumer',
  },
  'TCP-12': {
    door: 'client',
    behaviour: 'Client step B: results tracked by tool-call id, shown in full until consumed',
  },
  'TCP-13': {
    door: 'client',
    behaviour:
      'Client step C: on consumption the oldest matching result becomes its summary and is not sent again; a handle in `infold/consumes` wins',
  },
  'TCP-14': {
    door: 'client',
    behaviour: "No collapse on `isError`, on a bad summary, or for another server's results",
  },
  'TCP-15': {
    door: 'console',
    behaviour: 'Originals can be read, read-only, after collapse',
  },
  'TCP-16': {
    door: 'client',
    behaviour:
      'Works for Anthropic Messages, OpenAI Chat, OpenAI Responses and AI SDK messages: calls and results stay paired, ids and thinking untouched, projecting twice changes nothing, tokens never rise',
  },
  'TCP-17': {
    door: 'client',
    behaviour:
      'The reclassify example: 132 activities, 9 pages, after the loop the conversation holds nine summaries and the findings',
  },
  'TCP-18': {
    door: 'console',
    behaviour:
      'Display: collapsed results as a gray accordion; Settings > General > Display > Show context hints (off by default): amber `[transient]`, green `[consumed]`, gray `[collapsed]`',
  },
  'TCP-19': {
    door: 'client',
    behaviour:
      'Cache-aware policy: collapse in batches when the tokens saved outweigh the prompt rewrite, with the figures reported',
    ours: true,
  },
  'SUB-01': {
    door: 'gateway',
    behaviour:
      'Envelope as in the seed; `context` optional object {id, type?, parent?, metadata?}, preserved exactly',
  },
  'SUB-02': {
    door: 'gateway',
    behaviour:
      'Messages without context are in the main context; a new context.id creates a context; the same id is membership; ids that Infold makes are unguessable',
  },
  'SUB-03': {
    door: 'gateway',
    behaviour:
      'A context concludes by idle timeout; no start or end message is needed; conclusion is announced',
  },
  'SUB-04': {
    door: 'gateway',
    behaviour: 'Nesting by `parent`; the tree can be asked for',
  },
  'SUB-05': {
    door: 'gateway',
    behaviour:
      'Broadcast by default to everyone in the pod, `to` being an address and not a filter unless a receiver asks for directed only; filters by context type, context id, kind, main only',
  },
  'SUB-06': {
    door: 'gateway',
    behaviour: "The seed's five filtering strategies give the seed's results on its example messages",
  },
  'SUB-07': {
    door: 'gateway',
    behaviour:
      "Join by token and pod: welcome to the joiner, presence to the others; `from` cannot be forged; capabilities with wildcards, violations answered with `system/error` and the message's id",
  },
  'SUB-08': {
    door: 'gateway',
    behaviour:
      'Limits: nesting depth, live contexts per participant, metadata size, message size, rate with contexts as units; each answered, none fatal to others',
  },
  'SUB-09': {
    door: 'gateway',
    behaviour:
      'History: search and replay by context, type, kind, text, time, `seq`; resume without gap, or told of the gap',
  },
  'SUB-10': {
    door: 'gateway-reach',
    behaviour: '`correlation_id` links an action to a context, across pods of one organisation too',
  },
  'SUB-11': {
    door: 'gateway-reach',
    behaviour:
      "Context templates, context-based capability rules, automatic summaries at conclusion (the conclusion's own text first), compression on the wire",
    ours: true,
  },
  'SUB-12': {
    door: 'gateway',
    behaviour: 'A slow or stuck reader never slows others and never grows memory without bound',
  },
  'SUB-13': {
    door: 'gateway-reach',
    behaviour:
      "A branch and its operations appear in the project's pod as a sub-context with the branch's id",
  },
  'SUB-14': {
    door: 'gateway',
    behaviour:
      'Client library: connect, send, in-context helper, filters, resume, typed events, a helper that builds prompt messages with chosen contexts in or out; browser and Node',
  },
  'WIN-01': {
    door: 'window',
    behaviour:
      'Anthropic Messages, OpenAI Chat and Responses, Gemini: requests pass through `/model/…` to the upstream, answers stream back byte for byte; keys are never stored or logged',
    ours: true,
  },
  'WIN-02': {
    door: 'window',
    behaviour:
      'A folded branch leaves the request, its summary stays; consumed, superseded, repeated and resolved results become one line with a handle',
    ours: true,
  },
  'WIN-03': {
    door: 'window',
    behaviour:
      "Requests stay valid: pairs, signatures, parallel calls, tool definitions, a person's words; never longer than they came",
    ours: true,
  },
  'WIN-04': {
    door: 'window',
    behaviour:
      'A decision is taken once and replayed byte for byte after restart, resume, fork and rewind; between decisions every request extends the one before',
    ours: true,
  },
  'WIN-05': {
    door: 'window',
    behaviour: 'Simulated billed cost is never above that of the untouched conversation, at any point of it',
    ours: true,
  },
  'WIN-06': {
    door: 'window',
    behaviour:
      "Receipts: the provider's own usage, what left by which rule, what it saved and cost; covered by `verify`",
    ours: true,
  },
  'WIN-07': {
    door: 'window',
    behaviour: 'Fails open: anything unexpected sends the original bytes',
    ours: true,
  },
  'WIN-08': {
    door: 'window',
    behaviour: '`infold run HOST` works with nothing installed in the host, and prints the receipt',
    ours: true,
  },
  'HOST-01': {
    door: 'hosts',
    behaviour:
      '`install` and `uninstall` for each host: exact, idempotent, reversible byte for byte; bad files left alone',
    ours: true,
  },
  'HOST-02': {
    door: 'hosts',
    behaviour: 'Hooks never block, fail or slow a host; nobody listening: spooled and taken in later',
    ours: true,
  },
  'HOST-03': {
    door: 'hosts',
    behaviour: 'Session start injects a wake pack within its budget, or nothing',
    ours: true,
  },
  'HOST-04': {
    door: 'hosts',
    behaviour: 'After compaction the open branch, summaries, findings, constraints and handles come back',
    ours: true,
  },
  'HOST-05': {
    door: 'hosts',
    behaviour: 'Every tool of the host is metered into the active branch once; subagents are branches',
    ours: true,
  },
  'HOST-06': {
    door: 'hosts',
    behaviour:
      "Large outputs are shortened at birth in the tool's own shape, with a handle, never a file that is being edited",
    ours: true,
  },
  'HOST-07': {
    door: 'trusted-memory',
    behaviour: 'Transcripts of hosts import resumably, each message once, scrubbed',
    ours: true,
  },
  'HOST-08': {
    door: 'trusted-memory',
    behaviour:
      'What a session taught is captured without a model, with sources, and never what Infold injected',
    ours: true,
  },
  'CON-01': {
    door: 'console',
    behaviour:
      'Every view works in a real browser against a real server, by keyboard, in both themes, axe clean',
    ours: true,
  },
  'CON-02': {
    door: 'console',
    behaviour:
      'The window of a live conversation, turn by turn, and what left it, one click from the original',
    ours: true,
  },
  'CON-03': {
    door: 'console',
    behaviour: 'The context tree live and replayed from the journal',
    ours: true,
  },
  'CON-04': {
    door: 'console-govern',
    behaviour: 'A draft goes from proposal to publication by two people',
    ours: true,
  },
  'CON-05': {
    door: 'console',
    behaviour: 'Hostile text from agents runs no script and causes no request',
    ours: true,
  },
  'CON-06': {
    door: 'console-govern',
    behaviour: 'Read tokens see and change nothing more than they may',
    ours: true,
  },
  'CLU-01': {
    door: 'cluster',
    behaviour: "The NATS journal passes the journal's conformance suite",
    ours: true,
  },
  'CLU-02': {
    door: 'cluster',
    behaviour:
      "No acknowledged entry is lost or applied twice under the fault matrix; all nodes' tables and heads are equal",
    ours: true,
  },
  'CLU-03': {
    door: 'cluster',
    behaviour: 'Read-your-writes across nodes with `min_seq`',
    ours: true,
  },
  'CLU-04': {
    door: 'cluster',
    behaviour: 'A stale or new node restores a verified snapshot and catches up',
    ours: true,
  },
  'CLU-05': {
    door: 'cluster',
    behaviour: 'Pods span nodes: order per context, one position once, hand-over, resume elsewhere',
    ours: true,
  },
  'CLU-06': {
    door: 'cluster',
    behaviour: 'Without quorum writes say "unavailable, retry" and reads go on',
    ours: true,
  },
  'CLU-07': {
    door: 'cluster',
    behaviour: '`migrate` both ways keeps the head',
    ours: true,
  },
} as const satisfies Record<string, Requirement>;

export type RequirementId = keyof typeof REQUIREMENTS;

/**
 * Marks the calling test as proof of these requirements. The coverage test reads the calls from the sources; at
 * run time this only refuses ids that do not exist.
 */
export function verifies(...ids: RequirementId[]): void {
  for (const id of ids) {
    if (!(id in REQUIREMENTS)) throw new Error(`No such requirement: ${id}`);
  }
}

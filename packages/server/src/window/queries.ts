import type { Database, SqlValue } from '../kernel/sqlite.ts';
import type { WindowAnswered, WindowAsked, WindowCollapsed, WindowUsage } from './events.ts';

export interface WindowConversation {
  id: string;
  org: string;
  principal: string;
  stream: string;
  key: string;
  host_session: string | null;
  host: string | null;
  upstream: string;
  dialect: string;
  forked_from: string | null;
  /** The one that was asked last. */
  model: string | null;
  is_enabled: boolean;
  /** How many requests it has had. */
  turns: number;
  opened_at: number;
  last_at: number;
  first_seq: number;
  last_seq: number;
}

/** A request, and its answer where it came. */
export interface WindowTurn extends WindowAsked {
  seq: number;
  at: number;
  answer: (Omit<WindowAnswered, 'conversation' | 'turn'> & { at: number }) | null;
}

export interface WindowDecided extends WindowCollapsed {
  at: number;
}

/** Whose conversations. */
interface Owner {
  org: string;
  principal: string;
}

type ConversationRow = Omit<WindowConversation, 'is_enabled'> & { is_enabled: number };

const conversationFrom = (row: ConversationRow): WindowConversation => ({
  ...row,
  is_enabled: row.is_enabled === 1,
});

/** The one that was used last, where several began alike. */
export function conversationByKey(
  database: Database,
  org: string,
  principal: string,
  key: string,
): WindowConversation | undefined {
  const row = database.get<ConversationRow>(
    `SELECT * FROM window_conversation WHERE org = ? AND principal = ? AND key = ?
     ORDER BY last_seq DESC LIMIT 1`,
    org,
    principal,
    key,
  );
  return row && conversationFrom(row);
}

export function conversationById(database: Database, id: string): WindowConversation | undefined {
  const row = database.get<ConversationRow>('SELECT * FROM window_conversation WHERE id = ?', id);
  return row && conversationFrom(row);
}

export function conversationOfStream(database: Database, stream: string): WindowConversation | undefined {
  const row = database.get<ConversationRow>('SELECT * FROM window_conversation WHERE stream = ?', stream);
  return row && conversationFrom(row);
}

/** A conversation is its principal's alone. */
export function isOwn({ org, principal }: Owner, conversation: Owner): boolean {
  return conversation.org === org && conversation.principal === principal;
}

/** Of one session of a host, of one principal or of everybody in the organisation, in order of their beginning. */
export function conversationsOfHostSession(
  database: Database,
  { org, principal }: { org: string; principal: string | null },
  hostSession: string,
): WindowConversation[] {
  return database
    .all<ConversationRow>(
      `SELECT * FROM window_conversation WHERE host_session = ?1 AND org = ?2 AND (?3 IS NULL OR principal = ?3)
       ORDER BY first_seq`,
      hostSession,
      org,
      principal,
    )
    .map(conversationFrom);
}

/** What was decided for a conversation and for those that it goes on from, the oldest first. */
const DECISIONS = `WITH RECURSIVE line (id) AS (
    SELECT ?1 UNION SELECT forked_from FROM window_conversation JOIN line USING (id) WHERE forked_from IS NOT NULL
  )
  SELECT window_decision.* FROM window_decision JOIN line ON conversation = line.id`;

export function decisionsOf(database: Database, conversation: string): WindowDecided[] {
  return database.all<DecisionRow>(`${DECISIONS} ORDER BY place`, conversation).map(decisionFrom);
}

/** The same, some at a time; `place` is where the next ones go on from. */
export function pageOfDecisions(
  database: Database,
  conversation: string,
  { after, limit }: { after: number; limit: number },
): (WindowDecided & { place: number })[] {
  return database
    .all<DecisionRow & { place: number }>(
      `${DECISIONS} WHERE place > ?2 ORDER BY place LIMIT ?3`,
      conversation,
      after,
      limit,
    )
    .map((row) => ({ ...decisionFrom(row), place: row.place }));
}

/** Those with these handles, in the order of the handles. */
export function decisionsNamed(database: Database, handles: readonly string[]): WindowDecided[] {
  return database
    .all<DecisionRow>(
      `SELECT window_decision.* FROM json_each(?) AS named JOIN window_decision ON handle = named.value ORDER BY named.key`,
      JSON.stringify(handles),
    )
    .map(decisionFrom);
}

/** The last request of a conversation with these messages, where it is on record already. */
export function turnWithDigest(
  database: Database,
  conversation: string,
  digest: string,
): WindowTurn | undefined {
  const row = database.get<TurnRow>(
    'SELECT * FROM window_turn WHERE conversation = ? AND digest = ? ORDER BY turn DESC LIMIT 1',
    conversation,
    digest,
  );
  return row && turnFrom(row);
}

/** Decisions of any conversation of theirs that are about one of these calls, the oldest first. */
export function decisionsAbout(
  database: Database,
  { org, principal }: Owner,
  calls: readonly string[],
): WindowDecided[] {
  return database
    .all<DecisionRow>(
      `SELECT * FROM window_decision WHERE org = ? AND principal = ? AND place IN (
         SELECT decision FROM window_anchor WHERE call IN (SELECT value FROM json_each(?))
       ) ORDER BY place`,
      org,
      principal,
      JSON.stringify(calls),
    )
    .map(decisionFrom);
}

interface DecisionRow {
  handle: string;
  conversation: string;
  turn: number;
  at: number;
  rule: string;
  anchors: string;
  effect: string;
  tokens_before: number;
  tokens_after: number;
  tool: string;
  secrets: number;
}

function decisionFrom({
  conversation,
  turn,
  handle,
  rule,
  tool,
  secrets,
  at,
  ...row
}: DecisionRow): WindowDecided {
  return {
    ...{ conversation, turn, handle, rule, tool, secrets, at },
    anchors: JSON.parse(row.anchors) as WindowCollapsed['anchors'],
    effect: JSON.parse(row.effect) as WindowCollapsed['effect'],
    tokens: { before: row.tokens_before, after: row.tokens_after },
  };
}

/** Longer conversations are looked for by their newest messages alone. */
const MOST_DIGESTS = 4096;
const MOST_TURNS = 1024;

/** A turn as far as a later request may go on from it. */
export type EarlierTurn = Pick<
  WindowTurn,
  'conversation' | 'turn' | 'at' | 'messages' | 'model' | 'system_digest' | 'tools_digest'
>;

/**
 * The turns, in whichever conversation of theirs, whose messages are a beginning of others: the longest first, and the newest
 * of those. Digests are given longest first.
 */
export function turnsByDigests(
  database: Database,
  { org, principal }: Owner,
  digests: readonly string[],
): EarlierTurn[] {
  return database.all<EarlierTurn & Record<string, SqlValue>>(
    `SELECT conversation, turn, at, messages, model, system_digest, tools_digest FROM json_each(?) AS asked
       CROSS JOIN window_turn ON org = ? AND principal = ? AND digest = asked.value
     ORDER BY asked.key, seq DESC LIMIT ${MOST_TURNS}`,
    JSON.stringify(digests.slice(0, MOST_DIGESTS)),
    org,
    principal,
  );
}

export function turnAt(database: Database, conversation: string, turn: number): WindowTurn | undefined {
  const row = database.get<TurnRow>(
    'SELECT * FROM window_turn WHERE conversation = ? AND turn = ?',
    conversation,
    turn,
  );
  return row && turnFrom(row);
}

/** The newest first. */
export function lastTurns(database: Database, conversation: string, most: number): WindowTurn[] {
  return database
    .all<TurnRow>(
      'SELECT * FROM window_turn WHERE conversation = ? ORDER BY turn DESC LIMIT ?',
      conversation,
      most,
    )
    .map(turnFrom);
}

/** In order, from behind a turn. */
export function turnsOf(
  database: Database,
  conversation: string,
  { after = 0, limit }: { after?: number; limit: number },
): WindowTurn[] {
  return database
    .all<TurnRow>(
      'SELECT * FROM window_turn WHERE conversation = ? AND turn > ? ORDER BY turn LIMIT ?',
      conversation,
      after,
      limit,
    )
    .map(turnFrom);
}

interface TurnRow {
  conversation: string;
  turn: number;
  seq: number;
  at: number;
  digest: string;
  parent_conversation: string | null;
  parent_turn: number | null;
  model: string | null;
  messages: number;
  system_digest: string;
  tools_digest: string;
  held: string;
  gone: string;
  asked_tokens: number;
  sent_tokens: number;
  asked_cost: number;
  sent_cost: number;
  is_cold: number;
  passed: string | null;
  answered_at: number | null;
  status: number;
  input: number | null;
  cache_read: number;
  cache_write: number;
  cache_write_long: number;
  output: number;
  first_ms: number;
  all_ms: number;
  own_ms: number;
  money_actual: number | null;
  money_untouched: number;
}

function turnFrom(row: TurnRow): WindowTurn {
  const { conversation, turn, seq, at, digest, model, messages, system_digest, tools_digest, passed } = row;
  return {
    ...{ conversation, turn, seq, at, digest, model, messages, system_digest, tools_digest, passed },
    parent:
      row.parent_conversation === null
        ? null
        : { conversation: row.parent_conversation, turn: row.parent_turn! },
    held: JSON.parse(row.held) as WindowAsked['held'],
    gone: JSON.parse(row.gone) as WindowAsked['gone'],
    tokens: { asked: row.asked_tokens, sent: row.sent_tokens },
    cost: { asked: row.asked_cost, sent: row.sent_cost },
    is_cold: row.is_cold === 1,
    answer: answerFrom(row),
  };
}

function answerFrom(row: TurnRow): WindowTurn['answer'] {
  if (row.answered_at === null) return null;
  const { status, input, cache_read, cache_write, cache_write_long, output } = row;
  return {
    at: row.answered_at,
    status,
    usage: input === null ? null : { input, cache_read, cache_write, cache_write_long, output },
    milliseconds: { first: row.first_ms, all: row.all_ms, own: row.own_ms },
    money: row.money_actual === null ? null : { actual: row.money_actual, untouched: row.money_untouched },
  };
}

/** Tokens of prompts, cached or not. */
export function promptTokens({
  input,
  cache_read,
  cache_write,
}: Omit<WindowUsage, 'cache_write_long' | 'output'>): number {
  return input + cache_read + cache_write;
}

/** What the provider would have counted, as far as our own reckoning of what was asked and sent goes. */
export function untouchedTokens(sums: WindowTotals): number {
  const grown = sums.told_sent_tokens > 0 ? sums.told_asked_tokens / sums.told_sent_tokens : 1;
  return Math.round(promptTokens(sums) * grown);
}

/** Sums over the turns of a conversation. */
export interface WindowTotals {
  requests: number;
  /** The entry of the first of them. */
  first_seq: number | null;
  /** Estimates, of all requests. */
  asked_tokens: number;
  sent_tokens: number;
  /** Requests whose answer told usage, and what it told in all. */
  told: number;
  input: number;
  cache_read: number;
  cache_write: number;
  cache_write_long: number;
  output: number;
  /** Of the same requests, the estimates: what they are to be compared with. */
  told_asked_tokens: number;
  told_sent_tokens: number;
  /** Requests that have a price, and what they cost. */
  priced: number;
  money_actual: number;
  money_untouched: number;
  unanswered: number;
  failed: number;
}

/** Of all its turns, or of those that were asked since then (milliseconds). */
export function totals(database: Database, conversation: string, since = 0): WindowTotals {
  return database.get<WindowTotals & Record<string, SqlValue>>(
    `SELECT count(*) AS requests, min(seq) AS first_seq,
       coalesce(sum(asked_tokens), 0) AS asked_tokens, coalesce(sum(sent_tokens), 0) AS sent_tokens,
       count(input) AS told,
       coalesce(sum(input), 0) AS input, coalesce(sum(cache_read), 0) AS cache_read,
       coalesce(sum(cache_write), 0) AS cache_write, coalesce(sum(cache_write_long), 0) AS cache_write_long,
       coalesce(sum(output), 0) AS output,
       coalesce(sum(asked_tokens) FILTER (WHERE input IS NOT NULL), 0) AS told_asked_tokens,
       coalesce(sum(sent_tokens) FILTER (WHERE input IS NOT NULL), 0) AS told_sent_tokens,
       count(money_actual) AS priced,
       coalesce(sum(money_actual), 0) AS money_actual, coalesce(sum(money_untouched), 0) AS money_untouched,
       count(*) FILTER (WHERE answered_at IS NULL) AS unanswered,
       count(*) FILTER (WHERE status >= 400) AS failed
     FROM window_turn WHERE conversation = ? AND at >= ?`,
    conversation,
    since,
  )!;
}

/** What left, by rule, over all requests: what left one request leaves every later one too. */
export function goneByRule(
  database: Database,
  conversation: string,
  since = 0,
): { rule: string; decisions: number; requests: number; tokens: number }[] {
  const left = database.all<{ rule: string; requests: number; tokens: number }>(
    `SELECT json_extract(gone.value, '$.rule') AS rule, count(*) AS requests,
       sum(json_extract(gone.value, '$.tokens')) AS tokens
     FROM window_turn, json_each(window_turn.gone) AS gone WHERE conversation = ? AND at >= ?
     GROUP BY 1 ORDER BY 3 DESC, 1`,
    conversation,
    since,
  );
  const decided = database.all<{ rule: string; decisions: number }>(
    'SELECT rule, count(*) AS decisions FROM window_decision WHERE conversation = ? AND at >= ? GROUP BY rule',
    conversation,
    since,
  );
  const counts = new Map(decided.map(({ rule, decisions }) => [rule, decisions]));
  return left.map((one) => ({ ...one, decisions: counts.get(one.rule) ?? 0 }));
}

/** Requests that went as they came, by the reason. */
export function passedBy(
  database: Database,
  conversation: string,
  since = 0,
): { reason: string; count: number }[] {
  return database.all<{ reason: string; count: number }>(
    `SELECT passed AS reason, count(*) AS count FROM window_turn
     WHERE conversation = ? AND at >= ? AND passed IS NOT NULL GROUP BY passed ORDER BY count DESC, passed`,
    conversation,
    since,
  );
}

/** Requests of everybody that went as they came since then, by the reason, and how many there were in all. */
export function passedSince(
  database: Database,
  since: number,
): { requests: number; passed: { reason: string; count: number }[] } {
  const rows = database.all<{ reason: string | null; count: number }>(
    'SELECT passed AS reason, count(*) AS count FROM window_turn WHERE at >= ? GROUP BY passed ORDER BY count DESC, passed',
    since,
  );
  return {
    requests: rows.reduce((sum, { count }) => sum + count, 0),
    passed: rows.flatMap(({ reason, count }) => (reason === null ? [] : [{ reason, count }])),
  };
}

/** What the provider told of a host's session: of its longest conversation, since hosts have short ones beside it. */
export function providerFigures(
  database: Database,
  owner: Owner,
  hostSessions: readonly string[],
): ProviderFigures | undefined {
  const [longest] = hostSessions
    .flatMap((name) => conversationsOfHostSession(database, owner, name))
    .sort((one, other) => other.turns - one.turns);
  if (!longest) return undefined;
  const sums = totals(database, longest.id);
  return {
    conversation: longest.id,
    turns: sums.requests,
    prompt_tokens: promptTokens(sums),
    cached_tokens: sums.cache_read,
    output_tokens: sums.output,
    estimated_untouched_tokens: untouchedTokens(sums),
  };
}

export interface ProviderFigures {
  conversation: string;
  turns: number;
  prompt_tokens: number;
  cached_tokens: number;
  output_tokens: number;
  estimated_untouched_tokens: number;
}

/** Everybody's where no owner is given; those that were used last first, from before a position. */
export function pageOfConversations(
  database: Database,
  owner: Owner | null,
  { before = Number.MAX_SAFE_INTEGER, limit }: { before?: number; limit: number },
): WindowConversation[] {
  return database
    .all<ConversationRow>(
      `SELECT * FROM window_conversation WHERE (?1 IS NULL OR (org = ?1 AND principal = ?2)) AND last_seq < ?3
       ORDER BY last_seq DESC LIMIT ?4`,
      owner?.org ?? null,
      owner?.principal ?? null,
      before,
      limit,
    )
    .map(conversationFrom);
}

/** By a beginning of its id, or by the host's id of its session: those that were used last first, a few at most. */
export function conversationsNamed(
  database: Database,
  owner: Owner | null,
  name: string,
): WindowConversation[] {
  return database
    .all<ConversationRow>(
      `SELECT * FROM window_conversation WHERE (?1 IS NULL OR (org = ?1 AND principal = ?2))
         AND (id = ?3 OR substr(id, 1, length(?3)) = ?3 OR substr(id, 6, length(?3)) = ?3 OR host_session = ?3)
       ORDER BY id = ?3 DESC, last_seq DESC LIMIT 5`,
      owner?.org ?? null,
      owner?.principal ?? null,
      name,
    )
    .map(conversationFrom);
}

/** Of everything that a principal asked a model here. */
export function conversationsOfPrincipal(
  database: Database,
  { org, principal }: Owner,
): WindowConversation[] {
  return database
    .all<ConversationRow>(
      'SELECT * FROM window_conversation WHERE org = ? AND principal = ? ORDER BY first_seq',
      org,
      principal,
    )
    .map(conversationFrom);
}

/** What its requests saved so far by estimate, in input tokens. */
export function balanceOf(database: Database, conversation: string): number {
  return database.get<{ saved: number }>(
    'SELECT coalesce(sum(asked_cost - sent_cost), 0) AS saved FROM window_turn WHERE conversation = ?',
    conversation,
  )!.saved;
}

/** Those that were taken for it, without what it goes on from. */
export function countDecisions(database: Database, conversation: string): number {
  return database.get<{ count: number }>(
    'SELECT count(*) AS count FROM window_decision WHERE conversation = ?',
    conversation,
  )!.count;
}

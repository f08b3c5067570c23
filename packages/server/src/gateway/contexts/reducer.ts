/**
 * What is known of a context, in memory and in the tables. `Metadata` is how it is held there: as a record in memory, as JSON
 * in the tables, so that nobody parses it with every message.
 */
export interface ContextRecord<Metadata = Record<string, unknown>> {
  id: string;
  type: string | null;
  parent: string | null;
  /** A placeholder was named as a parent only. */
  state: 'live' | 'concluded' | 'placeholder';
  /** The participant on whose account it is kept. */
  creator: string;
  messages: number;
  tokens: number;
  createdAt: number;
  lastAt: number;
  /** The text of its conclusion, else of its last message. */
  summary: string | null;
  /** The position of the message that its summary is from. */
  summarySeq: number;
  /** A participant told its result since it began. */
  hasConclusion: boolean;
  /** The position of the message that began it, whose metadata it has over those of its template. */
  begunSeq: number;
  metadata: Metadata | null;
  /** The newest conclusion that says something of the context. */
  conclusionSeq: number;
  conclusionMetadata: Metadata | null;
  /** The entry of the conclusion that its summary is from, if it is from one. Known once that is written. */
  concludedBy: number | null;
}

/** What can happen to a context. */
export type ContextChange<Metadata> =
  | MessageInContext<Metadata>
  | NamedAsParent
  | ContextEnded
  | ContextSummarised;

export interface MessageInContext<Metadata> {
  event: 'message';
  id: string;
  type: string | undefined;
  parent: string | undefined;
  from: string;
  seq: number;
  at: number;
  /** 0 where they are counted later. */
  tokens: number;
  /** What it says in words, if anything. */
  text: string | null;
  /** It tells the result of the context. */
  concludes: boolean;
  /** What the context has if it begins with this message. */
  beginning: Metadata | null;
  /** What a conclusion says of the context. */
  conclusion: Metadata | null;
}

export interface NamedAsParent {
  event: 'named';
  id: string;
  from: string;
  at: number;
}

/** Nobody used it for a while. */
export interface ContextEnded {
  event: 'ended';
  summary: string | null;
  entry: number | null;
}

/** One that has ended is summed up a little later. */
export interface ContextSummarised {
  event: 'summarised';
  summary: string | null;
  entry: number | null;
}

/** The next message begins the context, for the first time or anew. */
export function isBeginning(previous: Pick<ContextRecord, 'state'> | undefined): boolean {
  return previous?.state !== 'live';
}

/** What a context has from the beginning: what its first message says counts more than its template. */
export function metadataAtBeginning(
  defaults: Record<string, unknown> | undefined,
  said: Record<string, unknown> | undefined,
): Record<string, unknown> | null {
  return defaults || said ? { ...defaults, ...said } : null;
}

/** The one place that says what becomes of a context when something happens to it. Changes nothing itself. */
export function reduceContext<Metadata>(
  previous: ContextRecord<Metadata> | undefined,
  change: MessageInContext<Metadata> | NamedAsParent,
): ContextRecord<Metadata>;
export function reduceContext<Metadata>(
  previous: ContextRecord<Metadata>,
  change: ContextChange<Metadata>,
): ContextRecord<Metadata>;
export function reduceContext<Metadata>(
  previous: ContextRecord<Metadata> | undefined,
  change: ContextChange<Metadata>,
): ContextRecord<Metadata> | undefined;
export function reduceContext<Metadata>(
  previous: ContextRecord<Metadata> | undefined,
  change: ContextChange<Metadata>,
): ContextRecord<Metadata> | undefined {
  switch (change.event) {
    case 'message':
      return withMessage(previous ?? placeholder(change), change);
    case 'named':
      return previous ?? placeholder(change);
    case 'ended':
      return previous?.state === 'live' ? { ...withSummary(previous, change), state: 'concluded' } : previous;
    case 'summarised':
      return previous && withSummary(previous, change);
  }
}

/** SUB-02: a new id begins a context, the same id belongs to it; the first type and parent that are named count. */
function withMessage<Metadata>(
  previous: ContextRecord<Metadata>,
  message: MessageInContext<Metadata>,
): ContextRecord<Metadata> {
  const { seq, at, text, concludes } = message;
  const begins = isBeginning(previous);
  const hadConclusion = !begins && previous.hasConclusion;
  const isSummary = text !== null && (concludes || !hadConclusion);
  const isSaid = begins || message.conclusion !== null;
  return {
    id: previous.id,
    type: previous.type ?? message.type ?? null,
    parent: previous.parent ?? message.parent ?? null,
    state: 'live',
    creator: begins ? message.from : previous.creator,
    messages: previous.messages + 1,
    tokens: previous.tokens + message.tokens,
    createdAt: previous.state === 'placeholder' ? at : previous.createdAt,
    lastAt: at,
    summary: isSummary ? text : previous.summary,
    summarySeq: isSummary ? seq : previous.summarySeq,
    hasConclusion: hadConclusion || concludes,
    begunSeq: begins ? seq : previous.begunSeq,
    metadata: begins ? message.beginning : previous.metadata,
    conclusionSeq: message.conclusion !== null ? seq : begins ? 0 : previous.conclusionSeq,
    conclusionMetadata: isSaid ? message.conclusion : previous.conclusionMetadata,
    concludedBy: isSummary ? null : previous.concludedBy,
  };
}

function withSummary<Metadata>(
  previous: ContextRecord<Metadata>,
  { summary, entry }: ContextEnded | ContextSummarised,
): ContextRecord<Metadata> {
  return summary === null ? previous : { ...previous, summary, concludedBy: entry };
}

function placeholder({ id, from, at }: Pick<NamedAsParent, 'id' | 'from' | 'at'>): ContextRecord<never> {
  return {
    id,
    type: null,
    parent: null,
    state: 'placeholder',
    creator: from,
    messages: 0,
    tokens: 0,
    createdAt: at,
    lastAt: at,
    summary: null,
    summarySeq: 0,
    hasConclusion: false,
    begunSeq: 0,
    metadata: null,
    conclusionSeq: 0,
    conclusionMetadata: null,
    concludedBy: null,
  };
}

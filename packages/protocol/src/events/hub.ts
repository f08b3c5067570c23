import type { AttestationEvents } from './attestation.ts';

/** A place in the journal of an edge: the position of an entry, and the hash that covers it and every entry before it. */
export interface ChainPosition {
  seq: number;
  /** Hex. */
  hash: string;
}

/** The data folder became an edge of a hub. What is written after `from` may be sent. */
export interface HubJoined {
  edge_id: string;
  url: string;
  /** The hash of the hub's first entry: another journal at the same address is another hub. */
  hub_id: string;
  /** Who its token says that the edge is. */
  org: string;
  principal: string;
  from: ChainPosition;
}

/** A submitted draft reached the hub, or was withdrawn there. */
export interface HubDraftSent {
  draft_id: string;
  hub_draft_id: string;
  state: 'submitted' | 'withdrawn';
  /** The position of the entry that staged what was sent. */
  staged: number;
}

/**
 * The hub took everything but the evidence or the memory of one project. That is sent apart from the rest from now on: what was written
 * after `from`, so that the rest can pass it by.
 */
export interface HubHeld {
  edge_id: string;
  what: 'evidence' | 'memory';
  /** Of the hub. */
  project_id: string;
  from: ChainPosition;
}

type InPlace = 'session_id' | 'workspace_id' | 'project_id';

/** What agents did at an edge. Session and project are those of the entry. */
export type UploadedEvent = {
  [Type in keyof AttestationEvents]: { type: Type; data: Omit<AttestationEvents[Type], InPlace> };
}[keyof AttestationEvents];

/** An entry of an edge's journal, as far as it was sent. */
export interface ReceivedEntry extends ChainPosition {
  /** As the edge gave it. Counts once for each principal. */
  id: string;
  /** Corrected by the difference of the clocks, and never later than it was received. */
  at: number;
  /** The name that the agent gave itself. */
  agent: string | null;
  /** The hub's project and workspace, and the edge's session. */
  project_id: string;
  workspace_id: string;
  session_id: string;
  events: UploadedEvent[];
}

/** A batch of an edge's journal: all that it selected between two positions. */
export interface HubReceived {
  edge_id: string;
  org: string;
  principal: string;
  after: ChainPosition;
  upto: ChainPosition;
  /** How far the edge's clock was behind the hub's, in milliseconds; 0 where it was close. */
  skew: number;
  entries: ReceivedEntry[];
}

/** An edge's history is not what it was: on record once for each reason, until something is taken in again. */
export interface HubRefused {
  edge_id: string;
  org: string;
  principal: string;
  /** Its chain has another entry at this position, or one of its entries has another hash. */
  reason: 'position' | 'entry';
  /** What the hub has, and what the edge says. */
  known: ChainPosition;
  told: ChainPosition;
}

export interface HubEvents {
  'hub.joined': HubJoined;
  'hub.left': { edge_id: string };
  'hub.draft_sent': HubDraftSent;
  'hub.held': HubHeld;
  'hub.received': HubReceived;
  'hub.refused': HubRefused;
}

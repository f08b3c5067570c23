import type { UploadedEvent } from '../events.ts';

/** What is counted. Turns are counted once for each file, constraint or wording that was used in them. */
export const FIGURES = [
  'loaded',
  'loaded_by_host',
  'referred',
  'claimed',
  'stale',
  'turns',
  'followed',
  'submitted',
  'rejected',
] as const;
type Figure = (typeof FIGURES)[number];

const PLACE = Object.fromEntries(FIGURES.map((figure, place) => [figure, place])) as Record<Figure, number>;
const TURNS = PLACE.turns;
const zeros = (): number[] => FIGURES.map(() => 0);

/** All work of an agent; a file; one of its constraints. */
export const LEVEL = { work: 0, file: 1, constraint: 2 } as const;
type Level = (typeof LEVEL)[keyof typeof LEVEL];

/** A session as far as evidence needs it. */
export interface EvidenceSession {
  workspaceId: string;
  agent: string;
  /** The agent gave no name of its own: it is the principal's. */
  isPerson: boolean;
  model: string;
  isOpen: boolean;
  /** What the open turn used: files by their id, with the hashes of their wordings, and constraints. */
  uses: Uses;
  lastAt: number;
}

interface Uses {
  files: Record<string, { followed: boolean; wordings: Record<string, boolean> }>;
  /** By file and constraint; whether it was loaded before. */
  constraints: Record<string, boolean>;
}

/** More different files and constraints of one turn are counted, and not remembered for its end. */
const MOST_USES = 2000;

export const noUses = (): Uses => ({ files: Object.create(null), constraints: Object.create(null) });

/** An entry, here or of an edge, as far as evidence needs it. */
export interface EvidenceEntry {
  workspaceId: string;
  principal: string;
  agent: string | null;
  at: number;
  events: readonly EvidenceEvent[];
}

export type EvidenceEvent =
  | UploadedEvent
  /** Work with drafts opens a turn, as everything that an agent does. */
  | { type: 'draft'; data: object };

export interface Count {
  keys: (string | number)[];
  figures: number[];
}

export interface LastUse {
  keys: (string | number)[];
  loadedAt: number | null;
  referredAt: number | null;
}

/** Adds up what entries mean, so that a batch of them writes each row once. */
export class EvidenceCounter {
  readonly days = new Map<string, Count>();
  readonly wordings = new Map<string, Count>();
  readonly last = new Map<string, LastUse>();
  readonly #from: string;

  /** @param from the first day that is counted. */
  constructor(from: string) {
    this.#from = from;
  }

  count(session: EvidenceSession, entry: EvidenceEntry, day: string): void {
    session.workspaceId = entry.workspaceId;
    session.agent = entry.agent ?? entry.principal;
    session.isPerson = entry.agent === null;
    session.lastAt = Math.max(session.lastAt, entry.at);
    const work = new Work(this, session, entry.at, day, day >= this.#from);
    for (const event of entry.events) work.take(event);
  }
}

/** One entry of one session. */
class Work {
  readonly #counter: EvidenceCounter;
  readonly #session: EvidenceSession;
  readonly #at: number;
  readonly #day: string;
  readonly #isCounted: boolean;

  constructor(
    counter: EvidenceCounter,
    session: EvidenceSession,
    at: number,
    day: string,
    isCounted: boolean,
  ) {
    this.#counter = counter;
    this.#session = session;
    this.#at = at;
    this.#day = day;
    this.#isCounted = isCounted;
  }

  take(event: EvidenceEvent): void {
    switch (event.type) {
      case 'attest.instructions':
        if (event.data.rule_id !== null) this.#instructed(event.data.rule_id);
        return;
      case 'attest.setup':
        if (event.data.model) this.#session.model = event.data.model;
        this.#open();
        return;
      case 'attest.load':
        this.#open();
        for (const { id, hash } of event.data.items) this.#load(id, hash);
        return;
      case 'attest.refer':
        this.#open();
        for (const ref of event.data.refs) this.#refer(ref);
        return;
      case 'attest.agent_report':
        this.#open();
        this.#close('submitted');
        return;
      case 'attest.reject':
        this.#open();
        this.#close('rejected');
        return;
      default:
        this.#open();
    }
  }

  #open(): void {
    if (this.#session.isOpen) return;
    this.#session.isOpen = true;
    this.#session.uses = noUses();
    this.#count(LEVEL.work, '', '')[TURNS]!++;
  }

  #close(outcome: 'submitted' | 'rejected'): void {
    const { files, constraints } = this.#session.uses;
    const place = PLACE[outcome];
    this.#count(LEVEL.work, '', '')[place]!++;
    for (const [file, { wordings }] of Object.entries(files)) {
      this.#count(LEVEL.file, file, '')[place]!++;
      for (const hash of Object.keys(wordings)) this.#wording(file, hash)[place]!++;
    }
    for (const key of Object.keys(constraints)) {
      const [file, constraint] = key.split('\0') as [string, string];
      this.#count(LEVEL.constraint, file, constraint)[place]!++;
    }
    this.#session.isOpen = false;
    this.#session.uses = noUses();
  }

  #instructed(file: string): void {
    const place = PLACE.loaded_by_host;
    this.#count(LEVEL.file, file, '')[place]!++;
    this.#count(LEVEL.work, '', '')[place]!++;
  }

  #load(file: string, hash: string): void {
    const place = PLACE.loaded;
    const counted = this.#count(LEVEL.file, file, '');
    const wording = this.#wording(file, hash);
    this.#count(LEVEL.work, '', '')[place]!++;
    counted[place]!++;
    wording[place]!++;
    this.#use(file, hash, false, counted, wording);
    this.#saw(LEVEL.file, file, '', 'loadedAt');
  }

  #refer(ref: {
    rule_id: string;
    rule_hash: string;
    constraint_id: string;
    loaded: boolean;
    stale: boolean;
  }): void {
    const { rule_id: file, constraint_id: constraint, rule_hash: hash } = ref;
    const counted = this.#count(LEVEL.file, file, '');
    const ofConstraint = this.#count(LEVEL.constraint, file, constraint);
    const wording = this.#wording(file, hash);
    for (const figures of [this.#count(LEVEL.work, '', ''), counted, ofConstraint, wording]) {
      figures[PLACE.referred]!++;
      if (!ref.loaded) figures[PLACE.claimed]!++;
      if (ref.stale) figures[PLACE.stale]!++;
    }
    this.#use(file, hash, ref.loaded, counted, wording);
    this.#useConstraint(file, constraint, ref.loaded, ofConstraint);
    this.#saw(LEVEL.file, file, '', 'referredAt');
    this.#saw(LEVEL.constraint, file, constraint, 'referredAt');
  }

  /** Once in a turn for each file and each wording: that it was used, and that it was loaded and then referred to. */
  #use(file: string, hash: string, isFollowed: boolean, counted: number[], ofWording: number[]): void {
    const { files } = this.#session.uses;
    let used = files[file];
    if (!used) {
      if (this.#isFull()) return;
      used = { followed: false, wordings: Object.create(null) as Record<string, boolean> };
      files[file] = used;
      counted[TURNS]!++;
    }
    if (isFollowed && !used.followed) {
      used.followed = true;
      counted[PLACE.followed]!++;
    }
    const wording = used.wordings[hash];
    if (wording === undefined) ofWording[TURNS]!++;
    if (isFollowed && wording !== true) ofWording[PLACE.followed]!++;
    used.wordings[hash] = (wording ?? false) || isFollowed;
  }

  #useConstraint(file: string, constraint: string, isFollowed: boolean, counted: number[]): void {
    const { constraints } = this.#session.uses;
    const key = `${file}\0${constraint}`;
    const before = constraints[key];
    if (before === undefined && this.#isFull()) return;
    if (before === undefined) counted[TURNS]!++;
    if (isFollowed && before !== true) counted[PLACE.followed]!++;
    constraints[key] = (before ?? false) || isFollowed;
  }

  #isFull(): boolean {
    const { files, constraints } = this.#session.uses;
    return Object.keys(files).length + Object.keys(constraints).length >= MOST_USES;
  }

  #count(level: Level, file: string, constraint: string): number[] {
    if (!this.#isCounted) return zeros();
    const { workspaceId, agent, isPerson, model } = this.#session;
    const person = isPerson ? 1 : 0;
    const key = `${workspaceId}\0${level}\0${this.#day}\0${file}\0${constraint}\0${agent}\0${person}\0${model}`;
    let count = this.#counter.days.get(key);
    if (!count) {
      const keys = [workspaceId, level, this.#day, file, constraint, agent, person, model];
      count = { keys, figures: zeros() };
      this.#counter.days.set(key, count);
    }
    return count.figures;
  }

  #wording(file: string, hash: string): number[] {
    if (!this.#isCounted) return zeros();
    const { workspaceId } = this.#session;
    const key = `${workspaceId}\0${file}\0${hash}\0${this.#day}`;
    let count = this.#counter.wordings.get(key);
    if (!count) {
      count = { keys: [workspaceId, file, hash, this.#day], figures: zeros() };
      this.#counter.wordings.set(key, count);
    }
    return count.figures;
  }

  #saw(level: Level, file: string, constraint: string, what: 'loadedAt' | 'referredAt'): void {
    if (!this.#isCounted) return;
    const { workspaceId, agent, isPerson } = this.#session;
    const person = isPerson ? 1 : 0;
    const key = `${workspaceId}\0${level}\0${file}\0${constraint}\0${agent}\0${person}`;
    let row = this.#counter.last.get(key);
    if (!row) {
      const keys = [workspaceId, level, file, constraint, agent, person];
      row = { keys, loadedAt: null, referredAt: null };
      this.#counter.last.set(key, row);
    }
    row[what] = Math.max(row[what] ?? 0, this.#at);
  }
}

import { type FileMemory, type Hooks, type Payload, type Said, STARTING } from '@infold/client/host';
import type { HostEvent } from './host.ts';

interface Session {
  /** Of an agent that was started within another session. */
  parent?: string;
  /** The model had spoken when this process first saw it. */
  isResumed: boolean;
  /** Settled when Infold has said what it has to say to the beginning, or to the last compaction. */
  begun?: Promise<void>;
  compacted?: Promise<void>;
  said: Said[];
  /** What the last compaction left, that Infold was asked about. */
  summary?: string;
  /** The last words of the model. */
  last?: string;
}

/** What is known of the host's sessions, and what Infold is told of them. Agents within a session are told as its subagents. */
export class Sessions {
  readonly #hooks: Hooks;
  readonly #memory: FileMemory;
  readonly #sessions = new Map<string, Session>();
  /** One of the host's servers is Infold, and listens soon if it does not yet. */
  isServed = false;

  constructor(hooks: Hooks, memory: FileMemory) {
    this.#hooks = hooks;
    this.#memory = memory;
  }

  /** A request is on its way; `summary` is the message that a compaction left, if there was one. */
  seen(id: string, isResumed: boolean, summary: string | undefined): void {
    const session = this.#sessions.get(id) ?? this.#open(id, { isResumed });
    const isKnown = session.summary === summary || session.said.some(({ after }) => after === summary);
    if (summary === undefined || isKnown || session.parent) return;
    session.summary = summary;
    session.compacted = this.#hooks
      .tell('SessionStart', id, { source: 'compact' })
      .then((text = '') => this.#say(id, session, { text, after: summary }));
  }

  /** What its window is known by: that of an agent goes with the session that started it. */
  windowOf(id: string): string {
    const { parent } = this.#of(id);
    return parent ? `${parent}_${id}` : id;
  }

  /** What was said once stays in the system prompt to the byte, or the provider's cache is lost. */
  async textFor(id: string): Promise<string | undefined> {
    const session = this.#of(id);
    session.begun ??= this.#begin(id, session);
    await Promise.all([session.begun, session.compacted]);
    const woken = session.said.filter(({ after }) => after === undefined);
    const lost = session.said.findLast(({ after }) => after !== undefined);
    const texts = [...woken, ...(lost ? [lost] : [])].map(({ text }) => text).filter((text) => text !== '');
    return texts.length > 0 ? texts.join('\n\n') : undefined;
  }

  async #begin(id: string, session: Session): Promise<void> {
    const { parent, isResumed } = session;
    const patience = this.isServed ? STARTING : 0;
    const source = isResumed ? 'resume' : 'startup';
    const text = await (parent
      ? this.#hooks.tell('SubagentStart', parent, { agent_id: id })
      : this.#hooks.tell('SessionStart', id, { source }, patience));
    if (text !== undefined) this.#say(id, session, { text });
  }

  #say(id: string, session: Session, said: Said): void {
    session.said.push(said);
    this.#memory.addSaid(this.windowOf(id), said);
  }

  async prompted(id: string, prompt: string): Promise<string | undefined> {
    // What an agent is asked for comes from the model, not from a person.
    if (prompt === '' || this.#of(id).parent) return undefined;
    return this.#hooks.tell('UserPromptSubmit', id, { prompt });
  }

  async called(id: string, call: Payload): Promise<void> {
    const { parent } = this.#of(id);
    await this.#hooks.tell('PostToolUse', parent ?? id, parent ? { ...call, agent_id: id } : call);
  }

  async compacting(id: string): Promise<string | undefined> {
    return this.#of(id).parent ? undefined : this.#hooks.tell('PreCompact', id, { trigger: 'auto' });
  }

  said(id: string, text: string): void {
    this.#of(id).last = text;
  }

  async happened({ type, properties }: HostEvent): Promise<void> {
    const id = properties?.sessionID ?? properties?.info?.id;
    if (id === undefined) return;
    if (type === 'session.created' && properties?.info?.parentID) {
      this.#open(id, { isResumed: false, parent: properties.info.parentID });
    } else if (type === 'session.idle') await this.#idle(id);
  }

  /** An agent that has nothing more to do has ended. */
  async #idle(id: string): Promise<void> {
    const { parent, begun, last } = this.#of(id);
    if (!parent || !begun) return;
    this.#sessions.delete(id);
    await this.#hooks.tell('SubagentStop', parent, { agent_id: id, last_assistant_message: last ?? '' });
  }

  async end(): Promise<void> {
    const open = [...this.#sessions].filter(([, { parent, begun }]) => !parent && begun);
    this.#sessions.clear();
    await Promise.all(open.map(([id]) => this.#hooks.tell('SessionEnd', id, { reason: 'other' })));
  }

  #of(id: string): Session {
    return this.#sessions.get(id) ?? this.#open(id, { isResumed: false });
  }

  #open(id: string, about: Pick<Session, 'isResumed' | 'parent'>): Session {
    const session: Session = { ...about, said: [] };
    this.#sessions.set(id, session);
    session.said = this.#memory.said(this.windowOf(id));
    return session;
  }
}

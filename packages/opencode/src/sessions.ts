import type { Hooks, Payload } from '@infold/client/host';
import type { HostEvent } from './host.ts';

interface Session {
  /** Of an agent that was started within another session. */
  parent?: string;
  /** The model had spoken when this process first saw it. */
  isResumed: boolean;
  /** What Infold said when it began, and after its last compaction. */
  begun?: Promise<string | undefined>;
  compacted?: Promise<string | undefined>;
  /** The last words of the model. */
  last?: string;
}

/** What is known of the host's sessions, and what Infold is told of them. Agents within a session are told as its subagents. */
export class Sessions {
  readonly #hooks: Hooks;
  readonly #sessions = new Map<string, Session>();

  constructor(hooks: Hooks) {
    this.#hooks = hooks;
  }

  seen(id: string, isResumed: boolean): void {
    if (!this.#sessions.has(id)) this.#sessions.set(id, { isResumed });
  }

  /** What its window is known by: that of an agent goes with the session that started it. */
  windowOf(id: string): string {
    const { parent } = this.#of(id);
    return parent ? `${parent}_${id}` : id;
  }

  /** Before the first request. What is said then stays in the system prompt to the byte, or the provider's cache is lost. */
  async textFor(id: string): Promise<string | undefined> {
    const session = this.#of(id);
    session.begun ??= session.parent
      ? this.#hooks.tell('SubagentStart', session.parent, { agent_id: id })
      : this.#hooks.tell('SessionStart', id, { source: session.isResumed ? 'resume' : 'startup' });
    const texts = await Promise.all([session.begun, session.compacted]);
    const said = texts.filter((text) => text !== undefined);
    return said.length > 0 ? said.join('\n\n') : undefined;
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
      this.#sessions.set(id, { isResumed: false, parent: properties.info.parentID });
    } else if (type === 'session.compacted' && !this.#of(id).parent) {
      this.#of(id).compacted = this.#hooks.tell('SessionStart', id, { source: 'compact' });
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
    const session = this.#sessions.get(id) ?? { isResumed: false };
    this.#sessions.set(id, session);
    return session;
  }
}

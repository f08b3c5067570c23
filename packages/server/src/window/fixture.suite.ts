import type { Journal } from '../journal/journal.ts';
import { digestHex, randomId } from '../kernel/ids.ts';
import { type Caller, localOwner } from '../trust/identity/caller.ts';
import { windowStream } from '../trust/streams.ts';
import { openConversation, recordAnswered, recordAsked, switchConversation } from './commands.ts';
import type { WindowAnswered, WindowAsked, WindowCollapsed, WindowOpened } from './events.ts';
import { conversationById, turnAt } from './queries.ts';

type Asked = Omit<WindowAsked, 'conversation' | 'turn'>;
type Decided = Omit<WindowCollapsed, 'conversation' | 'turn'>;

/** A request of 1,000 estimated tokens of which all are sent, but for what a test says. */
export function askedWith(more: Partial<Asked> = {}): Asked {
  return {
    parent: null,
    model: 'claude-sonnet-4-5',
    messages: 3,
    digest: digestHex(32, randomId('text')),
    system_digest: 'system',
    tools_digest: 'tools',
    held: { system: 200, tools: 300, text: 100, results: [{ tool: 'Bash', count: 2, tokens: 400 }] },
    gone: [],
    tokens: { asked: 1000, sent: 1000 },
    cost: { asked: 1000, sent: 1000 },
    is_cold: true,
    passed: null,
    ...more,
  };
}

export function decisionWith(more: Partial<Decided> = {}): Decided {
  return {
    handle: randomId('win'),
    rule: 'shortened',
    anchors: [{ call: randomId('toolu'), digest: 'd1' }],
    effect: { kind: 'replace', text: '[infold shortened: npm test]' },
    tokens: { before: 500, after: 20 },
    tool: 'Bash',
    secrets: 0,
    ...more,
  };
}

/** A conversation as the door puts it on record. */
export class Talk {
  readonly journal: Journal;
  readonly caller: Caller;
  readonly id: string;

  constructor(journal: Journal, caller: Caller, id: string) {
    this.journal = journal;
    this.caller = caller;
    this.id = id;
  }

  static async begin(
    journal: Journal,
    more: Partial<WindowOpened> = {},
    caller: Caller = localOwner,
  ): Promise<Talk> {
    const talk = new Talk(journal, caller, more.conversation ?? randomId('conv'));
    const host_session = more.host_session === undefined ? 'session-1' : more.host_session;
    const opened: WindowOpened = {
      conversation: talk.id,
      principal: caller.principal,
      key: host_session ?? digestHex(32, talk.id),
      host_session,
      host: 'claude-code',
      upstream: 'anthropic',
      dialect: 'anthropic',
      forked_from: null,
      ...more,
    };
    await talk.#commit((database) => openConversation(conversationById(database, talk.id), opened));
    return talk;
  }

  async ask(more: Partial<Asked> = {}, decisions: readonly Decided[] = []): Promise<number> {
    return this.#commit((database) =>
      recordAsked(conversationById(database, this.id)!, askedWith(more), decisions),
    );
  }

  async answer(turn: number, more: Partial<WindowAnswered> = {}): Promise<boolean> {
    const answered: WindowAnswered = {
      conversation: this.id,
      turn,
      status: 200,
      usage: { input: 100, cache_read: 600, cache_write: 300, cache_write_long: 0, output: 50 },
      milliseconds: { first: 400, all: 2000, own: 3 },
      money: { actual: 0.01, untouched: 0.01 },
      ...more,
    };
    return this.#commit((database) => recordAnswered(turnAt(database, this.id, turn), answered));
  }

  async switch(enabled: boolean): Promise<boolean> {
    return this.#commit((database) => switchConversation(conversationById(database, this.id)!, enabled));
  }

  async #commit<Answer>(decide: Parameters<Journal['commit']>[0]['decide']): Promise<Answer> {
    const { org } = this.caller;
    const stream = windowStream(org, this.id);
    const { answer } = await this.journal.commit({ stream, actor: this.caller.actor, decide });
    return answer as Answer;
  }
}

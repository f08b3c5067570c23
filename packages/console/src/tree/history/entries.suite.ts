import type { JournalEntry } from '@infold/protocol';
import type { EventMap, EventType } from '@infold/protocol/events';

export const SESSION = 'sess_1';

/** Entries as the server tells them in brief, one after the other. */
export class Entries {
  readonly all: JournalEntry[] = [];
  #seq = 0;

  add<Type extends EventType>(type: Type, data: Partial<EventMap[Type]>): JournalEntry {
    this.#seq += 2;
    const entry: JournalEntry = {
      seq: this.#seq,
      id: `e${this.#seq}`,
      at: new Date(Date.UTC(2026, 0, 5) + this.#seq * 1000).toISOString(),
      kind: 'session',
      session_id: SESSION,
      events: [{ type, data: { session_id: SESSION, ...data }, place: 0 }],
    };
    this.all.push(entry);
    return entry;
  }

  operation(
    branch_id: string | null = null,
    more: Partial<EventMap['operation.completed']> = {},
  ): JournalEntry {
    const given = {
      branch_id,
      tool: 'Read',
      call_id: null,
      tokens: 10,
      secrets: 0,
      source: 'reported' as const,
    };
    return this.add('operation.completed', { ...given, ...more });
  }

  branch(branch_id: string, parent_id: string | null = null, depth = 1): JournalEntry {
    const given = {
      description: `Branch ${branch_id}`,
      tokens: 5,
      budget: null,
      secrets: 0,
      project_id: 'p',
    };
    return this.add('branch.created', { branch_id, parent_id, depth, ...given });
  }

  fold(branch_id: string, parent_id: string | null, tokens_own: number, summary_tokens = 3): JournalEntry {
    const given = {
      summary: 'done',
      tokens_folded: tokens_own,
      secrets: 0,
      summary_redacted: false,
      folded_by: null,
    };
    return this.add('branch.folded', { branch_id, parent_id, tokens_own, summary_tokens, ...given });
  }
}

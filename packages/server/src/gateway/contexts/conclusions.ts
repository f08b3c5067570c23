import type { Scrubber } from '@infold/scrub';
import { branchById } from '../../fold/queries.ts';
import type { Journal } from '../../journal/journal.ts';
import { oneByOne } from '../../kernel/background.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { projectSettings } from '../../trust/identity/queries.ts';
import { sessionById } from '../../trust/sessions/queries.ts';
import { isProjectPod } from '../access.ts';
import type { ContextConcluded, GatewayEvent } from '../events.ts';
import type { HistoryWriter } from '../history/writer.ts';
import { queryRecent } from '../pod/catch-up.ts';
import type { LivePod } from '../pod/state.ts';
import { contextMessages, podByName } from '../queries.ts';
import type { GatewaySettings } from '../settings.ts';
import type { LiveContext } from './context-index.ts';
import { summarise } from './summary.ts';

export interface ConclusionServices {
  journal: Journal;
  scrubber: Scrubber;
  settings: GatewaySettings;
  writer: HistoryWriter;
  /** Writes to the pod's stream. */
  commit(pod: LivePod, events: GatewayEvent[]): Promise<void>;
  onError(error: unknown): void;
}

/** Of one pod in one sweep: the others come with the next one. */
const MOST_AT_ONCE = 100;
/** What a summary is looked for in. */
const MOST_MESSAGES = 400;

/** SUB-03 and SUB-11: how contexts end, and what is left of them. */
export class Conclusions {
  readonly #services: ConclusionServices;
  readonly #pending = new Set<Promise<void>>();

  constructor(services: ConclusionServices) {
    this.#services = services;
  }

  /** Resolves when all that were begun are on record. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending);
  }

  /** Those of a pod that nobody used for a while. */
  async sweep(pod: LivePod, now: number): Promise<void> {
    const idle = pod.contexts.idle(now, this.#services.settings.idleMs);
    if (idle.length > 0) await this.conclude(pod, idle.slice(0, MOST_AT_ONCE));
  }

  /** Resolves when it is on record. */
  async conclude(pod: LivePod, contexts: readonly LiveContext[]): Promise<void> {
    const used = contexts.filter(({ state }) => state === 'live');
    for (const context of contexts) pod.contexts.conclude(context);
    if (used.length === 0) return;
    const work = this.#record(pod, used).finally(() => this.#pending.delete(work));
    this.#pending.add(work);
    await work;
  }

  /** A conclusion that were written before the messages of its context would be undone by them. */
  async #record(pod: LivePod, used: readonly LiveContext[]): Promise<void> {
    try {
      if (pod.mode === 'durable') await this.#services.writer.settled();
      const events: GatewayEvent[] = [];
      await oneByOne(used, (context) => {
        if (context.state !== 'concluded') return false;
        const data = this.#concluded(pod, context);
        pod.contexts.summarise(context, data.summary);
        pod.announce('concluded', context);
        events.push({ type: 'context.concluded', data });
        return false;
      });
      if (pod.mode === 'durable') await this.#services.commit(pod, events);
    } catch (error) {
      this.#services.onError(error);
    }
  }

  #concluded(pod: LivePod, { id, type }: LiveContext): ContextConcluded {
    const { database } = this.#services.journal;
    const { org, name } = pod;
    const { principals, ...found } = this.#summary(pod, id);
    const session = sessionOfBranch(database, pod, id);
    const asked = found.summary !== null && session === undefined && this.#isRemembered(pod, type);
    return {
      ...{ org, pod: name, id, type, ...found, principals },
      ...(session === undefined ? {} : { session_id: session }),
      ...(asked ? { remember: { project_id: isProjectPod(database, org, name) ? name : null } } : {}),
    };
  }

  #summary(pod: LivePod, id: string): Pick<ContextConcluded, 'summary' | 'sources' | 'principals'> {
    const messages = this.#messages(pod, id);
    const found = summarise(messages.map(({ seq, envelope: { kind, payload } }) => ({ seq, kind, payload })));
    const summary = found && this.#scrubbed(found.text);
    const sources = found?.sources ?? [];
    const owners = messages.flatMap(({ seq, principal }) => (sources.includes(seq) ? [principal] : []));
    return { summary, sources, principals: [...new Set(owners)] };
  }

  #messages(pod: LivePod, id: string) {
    const { journal } = this.#services;
    const bytes = pod.services.limits.historyPageBytes;
    if (pod.mode !== 'durable') {
      return queryRecent(pod, { context: id, limit: MOST_MESSAGES, bytes }).messages.map((message) => ({
        ...message,
        principal: '',
      }));
    }
    const row = podByName(journal.database, pod.org, pod.name);
    return row ? contextMessages(journal, row.id, id, MOST_MESSAGES, bytes) : [];
  }

  /** What cannot be looked through is not told. */
  #scrubbed(text: string): string | null {
    try {
      return this.#services.scrubber.scrubValue(text).value;
    } catch (error) {
      this.#services.onError(error);
      return null;
    }
  }

  #isRemembered(pod: LivePod, type: string | null): boolean {
    const { journal, settings } = this.#services;
    return (
      pod.policy.template(type)?.remember ??
      projectSettings(journal.database, pod.org, pod.name).rememberContexts ??
      settings.remembers(pod.name)
    );
  }
}

/** What a branch came to is memory already, by its fold. */
function sessionOfBranch(database: Database, { org, name }: LivePod, id: string): string | undefined {
  const branch = branchById(database, id);
  const session = branch && sessionById(database, branch.session_id);
  return session?.org === org && branch?.project_id === name ? session.id : undefined;
}

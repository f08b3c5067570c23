import type { EntryId } from '@infold/protocol';
import { nextTurn } from '../kernel/background.ts';
import { sleep } from '../kernel/clock.ts';
import { uuidV7 } from '../kernel/ids.ts';
import { journalBusy, storageError } from '../kernel/sqlite.ts';
import type { Message } from './cluster/follower.ts';
import { type Applied, FollowingJournal, type NatsJournalOptions, RETRY } from './cluster/following.ts';
import { CLUSTER_TABLES, claimFolder, nodeName } from './cluster/node.ts';
import { type Acknowledged, positionInConflict } from './cluster/publisher.ts';
import { restoreSnapshot } from './cluster/snapshots.ts';
import { Stores, unavailable } from './cluster/stores.ts';
import { type EntryHead, type EntryText, writeHeads, writeText } from './cluster/wire.ts';
import { hexOf } from './integrity/chain.ts';
import type { CommitRequest, Committed } from './journal.ts';
import type { WrittenEntry } from './local.ts';
import { Projector } from './projections/projector.ts';
import { checkName, rowsOfStream } from './rows.ts';

interface Waiting {
  /** When it has waited long enough. */
  deadline: number;
  request: CommitRequest<unknown>;
  resolve: (committed: Committed<unknown>) => void;
  reject: (error: unknown) => void;
}

/** A commit that was decided and is on its way. */
interface Sent extends Waiting {
  head: EntryHead;
  text: EntryText;
  answer: unknown;
  /** Where its entry comes to stand if nothing comes before it. */
  place: number;
  applied: Promise<Applied>;
}

/** What a commit writes, on the state that it was decided on. */
interface Decided {
  answer: unknown;
  written: WrittenEntry;
  rev: number;
}

const BATCH = 64;
const BATCH_TIME = 20;
const MOST_TRIES = 40;
const MOST_PAUSE = 40;
/** Milliseconds that every publish has, however long it was waited for. */
const LEAST_TIME = 1000;

/**
 * A node of a cluster. Entries are messages of one JetStream stream, a header and a body each. A commit is decided on this node's
 * file, published, and answered when the file has followed the stream up to it.
 */
export class NatsJournal extends FollowingJournal {
  /** Commits that wait for those before them in their stream. */
  readonly #lanes = new Map<string, Waiting[]>();
  readonly #running = new Set<Promise<void>>();

  static async open(options: NatsJournalOptions): Promise<NatsJournal> {
    const stores = await Stores.open(options);
    const info = await stores.openStream();
    // Whatever is wrong with it: everything can be read from the stream.
    const projector = new Projector(options.projections);
    const restored = await restoreSnapshot(stores, options.folder, projector).catch((error) =>
      options.onError?.(error),
    );
    const database = await NatsJournal.openFile(options);
    let journal: NatsJournal;
    try {
      database.exec(CLUSTER_TABLES);
      const cursor = claimFolder(database, stores.stream, info);
      journal = new NatsJournal(database, options, stores, cursor, nodeName(options.folder));
    } catch (error) {
      database.close();
      throw error;
    }
    try {
      await journal.start(restored ?? undefined);
      return journal;
    } catch (error) {
      await journal.close();
      throw error;
    }
  }

  /** Now, unless another node is at it. */
  snapshot(): Promise<boolean> {
    this.database.settle();
    return this.upkeep.snapshot();
  }

  /** Lets all nodes compare their tables. */
  audit(): Promise<void> {
    return this.upkeep.requestAudit();
  }

  commit<Answer>(request: CommitRequest<Answer>): Promise<Committed<Answer>> {
    return new Promise((resolve, reject) => {
      this.checkOpen();
      for (const name of [request.stream, request.id, request.cause]) checkName(name);
      const deadline = performance.now() + this.limits.lockWait;
      const waiting = { deadline, request, resolve, reject } as unknown as Waiting;
      const lane = this.#lanes.get(request.stream);
      if (lane) {
        lane.push(waiting);
        return;
      }
      const started = [waiting];
      this.#lanes.set(request.stream, started);
      const running = this.#run(request.stream, started).finally(() => this.#running.delete(running));
      this.#running.add(running);
    });
  }

  protected override async settle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
    await super.settle();
  }

  /** Commits of one stream, those that wait together with one publish. */
  async #run(stream: string, lane: Waiting[]): Promise<void> {
    // Who asks in the same turn shares.
    if (lane[0]!.request.group) await nextTurn();
    while (lane.length > 0) await this.#serve(stream, lane);
    this.#lanes.delete(stream);
  }

  async #serve(stream: string, lane: Waiting[]): Promise<void> {
    const deadline = Math.max(lane[0]!.deadline, performance.now() + LEAST_TIME);
    let sent: Sent[] = [];
    try {
      for (let tries = 0; ; tries++) {
        this.checkUnstuck();
        const expected = await this.#lastOf(stream, deadline);
        sent = await this.#decideAll(lane, expected);
        if (sent.length === 0) return;
        const left = await this.#send(stream, sent, expected, deadline);
        if (left.length === 0) return;
        lane.unshift(...left);
        sent = [];
        if (tries >= MOST_TRIES && performance.now() > deadline) throw journalBusy();
        await sleep(Math.random() * Math.min(MOST_PAUSE, 2 ** (tries + 2)));
      }
    } catch (error) {
      this.noLongerWaitFor(sent);
      // Who stands behind has its own time, unless what is wrong is not that it took long.
      const late = lane.filter((waiting) => waiting.deadline <= performance.now());
      const failed = [...sent, ...late].length > 0 ? [...sent, ...late] : [...lane];
      for (const waiting of failed) {
        const place = lane.indexOf(waiting);
        if (place >= 0) lane.splice(place, 1);
        waiting.reject(storageError(error, this.database.path));
      }
    }
  }

  /** Decides for those at the front, each on what the ones before it did; settles who writes nothing. */
  async #decideAll(lane: Waiting[], expected: number): Promise<Sent[]> {
    const sent = await this.line.run(() => {
      if (this.lastKnown(lane[0]!.request.stream) !== expected) return [];
      return lane.length === 1 ? this.#decideAlone(lane) : this.#decideTogether(lane);
    }, this.patience);
    return sent;
  }

  #decideAlone(lane: Waiting[]): Sent[] {
    const waiting = lane.shift()!;
    try {
      const decided = this.#decideOne(waiting.request);
      if ('written' in decided) return [this.#toSend(waiting, decided, this.seq + 1)];
      waiting.resolve(decided);
    } catch (error) {
      waiting.reject(error);
    }
    return [];
  }

  /** On tables that are as before afterwards: the entries are applied when they come back from the stream. */
  #decideTogether(lane: Waiting[]): Sent[] {
    const all: Sent[] = [];
    const end = performance.now() + BATCH_TIME;
    try {
      return this.tryOut((head) => {
        while (lane.length > 0 && all.length < BATCH && (all.length === 0 || performance.now() < end)) {
          const waiting = lane[0]!;
          const outcome = this.apart(() => {
            const place = head.seq + 1;
            const decided = this.#decideOne(waiting.request);
            if ('written' in decided) this.append(decided.written, head);
            return { decided, place };
          });
          const isWritten = 'result' in outcome && 'written' in outcome.result.decided;
          // What stands before it is not published yet, and may never be: nobody is answered from that. It is decided in the
          // next round, on what there is then.
          if (!isWritten && all.length > 0) break;
          lane.shift();
          if ('error' in outcome) waiting.reject(outcome.error);
          else {
            const { decided, place } = outcome.result;
            if ('written' in decided) all.push(this.#toSend(waiting, decided, place));
            else waiting.resolve(decided);
          }
        }
        return all;
      });
    } catch (error) {
      // Those that were taken are at the front again.
      this.noLongerWaitFor(all);
      lane.unshift(...all);
      throw error;
    }
  }

  /** What is to be published, or the answer where that is nothing. */
  #decideOne(request: CommitRequest<unknown>): Decided | Committed<unknown> {
    const earlier = request.id === undefined ? undefined : this.entryById(request.id);
    if (earlier) return { answer: earlier.answer, entry: earlier, replayed: true };
    const { decision, written } = this.decide(request);
    if (!written) return { answer: decision.answer, entry: undefined, replayed: false };
    return { answer: decision.answer, written, rev: this.nextRevision(written.stream) };
  }

  #toSend(waiting: Waiting, { answer, written, rev }: Decided, place: number): Sent {
    const name = hexOf(written.digest);
    const { id, chosen, stream, at, actor, cause, digest, thorough, key, blob } = written;
    const head = { name, rev, id, chosen, stream, at, actor, cause, digest, thorough, key };
    const text = { name, ...written.body!, blob };
    return { ...waiting, head, text, answer, place, applied: this.applied(name) };
  }

  /** Publishes, and settles who was applied; answers who has to be decided again. */
  async #send(stream: string, sent: readonly Sent[], expected: number, deadline: number): Promise<Waiting[]> {
    for (const { text } of sent) {
      if (text.blob !== null) await this.stores.putObject(text.blob, text.data);
    }
    if (!(await this.#publish(stream, sent, expected, deadline))) {
      this.noLongerWaitFor(sent);
      return [...sent];
    }
    const outcomes = await this.#within(
      Promise.all(sent.map(({ applied }) => applied)),
      deadline + this.limits.lockWait,
    );
    const left: Waiting[] = [];
    for (const [index, outcome] of outcomes.entries()) {
      const { resolve, reject, answer, place } = sent[index]!;
      if (outcome === 'void') left.push(sent[index]!);
      else if ('entry' in outcome) resolve({ answer, entry: outcome.entry, replayed: false });
      else if ('earlier' in outcome) this.#replay(outcome.earlier, sent[index]!);
      // What others wrote since it was decided may be why: then it is decided again.
      else if (outcome.head >= place) left.push(sent[index]!);
      else reject(outcome.error);
    }
    return left;
  }

  /** Answers as the entry was that has this id. */
  #replay(id: EntryId, { resolve, reject }: Waiting): void {
    try {
      const entry = this.entryById(id)!;
      resolve({ answer: entry.answer, entry, replayed: true });
    } catch (error) {
      reject(error);
    }
  }

  /** False when another entry was first, and none of these is or will be in the stream. */
  async #publish(
    stream: string,
    sent: readonly Sent[],
    expected: number,
    deadline: number,
  ): Promise<boolean> {
    const { publisher, subjects } = this.stores;
    const attempt = uuidV7();
    const texts = sent.map(({ text }) => writeText(text));
    const heads = writeHeads(sent.map(({ head }) => head));
    this.onNatsPoint('publishing');
    for (;;) {
      // The bodies first: on one connection they are stored in this order.
      const bodies = texts.map((text, index) =>
        publisher.publish(subjects.body(stream), text, { id: `${attempt}.${index}` }),
      );
      const head = publisher.publish(subjects.head(stream), heads, { id: attempt, last: expected });
      const [ofHead, ...ofBodies] = await Promise.allSettled([head, ...bodies]);
      if (ofHead!.status === 'fulfilled') {
        this.onNatsPoint('published');
        this.#takeOwn(sent, ofBodies, ofHead!.value.seq);
        return true;
      }
      const failure: unknown = ofHead!.reason;
      const newer = positionInConflict(failure);
      // A leader that has just been elected may not have applied all that it had acknowledged: that passes.
      if (newer !== undefined && newer >= expected) {
        // It may be these very entries that were first, and their answer was lost.
        await this.caughtUp(newer, deadline);
        // Headers that do not count leave nothing in this file by which they would be known.
        this.remember(stream, Math.max(newer, this.lastKnown(stream) ?? 0));
        if (await isSettled(sent[0]!.applied)) return true;
        for (const body of ofBodies) if (body.status === 'fulfilled') this.leftovers.discard(body.value.seq);
        return false;
      }
      if (await isSettled(sent[0]!.applied)) return true;
      if (performance.now() > deadline) {
        throw unavailable('The journal cannot be written, and whether this was is not known', failure);
      }
      await sleep(RETRY * (0.5 + Math.random()));
    }
  }

  /** What this node just published need not be waited for, where nothing came between. */
  #takeOwn(
    sent: readonly Sent[],
    bodies: readonly PromiseSettledResult<Acknowledged>[],
    position: number,
  ): void {
    const messages: Message[] = [];
    for (const [index, body] of bodies.entries()) {
      if (body.status === 'rejected' || body.value.duplicate) return;
      messages.push({ position: body.value.seq, text: sent[index]!.text });
    }
    messages.push({ position, heads: sent.map(({ head }) => head) });
    this.follower.own(messages);
  }

  /** Where the stream's own last header stands: what it is decided on must have been applied up to there. */
  async #lastOf(stream: string, deadline: number): Promise<number> {
    let last = this.lastKnown(stream);
    if (last === undefined && rowsOfStream(this.database, stream, 0, 1).length === 0) last = 0;
    if (last === undefined) {
      try {
        const query = { last_by_subj: this.stores.subjects.head(stream) };
        const message = await this.stores.manager.streams.getMessage(this.stores.stream, query);
        last = message?.seq ?? 0;
      } catch (error) {
        throw unavailable('The journal cannot be written', error);
      }
      // A newer one may have been applied meanwhile.
      last = Math.max(last, this.lastKnown(stream) ?? 0);
    }
    if (this.lastKnown(stream) === undefined) this.remember(stream, last);
    await this.caughtUp(last, deadline);
    return this.lastKnown(stream)!;
  }

  async #within<T>(work: Promise<T>, deadline: number): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const giveUp = () =>
        reject(unavailable('The entry is stored, and this node could not apply it yet', 'waited too long'));
      timer = setTimeout(giveUp, Math.max(0, deadline - performance.now()));
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const open = Symbol('open');
  return (await Promise.race([promise, nextTurn().then(() => open)])) !== open;
}

/** Milliseconds of work after which the event loop looks for new requests again. */
const SLICE = 2;
/** Calls that may begin before it does, however short they are. */
const MOST_BEGUN = 16;
/** How long who had more time waits for a call of who had less to come to its end. */
const PATIENCE = 250;
/** How much less than the others who comes back is taken to have had: some calls now and then should meet no queue. */
const CREDIT = 200;
/** Organisations, and principals of one, that are remembered at once while they wait for nothing. */
const MOST_REMEMBERED = 250;

type Who = { org: string; principal: string };

/** Somebody who competes for time: an organisation, or a principal among those of its organisation. */
interface Party {
  /** How much time it had, since everybody was level. */
  used: number;
  waiting: number;
  /** When its calls came that are not answered yet. */
  begun: Set<{ at: number }>;
}
interface Principal extends Party {
  queue: (() => void)[];
}
interface Organisation extends Party {
  principals: Map<string, Principal>;
  level: number;
}

/**
 * Who may go on next. One thread serves everybody, so a principal with a hundred calls would make another one wait for a
 * hundred: instead calls begin one after the other, the next one always being of the organisation that had least time so
 * far, and in it of the principal that had least. A call goes through several stops until it is answered, so while one is
 * under way, those who had more time begin nothing new for a moment, which counts as time that it had. Time is measured and not estimated, which makes a pack
 * cost what it costs. Nobody is held to anything while nobody else wants something.
 */
export class Turns {
  readonly #organisations = new Map<string, Organisation>();
  readonly #now: () => number;
  /** The time that those had who were served last: who comes back begins there, and saves nothing up. */
  #level = 0;
  #waiting = 0;
  #isIdle = true;
  #running: { organisation: Organisation; principal: Principal; since: number } | undefined;
  #sliceSince: number | undefined;
  #held: { by: Party[]; since: number; timer: NodeJS.Timeout } | undefined;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** A call has come; returns what to do when it was answered. */
  enter(who: Who): () => void {
    const organisation = this.#organisation(who.org);
    const principal = principalOf(organisation, who.principal);
    const call = { at: this.#now() };
    wake(organisation, this.#level);
    wake(principal, organisation.level);
    organisation.begun.add(call);
    principal.begun.add(call);
    return () => {
      organisation.begun.delete(call);
      principal.begun.delete(call);
      if (this.#held) this.#resume();
    };
  }

  /** Resolves when it is the caller's turn. What is done until something else is waited for counts as its time. */
  take(who: Who): Promise<void> | undefined {
    const organisation = this.#organisation(who.org);
    const principal = principalOf(organisation, who.principal);
    if (this.#isIdle) {
      this.#isIdle = false;
      this.#begin(organisation, principal);
      setImmediate(this.#endSlice);
      return undefined;
    }
    this.#wait(organisation, principal);
    return new Promise((go) => principal.queue.push(go));
  }

  /**
   * For long work, between two pieces of it: undefined until the caller has had its slice, then its next turn. It comes
   * before the caller's other calls, so that a hundred of them end one by one and not all at last.
   */
  giveWay(who: Who): Promise<void> | undefined {
    if (this.#running && this.#now() - this.#running.since < SLICE) return undefined;
    const organisation = this.#organisation(who.org);
    const principal = principalOf(organisation, who.principal);
    if (this.#isIdle) return this.take(who);
    this.#wait(organisation, principal);
    return new Promise((go) => principal.queue.unshift(go));
  }

  /** Who still waits is not served any more: the process ends. */
  end(): void {
    clearTimeout(this.#held?.timer);
    this.#waiting = 0;
    this.#organisations.clear();
  }

  #wait(organisation: Organisation, principal: Principal): void {
    wake(organisation, this.#level);
    wake(principal, organisation.level);
    organisation.waiting++;
    principal.waiting++;
    this.#waiting++;
    if (this.#held) this.#resume();
  }

  #begin(organisation: Organisation, principal: Principal): void {
    this.#running = { organisation, principal, since: this.#now() };
  }

  /** Everything that followed from the last beginning has happened by now, up to where it waits for something. */
  #settle(): void {
    if (!this.#running) return;
    const { organisation, principal, since } = this.#running;
    const time = this.#now() - since;
    organisation.used += time;
    principal.used += time;
    this.#running = undefined;
  }

  /** Callbacks of one round run one by one, each with all that follows from it, before the loop looks for requests. */
  #beginSlice(): void {
    for (let count = Math.min(this.#waiting, MOST_BEGUN); count > 0; count--) setImmediate(this.#beginNext);
    setImmediate(this.#endSlice);
  }

  readonly #beginNext = (): void => {
    this.#settle();
    this.#sliceSince ??= this.#now();
    if (this.#waiting === 0 || this.#now() - this.#sliceSince > SLICE) return;
    const organisation = leastUsed(this.#organisations.values());
    const principal = leastUsed(organisation.principals.values());
    const by = this.#heldBy(organisation, principal);
    if (by) {
      this.#held ??= { by, since: this.#now(), timer: setTimeout(this.#resume, PATIENCE) };
      return;
    }
    this.#level = organisation.used;
    organisation.level = principal.used;
    this.#waiting--;
    organisation.waiting--;
    principal.waiting--;
    this.#begin(organisation, principal);
    principal.queue.shift()!();
  };

  readonly #endSlice = (): void => {
    this.#settle();
    this.#sliceSince = undefined;
    if (this.#held) return;
    if (this.#waiting > 0) this.#beginSlice();
    else this.#isIdle = true;
  };

  /** Who had less time and is being served. */
  #heldBy(organisation: Organisation, principal: Principal): Party[] | undefined {
    const other = this.#servedAmong(this.#organisations.values(), organisation);
    if (other) return [other, this.#servedAmong(other.principals.values()) ?? other];
    const sibling = this.#servedAmong(organisation.principals.values(), principal);
    return sibling && [sibling];
  }

  #servedAmong<One extends Party>(parties: Iterable<One>, next?: One): One | undefined {
    const since = this.#now() - PATIENCE;
    for (const party of parties) {
      if (next && (party === next || party.used >= next.used)) continue;
      for (const { at } of party.begun) if (at > since) return party;
    }
    return undefined;
  }

  readonly #resume = (): void => {
    const { by, since, timer } = this.#held!;
    clearTimeout(timer);
    const time = this.#now() - since;
    for (const party of new Set(by)) party.used += time;
    this.#held = undefined;
    this.#beginSlice();
  };

  #organisation(name: string): Organisation {
    const known = this.#organisations.get(name);
    if (known) return known;
    forgetIdle(this.#organisations);
    const made = { used: 0, waiting: 0, begun: new Set<never>(), principals: new Map(), level: 0 };
    this.#organisations.set(name, made);
    return made;
  }
}

function principalOf({ principals }: Organisation, name: string): Principal {
  const known = principals.get(name);
  if (known) return known;
  forgetIdle(principals);
  const made = { used: 0, waiting: 0, begun: new Set<never>(), queue: [] };
  principals.set(name, made);
  return made;
}

/** Who wanted nothing for a while has saved up no more than a credit. */
function wake(party: Party, level: number): void {
  if (party.waiting === 0 && party.begun.size === 0) party.used = Math.max(party.used, level - CREDIT);
}

function leastUsed<One extends Party>(parties: Iterable<One>): One {
  let least: One | undefined;
  for (const party of parties) {
    if (party.waiting > 0 && (!least || party.used < least.used)) least = party;
  }
  return least!;
}

function forgetIdle(parties: Map<string, Party>): void {
  if (parties.size < MOST_REMEMBERED) return;
  for (const [name, { waiting, begun }] of parties) {
    if (waiting === 0 && begun.size === 0) parties.delete(name);
  }
}

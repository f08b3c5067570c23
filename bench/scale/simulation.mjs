/**
 * A year of a service with many organisations, each with a stream of its own on three of many servers. Everything here is
 * simulated: servers fail, come back or are lost, streams are copied, moved and archived. Times are in seconds, sizes in bytes.
 *
 * @typedef {object} Settings
 * @property {number} seed
 * @property {number} organisations
 * @property {number} servers NATS servers, spread over the zones
 * @property {number} nodes Infold nodes; each organisation is on two of them
 * @property {number} days
 * @property {number} [zones] no two copies of a stream are in one zone
 * @property {number} [entriesPerMember] in a day
 * @property {number} [bytesPerEntry] in the stream
 * @property {number} [hotDays] what is older goes to the archive
 * @property {number} [hotBytes] and what of one organisation is beyond this
 * @property {number} [copyRate] bytes a second that a server takes in to rebuild or move streams
 * @property {number} [applyRate] entries a second that a node applies
 * @property {number} [snapshotRate] bytes a second that a node restores
 * @property {number} [daysBetweenFailures] of one server or node, restarts on purpose included
 * @property {number} [lostShare] of the failures: the machine does not come back
 * @property {number} [zoneFailures] in a year, each of one zone
 *
 * @typedef {object} Organisation
 * @property {number} members
 * @property {number} rate bytes a day
 * @property {Float64Array} recent what each of the hot days wrote
 * @property {number} hot bytes in the stream
 * @property {number} archived bytes
 * @property {Copy[]} copies
 * @property {number} without when it lost its quorum, or -1
 * @property {number} unavailable seconds
 *
 * @typedef {object} Copy
 * @property {Server} server
 * @property {boolean} isWhole has all that was acknowledged
 * @property {number} order which attempt to fill it is under way
 *
 * @typedef {object} Server
 * @property {number} id
 * @property {number} zone
 * @property {boolean} isUp
 * @property {number} failures counts up, so that a return belongs to its failure
 * @property {number} downAt
 * @property {number} busyUntil with copying
 * @property {Set<Organisation>} holds
 */

const DAY = 86_400;
const YEAR = 365 * DAY;
/** A server that is not back after this time is given up: its copies are made anew elsewhere. */
const PATIENCE = 15 * 60;
const RESTART = [60, 600];
const ZONE_OUTAGE = 20 * 60;
/** A server this much fuller than the mean of its zone gives streams away. */
const FULL = 1.15;
/** Rates in the busy hours of a day, against the mean. */
const PEAK = 3;
const SNAPSHOT_AGE = 3600;

/** @type {Required<Omit<Settings, 'seed' | 'organisations' | 'servers' | 'nodes' | 'days'>>} */
const DEFAULTS = {
  zones: 3,
  entriesPerMember: 2000,
  bytesPerEntry: 1000,
  hotDays: 30,
  hotBytes: 100e9,
  copyRate: 100e6,
  applyRate: 20_000,
  snapshotRate: 200e6,
  daysBetweenFailures: 20,
  lostShare: 0.05,
  zoneFailures: 2,
};

/** @param {Settings} settings */
export function simulate(settings) {
  return new Fleet(settings).run();
}

export class Fleet {
  /** @type {Organisation[]} */
  organisations = [];
  /** @type {Server[]} */
  servers = [];
  now = 0;
  /** Streams that had all of their copies on machines that were lost. */
  lost = 0;
  written = 0;
  #events = new Events();
  #bytesMoved = 0;
  /** @type {number[]} */
  #rebuilds = [];
  /** @type {number[]} */
  #catchUps = [];
  /** @type {{ most: number, all: number }[]} */
  #restores = [];

  /** @param {Settings} settings */
  constructor(settings) {
    this.settings = { ...DEFAULTS, ...settings };
    this.random = randomFrom(settings.seed);
    const { servers, zones, organisations, entriesPerMember, bytesPerEntry, hotDays, hotBytes } =
      this.settings;
    for (let id = 0; id < servers; id++) {
      const state = { isUp: true, failures: 0, downAt: 0, busyUntil: 0 };
      this.servers.push({ id, zone: id % zones, ...state, holds: new Set() });
    }
    for (let index = 0; index < organisations; index++) {
      const members = sizeOf(this.random());
      const rate = members * entriesPerMember * bytesPerEntry;
      const hot = Math.min(hotBytes, rate * hotDays);
      const amounts = { hot, archived: 0, unavailable: 0, without: -1 };
      const recent = new Float64Array(hotDays).fill(rate);
      this.organisations.push({ members, rate, recent, ...amounts, copies: [] });
    }
    // An empty stream costs its server something too. So servers get as many streams as bytes, about.
    this.streamWeight = sum(this.organisations.map(({ hot }) => hot)) / organisations;
    // The largest first: what is small fills what they leave.
    for (const organisation of this.organisations.toSorted((one, other) => other.hot - one.hot)) {
      for (let copy = 0; copy < 3; copy++) this.#place(organisation, true);
    }
  }

  run() {
    const { days, zoneFailures, nodes } = this.settings;
    for (let day = 1; day <= days; day++) this.#at(day * DAY, () => this.#passDay());
    for (const server of this.servers) this.#failLater(server);
    for (let count = 0; count < nodes; count++) this.#nodeFailsLater();
    const outages = Math.round((zoneFailures * days) / 365);
    for (let count = 0; count < outages; count++)
      this.#at(this.random() * days * DAY, () => this.#failZone());
    for (let next = this.#events.next(days * DAY); next; next = this.#events.next(days * DAY)) {
      this.now = next.at;
      next.happen();
    }
    this.now = days * DAY;
    for (const organisation of this.organisations) this.#noteQuorum(organisation, true);
    return this.#report();
  }

  /** What a day wrote, and what is moved to the archive. */
  #passDay() {
    const { hotDays, hotBytes } = this.settings;
    const slot = Math.round(this.now / DAY) % hotDays;
    for (const organisation of this.organisations) {
      const { rate, recent, hot } = organisation;
      recent[slot] = rate;
      // What was archived once stays there.
      organisation.hot = Math.min(hotBytes, hot + rate, sum(recent));
      organisation.archived += hot + rate - organisation.hot;
      this.written += rate;
      // Organisations grow and shrink, by about a tenth in a month.
      organisation.rate *= Math.exp((this.random() - 0.5) * 0.06);
    }
    this.#rebalance();
  }

  /** Gives streams of the fullest server of a zone to its emptiest one, the ones that fit best first. */
  #rebalance() {
    for (let zone = 0; zone < this.settings.zones; zone++) {
      const servers = this.servers.filter((server) => server.zone === zone && server.isUp);
      if (servers.length < 2) continue;
      const loads = new Map(servers.map((server) => [server, this.loadOf(server)]));
      const mean = sum([...loads.values()]) / servers.length;
      for (let moves = 0; moves < 100; moves++) {
        const [emptiest, fullest] = extremes(loads);
        const excess = (loads.get(fullest) ?? 0) - mean;
        if ((loads.get(fullest) ?? 0) <= FULL * mean) break;
        const gap = (loads.get(fullest) ?? 0) - (loads.get(emptiest) ?? 0);
        const candidate = this.#fitting(fullest, excess, gap);
        if (!candidate) break;
        const weight = candidate.hot + this.streamWeight;
        this.#bytesMoved += candidate.hot;
        loads.set(fullest, (loads.get(fullest) ?? 0) - weight);
        loads.set(emptiest, (loads.get(emptiest) ?? 0) + weight);
        this.#move(candidate, fullest, emptiest);
      }
    }
  }

  /**
   * The stream whose weight is nearest to what the server has too much.
   *
   * @param {Server} server
   * @param {number} excess
   * @param {number} most
   */
  #fitting(server, excess, most) {
    /** @type {Organisation | undefined} */
    let best;
    let distance = Number.POSITIVE_INFINITY;
    for (const organisation of server.holds) {
      const weight = organisation.hot + this.streamWeight;
      const off = Math.abs(weight - excess);
      if (off >= distance || weight >= most) continue;
      if (!organisation.copies.every(({ isWhole }) => isWhole)) continue;
      best = organisation;
      distance = off;
    }
    return best;
  }

  /**
   * The old copy stays until the new one is whole.
   *
   * @param {Organisation} organisation
   * @param {Server} from
   * @param {Server} to
   */
  #move(organisation, from, to) {
    const copy = organisation.copies.find(({ server }) => server === from);
    if (!copy) return;
    from.holds.delete(organisation);
    to.holds.add(organisation);
    // The move is an exchange of one copy for another that has caught up by then.
    copy.server = to;
    copy.order++;
    to.busyUntil = Math.max(this.now, to.busyUntil) + organisation.hot / this.settings.copyRate;
  }

  /**
   * A new copy on the emptiest server of a zone that has none.
   *
   * @param {Organisation} organisation
   * @param {boolean} isWhole
   */
  #place(organisation, isWhole) {
    const zones = new Set(organisation.copies.map(({ server }) => server.zone));
    const candidates = this.servers.filter(({ isUp, zone }) => isUp && !zones.has(zone));
    if (candidates.length === 0) return undefined;
    const server = candidates.reduce((best, one) =>
      this.#weightOf(one) < this.#weightOf(best) ? one : best,
    );
    const copy = { server, isWhole, order: 0 };
    organisation.copies.push(copy);
    server.holds.add(organisation);
    this.#weights.set(server, this.#weightOf(server) + organisation.hot + this.streamWeight);
    return copy;
  }
  /** Loads while copies are placed: adding up all streams for each would take too long. */
  #weights = new Map();

  /** @param {Server} server */
  #weightOf(server) {
    if (!this.#weights.has(server)) this.#weights.set(server, this.loadOf(server));
    return this.#weights.get(server);
  }

  /** @param {Server} server */
  #failLater(server) {
    const wait = -Math.log(1 - this.random()) * this.settings.daysBetweenFailures * DAY;
    this.#at(this.now + wait, () => {
      const isLost = this.random() < this.settings.lostShare;
      this.#fail(server, isLost ? undefined : between(RESTART, this.random()));
      this.#failLater(server);
    });
  }

  #failZone() {
    const zone = Math.floor(this.random() * this.settings.zones);
    for (const server of this.servers) if (server.zone === zone) this.#fail(server, ZONE_OUTAGE);
  }

  /**
   * @param {Server} server
   * @param {number | undefined} duration none: the machine is lost, and an empty one takes its place
   */
  #fail(server, duration) {
    if (!server.isUp) return;
    server.isUp = false;
    server.downAt = this.now;
    const failure = ++server.failures;
    for (const organisation of server.holds) {
      const copy = organisation.copies.find((one) => one.server === server);
      if (copy) {
        copy.order++;
        copy.isWhole &&= duration !== undefined;
      }
      this.#noteQuorum(organisation);
    }
    if (duration === undefined) this.lost += [...server.holds].filter(isGone).length;
    const isBackInTime = duration !== undefined && duration < PATIENCE;
    if (!isBackInTime)
      this.#at(this.now + PATIENCE, () => server.failures === failure && this.#giveUp(server));
    this.#at(
      this.now + (duration ?? PATIENCE + 60),
      () => server.failures === failure && this.#return(server),
    );
  }

  /**
   * Its streams get a third copy elsewhere in the zone; small ones first, so that most are safe soon. Where the whole zone is
   * down there is no place, and they wait for it.
   *
   * @param {Server} server
   */
  #giveUp(server) {
    const others = this.servers.filter(({ isUp, zone }) => isUp && zone === server.zone);
    if (others.length === 0) return;
    this.#weights.clear();
    for (const organisation of [...server.holds].sort((one, other) => one.hot - other.hot)) {
      organisation.copies = organisation.copies.filter((copy) => copy.server !== server);
      server.holds.delete(organisation);
      const copy = this.#place(organisation, false);
      if (copy) this.#fill(organisation, copy, organisation.hot, server.downAt);
    }
  }

  /** @param {Server} server */
  #return(server) {
    server.isUp = true;
    server.busyUntil = this.now;
    for (const organisation of [...server.holds].sort((one, other) => one.hot - other.hot)) {
      const copy = organisation.copies.find((one) => one.server === server);
      if (!copy) continue;
      const missed = ((this.now - server.downAt) * organisation.rate * PEAK) / DAY;
      if (copy.isWhole) this.#fill(organisation, copy, missed);
      else this.#fill(organisation, copy, organisation.hot, server.downAt);
      copy.isWhole = false;
      this.#noteQuorum(organisation);
    }
  }

  /**
   * @param {Organisation} organisation
   * @param {Copy} copy
   * @param {number} bytes
   * @param {number} [lostAt] when the copy was lost that this one replaces; none where it only missed something
   */
  #fill(organisation, copy, bytes, lostAt) {
    const { server } = copy;
    const order = ++copy.order;
    server.busyUntil = Math.max(this.now, server.busyUntil) + bytes / this.settings.copyRate;
    this.#at(server.busyUntil, () => {
      if (copy.order !== order || !organisation.copies.includes(copy)) return;
      // There is nothing to copy from while both others are away.
      if (!organisation.copies.some((one) => one !== copy && one.isWhole && one.server.isUp)) {
        this.#at(this.now + 60, () => copy.order === order && this.#fill(organisation, copy, bytes, lostAt));
        return;
      }
      copy.isWhole = true;
      if (lostAt !== undefined) this.#rebuilds.push(this.now - lostAt);
      this.#noteQuorum(organisation);
    });
  }

  /**
   * @param {Organisation} organisation
   * @param {boolean} [isEnd]
   */
  #noteQuorum(organisation, isEnd = false) {
    const has = hasQuorum(organisation);
    if (organisation.without >= 0 && (has || isEnd)) {
      organisation.unavailable += this.now - organisation.without;
      organisation.without = has ? -1 : this.now;
    } else if (!has && organisation.without < 0) organisation.without = this.now;
  }

  /** A node was away: it applies what it missed, or begins with snapshots. */
  #nodeFailsLater() {
    const { daysBetweenFailures, lostShare, nodes, applyRate, bytesPerEntry, snapshotRate } = this.settings;
    const wait = -Math.log(1 - this.random()) * daysBetweenFailures * DAY;
    this.#at(this.now + wait, () => {
      // Two nodes follow each stream.
      const own = this.organisations.filter(() => this.random() < 2 / nodes);
      const busy = (sum(own.map(({ rate }) => rate)) * PEAK) / DAY / bytesPerEntry;
      const spare = applyRate - busy;
      if (this.random() < lostShare) {
        const sizes = own.map(({ hot }) => hot).sort((one, other) => one - other);
        // Small ones first: then nearly all organisations are served again long before the last one.
        const most = sum(sizes.slice(0, Math.ceil(sizes.length * 0.95))) / snapshotRate;
        const all = sum(sizes) / snapshotRate;
        this.#restores.push({ most, all: all + ((SNAPSHOT_AGE + all) * busy) / spare });
      } else this.#catchUps.push((between(RESTART, this.random()) * busy) / spare);
      this.#nodeFailsLater();
    });
  }

  /** @param {Server} server */
  loadOf(server) {
    return bytesOn(server) + server.holds.size * this.streamWeight;
  }

  #report() {
    const { days, bytesPerEntry, applyRate } = this.settings;
    const loads = this.servers.map(bytesOn);
    const unavailable = this.organisations.map((one) => (one.unavailable * YEAR) / (days * DAY));
    const rate = sum(this.organisations.map((one) => one.rate));
    const members = this.organisations.map((one) => one.members).sort((one, other) => other - one);
    return {
      members: sum(members),
      largest: members[0] ?? 0,
      entriesPerSecond: rate / bytesPerEntry / DAY,
      peakEntriesPerSecond: (rate * PEAK) / bytesPerEntry / DAY,
      largestPerSecond: (Math.max(...this.organisations.map((one) => one.rate)) * PEAK) / bytesPerEntry / DAY,
      hot: 3 * sum(this.organisations.map((one) => one.hot)),
      archived: sum(this.organisations.map((one) => one.archived)),
      fullest: Math.max(...loads),
      mean: sum(loads) / loads.length,
      streamsOnFullest: Math.max(...this.servers.map(({ holds }) => holds.size)),
      moved: this.#bytesMoved / days,
      written: (3 * this.written) / days,
      rebuild: quantile(this.#rebuilds, 0.95),
      unavailableMean: sum(unavailable) / unavailable.length,
      unavailableWorst: Math.max(...unavailable),
      lost: this.lost,
      catchUp: quantile(this.#catchUps, 0.95),
      restoreMost: quantile(
        this.#restores.map(({ most }) => most),
        0.95,
      ),
      restoreAll: quantile(
        this.#restores.map(({ all }) => all),
        0.95,
      ),
      /** A node of one stream for all has to apply everything: after ten minutes away, and from the beginning of the year. */
      catchUpOfAll: catchUpOf(RESTART[1] ?? 0, (rate * PEAK) / bytesPerEntry / DAY, applyRate),
      replayOfAll: (days * rate) / bytesPerEntry / applyRate,
    };
  }

  /**
   * @param {number} at
   * @param {() => unknown} happen
   */
  #at(at, happen) {
    this.#events.add(at, happen);
  }
}

/** @param {Organisation} organisation */
export function hasQuorum({ copies }) {
  return copies.filter(({ isWhole, server }) => isWhole && server.isUp).length >= 2;
}

/** @param {Organisation} organisation */
function isGone({ copies }) {
  return !copies.some(({ isWhole }) => isWhole);
}

/**
 * Infinite where more comes than a node can apply.
 *
 * @param {number} away
 * @param {number} arriving
 * @param {number} applied
 */
function catchUpOf(away, arriving, applied) {
  return arriving < applied ? (away * arriving) / (applied - arriving) : Number.POSITIVE_INFINITY;
}

/** @param {Server} server */
export function bytesOn({ holds }) {
  let bytes = 0;
  for (const { hot } of holds) bytes += hot;
  return bytes;
}

/**
 * Members of an organisation: most are a handful, few are thousands (a Pareto distribution, cut at 20,000).
 *
 * @param {number} chance
 */
function sizeOf(chance) {
  return Math.min(20_000, Math.floor((1 - chance) ** (-1 / 1.1)));
}

/** @param {Map<Server, number>} loads */
function extremes(loads) {
  const sorted = [...loads].sort(([, one], [, other]) => one - other).map(([server]) => server);
  return /** @type {[Server, Server]} */ ([sorted[0], sorted.at(-1)]);
}

/**
 * @param {readonly number[]} range
 * @param {number} part
 */
function between([least = 0, most = 0], part) {
  return least + (most - least) * part;
}

/** @param {ArrayLike<number> & Iterable<number>} numbers */
function sum(numbers) {
  let all = 0;
  for (const number of numbers) all += number;
  return all;
}

/**
 * @param {readonly number[]} numbers
 * @param {number} part
 */
function quantile(numbers, part) {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

/** What is to happen, soonest first: a heap. */
class Events {
  /** @type {{ at: number, order: number, happen: () => unknown }[]} */
  #heap = [];
  #order = 0;

  /**
   * @param {number} at
   * @param {() => unknown} happen
   */
  add(at, happen) {
    const heap = this.#heap;
    heap.push({ at, order: this.#order++, happen });
    for (let index = heap.length - 1; index > 0; ) {
      const parent = (index - 1) >> 1;
      if (!this.#isBefore(index, parent)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  /** @param {number} until */
  next(until) {
    const heap = this.#heap;
    const first = heap[0];
    if (!first || first.at > until) return undefined;
    const last = heap.pop();
    if (last && heap.length > 0) {
      heap[0] = last;
      for (let index = 0; ; ) {
        let least = index;
        for (const child of [2 * index + 1, 2 * index + 2]) {
          if (child < heap.length && this.#isBefore(child, least)) least = child;
        }
        if (least === index) break;
        this.#swap(index, least);
        index = least;
      }
    }
    return first;
  }

  /**
   * @param {number} one
   * @param {number} other
   */
  #isBefore(one, other) {
    const [first, second] = [this.#heap[one], this.#heap[other]];
    if (!first || !second) return false;
    return first.at < second.at || (first.at === second.at && first.order < second.order);
  }

  /**
   * @param {number} one
   * @param {number} other
   */
  #swap(one, other) {
    const [first, second] = [this.#heap[one], this.#heap[other]];
    if (!first || !second) return;
    this.#heap[one] = second;
    this.#heap[other] = first;
  }
}

/** @param {number} seed */
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

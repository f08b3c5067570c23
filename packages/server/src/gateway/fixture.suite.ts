import { type Envelope, type GatewayFilter, LIMITS, type Limits } from '@infold/protocol';
import { createScrubber } from '@infold/scrub';
import { expect, onTestFinished } from 'vitest';
import type { Journal } from '../journal/journal.ts';
import type { SqliteJournal } from '../journal/sqlite.ts';
import { callerNamed, movableClock, openTestJournal } from '../testing/fixtures.suite.ts';
import { DenialLog } from '../trust/access/denials.ts';
import type { Caller } from '../trust/identity/caller.ts';
import { RateLimiter } from '../trust/limits/rate.ts';
import { Gateway } from './gateway.ts';
import type { LeaseTimes } from './nodes/cluster/leases.ts';
import { EVERYTHING } from './pod/filter.ts';
import type { Wire } from './pod/member.ts';
import { parseGatewaySettings } from './settings.ts';
import type { WireFrame } from './wire/frame.ts';

/** The other end of a wire: everything that was sent, and a reader that can be stopped. */
export class TestWire implements Wire {
  readonly frames: WireFrame[] = [];
  closed: { code: number; reason: string } | undefined;
  /** A reader that does not read: what is sent stays here. */
  stuck = false;
  #waiting = 0;

  send(frame: WireFrame): void {
    this.frames.push(frame);
    if (this.stuck) this.#waiting += frame.bytes;
  }

  get buffered(): number {
    return this.#waiting;
  }

  async drained(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
  }

  close(code: number, reason: string): void {
    this.closed = { code, reason };
  }

  get envelopes(): Envelope[] {
    return this.frames.map(({ text }) => JSON.parse(text) as Envelope);
  }

  get said(): Envelope[] {
    return this.envelopes.filter(({ kind }) => !kind.startsWith('system/'));
  }

  get errors(): string[] {
    return this.envelopes
      .filter(({ kind }) => kind === 'system/error')
      .map(({ payload }) => (payload as { error: string }).error);
  }
}

export interface TestGateway<Of extends Journal = SqliteJournal> {
  gateway: Gateway;
  journal: Of;
  clock: ReturnType<typeof movableClock>;
  failures: unknown[];
  join(participant: string, more?: Joining): { wire: TestWire; say(envelope: object): void; leave(): void };
}

interface Joining {
  pod?: string;
  filter?: GatewayFilter;
  since?: number;
  epoch?: string;
  principal?: string;
  caller?: Caller;
}

export async function testGateway(
  settings: Record<string, unknown> = {},
  limits: Partial<Limits> = {},
  given: Partial<Pick<TestGateway<Journal>, 'journal' | 'clock'>> & {
    serves?: boolean;
    leaseTimes?: LeaseTimes;
  } = {},
): Promise<TestGateway> {
  const clock = given.clock ?? movableClock();
  const journal = (given.journal as SqliteJournal | undefined) ?? (await openTestJournal(clock));
  const failures: unknown[] = [];
  const all = { ...LIMITS, ...limits };
  const denials = new DenialLog(journal, (error) => failures.push(error));
  const gateway = new Gateway({
    journal,
    clock: clock.read,
    limits: all,
    settings: parseGatewaySettings(settings),
    scrubber: createScrubber(),
    limiter: new RateLimiter(all),
    denials,
    serves: given.serves ?? true,
    leaseTimes: given.leaseTimes,
    onError: (error) => failures.push(error),
  });
  onTestFinished(async () => {
    await gateway.close();
    await denials.close();
  });
  return {
    gateway,
    journal,
    clock,
    failures,
    join(
      participant,
      { pod = 'p', filter = EVERYTHING, since, epoch, principal = participant, ...more } = {},
    ) {
      const wire = new TestWire();
      const caller = more.caller ?? callerNamed(principal);
      const joined = gateway.join(pod, { caller, participant, wire, filter, since, epoch });
      return {
        wire,
        say: (envelope) => joined.pod.receive(joined.member, Buffer.from(JSON.stringify(envelope)), false),
        leave: () => joined.pod.leave(joined.member),
      };
    },
  };
}

/** Every table that the gateway's events touch, as it is. */
export function tablesOf({ database }: SqliteJournal): string {
  const tables = database.all<{ name: string }>(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'gateway_text%'
       AND (name LIKE 'gateway_%' OR name LIKE 'fold_%' OR name = 'memory_item')`,
  );
  const rows = tables.map(({ name }) => [name, database.all(`SELECT * FROM ${name}`)]);
  const text = database.all(
    `SELECT rowid FROM gateway_text WHERE gateway_text MATCH 'the OR says OR forgotten OR expired'`,
  );
  return JSON.stringify([...rows, text]);
}

export async function expectRebuildToAgree(journal: SqliteJournal): Promise<void> {
  const before = tablesOf(journal);
  await journal.rebuild();
  journal.database.forgetStatements();
  expect(tablesOf(journal)).toBe(before);
  expect((await journal.verify()).ok).toBe(true);
}

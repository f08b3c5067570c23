import { describe, expect, test } from 'vitest';
import { bytesOn, Fleet, hasQuorum, simulate } from '../bench/scale/simulation.mjs';

const small = { seed: 3, organisations: 200, servers: 9, nodes: 4, days: 60 };
const total = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0);

describe('the simulation of many organisations', () => {
  test('is the same again for the same seed, and another one for another', () => {
    expect(simulate(small)).toEqual(simulate(small));
    expect(simulate(small)).not.toEqual(simulate({ ...small, seed: 4 }));
  });

  test('has a few large organisations and many small ones', () => {
    const { organisations } = new Fleet({ ...small, organisations: 5000 });
    const sizes = organisations.map(({ members }) => members).sort((one, other) => other - one);
    expect(total(sizes.slice(0, 50))).toBeGreaterThan(0.2 * total(sizes));
    expect(sizes[2500]).toBeLessThan(4);
  });

  test.each([1, 2, 3, 4, 5])(
    'keeps three copies of each stream in three zones, and loses no byte (seed %i)',
    (seed) => {
      const fleet = new Fleet({ ...small, seed, daysBetweenFailures: 0.5 });
      const begun = total(fleet.organisations.map(({ hot }) => hot));
      const { unavailableWorst } = fleet.run();
      expect(unavailableWorst).toBeGreaterThan(0);
      for (const { copies } of fleet.organisations) {
        expect(new Set(copies.map(({ server }) => server.zone)).size).toBe(3);
      }
      for (const server of fleet.servers) {
        const held = fleet.organisations.filter(({ copies }) =>
          copies.some((copy) => copy.server === server),
        );
        expect(new Set(held)).toEqual(server.holds);
      }
      const stored = total(fleet.organisations.map(({ hot, archived }) => hot + archived));
      expect(stored / (begun + fleet.written)).toBeCloseTo(1, 9);
      expect(total(fleet.servers.map(bytesOn))).toBeCloseTo(
        3 * total(fleet.organisations.map(({ hot }) => hot)),
        -3,
      );
    },
  );

  test('has quorum all the time where nothing fails, and one copy may always be away', () => {
    const calm = { ...small, daysBetweenFailures: 1e9, zoneFailures: 0 };
    expect(simulate(calm)).toMatchObject({ unavailableWorst: 0, rebuild: 0, catchUp: 0, lost: 0 });
    expect(simulate({ ...calm, days: 365, zoneFailures: 12 })).toMatchObject({
      unavailableWorst: 0,
      lost: 0,
    });
    const fleet = new Fleet(small);
    const [organisation] = fleet.organisations;
    organisation!.copies[0]!.server.isUp = false;
    expect(hasQuorum(organisation!)).toBe(true);
    organisation!.copies[1]!.isWhole = false;
    expect(hasQuorum(organisation!)).toBe(false);
  });

  test('loses streams where machines are lost faster than they are copied', () => {
    const bad = { ...small, daysBetweenFailures: 1, lostShare: 1, copyRate: 1e4 };
    expect(simulate(bad).lost).toBeGreaterThan(0);
  });

  test('archives what is old, and what is more than one server should hold', () => {
    const { hot, archived } = simulate({ ...small, hotDays: 10, hotBytes: 1e9 });
    expect(hot).toBeLessThanOrEqual(3 * small.organisations * 1e9);
    expect(archived).toBeGreaterThan(hot);
  });
});

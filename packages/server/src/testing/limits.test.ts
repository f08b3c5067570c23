import { LIMITS, type LimitName } from '@infold/protocol';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { foldProbes } from './limits/fold.suite.ts';
import { gatewayProbes } from './limits/gateway.suite.ts';
import { hubProbes } from './limits/hub.suite.ts';
import { libraryProbes } from './limits/library.suite.ts';
import { memoryProbes } from './limits/memory.suite.ts';
import type { Probes } from './limits/probe.suite.ts';
import { Served } from './limits/served.suite.ts';
import { servingProbes } from './limits/serving.suite.ts';
import { shareProbes } from './limits/shares.suite.ts';
import { transientProbes } from './limits/transient.suite.ts';

const PROBES: Probes = {
  ...servingProbes,
  ...foldProbes,
  ...memoryProbes,
  ...libraryProbes,
  ...hubProbes,
  ...transientProbes,
  ...gatewayProbes,
  ...shareProbes,
};
const names = Object.keys(LIMITS) as LimitName[];

test('every limit has a probe: whoever adds one shows here that setting it has an effect', () => {
  expect(names.filter((name) => !PROBES[name])).toEqual([]);
  expect(Object.keys(PROBES).filter((name) => !(name in LIMITS))).toEqual([]);
});

describe('setting', () => {
  test.each(names)('%s', async (name) => {
    verifies('KERN-18');
    const probe = PROBES[name]!;
    expect(probe.value).toBeLessThan(LIMITS[name]);
    await probe.watch(await Served.start(name, probe), probe.value);
  });
});

import type { LimitName, Limits } from '@infold/protocol';
import { expect } from 'vitest';
import type { Config } from '../../kernel/config.ts';
import type { Outcome, Served } from './served.suite.ts';

/** What else must be configured so that the limit decides. */
export interface Settings {
  limits?: Partial<Limits>;
  gateway?: Config['gateway'];
  /** Files of the data folder by name, and the models that read them. */
  files?: Record<string, string>;
  sources?: Record<string, { type: string; file: string; [setting: string]: string }>;
}

/** Sets one limit to a small value, does something real, and sees that this value, and not the default, decided. */
export interface Probe {
  value: number;
  settings?: Settings;
  watch(server: Served, value: number): Promise<void>;
}
export type Probes = { [name in LimitName]?: Probe };

/** Does something of this size: so many characters, bytes, items. */
type Act = (server: Served, size: number) => Promise<Outcome>;

/** What is just large enough is done; one more is refused, with the code, in a sentence that names the number. */
export function refusesAbove(value: number, code: string | number, ...acts: [Act, ...Act[]]): Probe {
  return {
    value,
    async watch(server) {
      for (const act of acts) {
        expect((await act(server, value)).refusal).toBeUndefined();
        expectRefusal(await act(server, value + 1), code, value);
      }
    },
  };
}

/** The same, where what is done depends on what was configured before. */
export function withSettings(settings: Settings, probe: Probe): Probe {
  return { ...probe, settings };
}

export function expectRefusal({ refusal }: Outcome, code: string | number, number: number): void {
  expect(refusal).toMatchObject({ code });
  expect(refusal?.message.replaceAll(/[,_](?=\d)/g, '')).toMatch(new RegExp(`(?<!\\d)${number}(?!\\d)`));
}

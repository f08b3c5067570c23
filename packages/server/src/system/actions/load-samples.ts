import { type OutputOf, systemApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import type { CallContext } from '../../call/context.ts';

export type SampleReport = OutputOf<typeof systemApi.loadSamples>;

declare module '../../call/parts.ts' {
  interface Parts {
    samples: { load(context: CallContext): Promise<SampleReport> };
  }
}

export const loadSamples = defineAction(systemApi.loadSamples, {
  async run(_input, context) {
    const report = await context.parts.samples.load(context);
    return { structured: report, isNew: report.created };
  },
});

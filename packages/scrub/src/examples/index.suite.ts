import { aiExamples, authExamples } from './ai.suite.ts';
import { chatExamples } from './chat.suite.ts';
import { cloudExamples } from './cloud.suite.ts';
import { databaseExamples, registryExamples } from './data.suite.ts';
import { ciExamples, sourceHostingExamples } from './hosting.suite.ts';
import { mailExamples, monitoringExamples } from './mail.suite.ts';
import { paymentExamples } from './payment.suite.ts';
import {
  addressExamples,
  callExamples,
  commandExamples,
  documentExamples,
  moreTokens,
  walletExamples,
} from './place.suite.ts';
import { productivityExamples } from './productivity.suite.ts';
import type { Sample } from './sample.suite.ts';

const all = [
  cloudExamples,
  sourceHostingExamples,
  ciExamples,
  chatExamples,
  paymentExamples,
  mailExamples,
  monitoringExamples,
  databaseExamples,
  registryExamples,
  aiExamples,
  authExamples,
  productivityExamples,
  commandExamples,
  addressExamples,
  callExamples,
  walletExamples,
  documentExamples,
  moreTokens,
];

/** Every kind's examples; a kind that two families know has those of both. */
export const examples: ReadonlyMap<string, Sample[]> = (() => {
  const merged = new Map<string, Sample[]>();
  for (const family of all) {
    for (const [kind, samples] of Object.entries(family))
      merged.set(kind, [...(merged.get(kind) ?? []), ...samples]);
  }
  return merged;
})();

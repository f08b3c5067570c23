import type { HostModel } from './window.ts';

/** What a host lists of a model: prices in any one currency and unit. */
export interface ListedModel {
  provider: string;
  model: string;
  input: number | undefined;
  cacheRead: number | undefined;
  cacheWrite: number | undefined;
  contextWindow: number | undefined;
}

/** Where a host lists no prices: most providers give a cached token for a tenth, and Anthropic takes more for writing one. */
const READ = 0.1;
const MARKED_WRITE = 1.25;

export function hostModel(listed: ListedModel): HostModel {
  const { provider, model, input = 0, cacheRead = 0, cacheWrite = 0, contextWindow = 0 } = listed;
  const wantsMarks = /anthropic/i.test(provider) || /claude/i.test(model);
  // A price of nothing is one that nobody wrote down.
  const relative = (price: number, usual: number) => (input > 0 && price > 0 ? price / input : usual);
  return {
    name: `${provider}/${model}`,
    prices: { read: relative(cacheRead, READ), write: relative(cacheWrite, wantsMarks ? MARKED_WRITE : 1) },
    wantsMarks,
    ...(contextWindow > 0 && { contextWindow }),
  };
}

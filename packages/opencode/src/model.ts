import { type HostModel, hostModel } from '@infold/client/host';
import type { HostMessage, Model } from './host.ts';

/** What is known of the model that is asked next: all that its provider lists, or its name alone. */
export function modelFor(messages: readonly HostMessage[], known: ReadonlyMap<string, Model>): HostModel {
  const asked = messages.findLast(({ info }) => info.role === 'user')?.info.model;
  const provider = asked?.providerID ?? '';
  const model = known.get(nameOf(provider, asked?.modelID ?? ''));
  return hostModel({
    provider,
    model: asked?.modelID ?? '',
    input: model?.cost?.input,
    cacheRead: model?.cost?.cache?.read,
    cacheWrite: model?.cost?.cache?.write,
    contextWindow: model?.limit?.context,
  });
}

export const nameOf = (provider: string, model: string) => `${provider}/${model}`;

/** What the provider counted for the last prompt. */
export function countedIn(messages: readonly HostMessage[]): number | undefined {
  const tokens = messages.findLast(({ info }) => info.role === 'assistant' && info.tokens)?.info.tokens;
  const counted = (tokens?.input ?? 0) + (tokens?.cache?.read ?? 0) + (tokens?.cache?.write ?? 0);
  return counted > 0 ? counted : undefined;
}

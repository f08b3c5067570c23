import type { Scrubber } from '@infold/scrub';
import { scrubText } from '../../trust/secrets/scrubbing.ts';
import type { Embedder } from './embedder.ts';
import type { MeaningSettings } from './settings.ts';

/** The model that the configuration names. Nothing of the other kind is loaded. */
export async function openEmbedder(
  settings: MeaningSettings,
  scrubber: Scrubber,
  signal: AbortSignal,
): Promise<Embedder> {
  if ('url' in settings) {
    const { EmbeddingEndpoint } = await import('./endpoint.ts');
    return EmbeddingEndpoint.open(settings, (text) => scrubText(scrubber, text).text, signal);
  }
  const { StaticModel } = await import('./static/model.ts');
  return StaticModel.open(settings.path, settings.model);
}

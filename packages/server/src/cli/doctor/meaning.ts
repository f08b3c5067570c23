import { createScrubber } from '@infold/scrub';
import type { Config } from '../../kernel/config.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { openEmbedder } from '../../memory/meaning/open.ts';
import { parseMeaningSettings } from '../../memory/meaning/settings.ts';
import { Vectors } from '../../memory/meaning/vectors.ts';
import type { Check } from './check.ts';

const WAIT = 5000;

/** Whether memory is also found by meaning: with which model, and how much of it so far. */
export async function checkMeaning({ embeddings }: Config, database: Database): Promise<Check> {
  const name = 'meaning';
  try {
    const settings = parseMeaningSettings(embeddings);
    if (!settings) {
      const advice = 'To find by meaning too, set "embeddings" in the configuration';
      return { name, state: 'ok', detail: 'off: memory is found by words alone', advice };
    }
    const signal = AbortSignal.timeout(WAIT);
    const embedder = await openEmbedder(settings, createScrubber(), signal);
    await embedder.embed(['Does it answer?'], signal);
    const { vectors, passages } = new Vectors(database, embedder).count();
    const { model, version, dimensions } = embedder;
    const isBehind = vectors < passages;
    return {
      ...{ name, state: 'ok' },
      detail: `${model}, version ${version}, ${dimensions} dimensions; vectors of ${vectors} of ${passages} passages`,
      ...(isBehind ? { advice: 'A server that runs makes the others in the background' } : {}),
    };
  } catch (error) {
    const advice = 'Until this is mended, memory is found by words alone';
    return { name, state: 'warning', detail: messageOf(error), advice };
  }
}

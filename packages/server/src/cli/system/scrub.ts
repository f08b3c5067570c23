import { createScrubber, JsonlError, type ScrubOptions } from '@infold/scrub';
import { type ScrubFlags, scrubFile } from '@infold/scrub/command';
import type { Config } from '../../kernel/config.ts';
import { InfoldError, messageOf } from '../../kernel/errors.ts';

/** Does what `infold-scrub` does, with the rules of the configuration. */
export async function scrub(config: Config, file: string | undefined, flags: ScrubFlags): Promise<number> {
  const scrubber = createScrubber(config.scrub as ScrubOptions | undefined);
  try {
    return await scrubFile(scrubber, file, process.stdout, flags);
  } catch (error) {
    throw new InfoldError(error instanceof JsonlError ? 'invalid_arguments' : 'not_found', messageOf(error));
  }
}

import type { Content } from './content.ts';
import type { CallContext } from './context.ts';

/** What an action answers. `text` stands in for the JSON where a seed document shows prose. */
export interface Answer<Output> {
  structured: Output;
  text?: string;
  /** What comes after the text, for hosts that can show more than text. */
  attachments?: Content[];
  meta?: Record<string, unknown>;
  /** Something is there now that was not there before. */
  isNew?: boolean;
}

/** An answer in prose. The data hold it too, because some hosts show their model nothing else. */
export function proseAnswer<Data extends object>(
  text: string,
  data: Data,
  meta?: Record<string, unknown>,
): Answer<Data & { text: string }> {
  return { structured: { ...data, text }, text, ...(meta ? { meta } : {}) };
}

/** Tells what was done to keep a page short, so that nobody takes it for the whole. */
export function tellPage(
  { notices, config }: Pick<CallContext, 'notices' | 'config'>,
  { wanted, size, cut }: { wanted: number; size: number; cut: number },
): void {
  const most = config.limits.pageCharacters.toLocaleString('en-US');
  if (size < wanted) {
    notices.push(`per_page was set to ${size} for every page, to keep pages under ${most} characters`);
  }
  if (cut > 0) {
    notices.push(
      `${cut} long ${cut === 1 ? 'value was' : 'values were'} cut to keep the page under ${most} characters; fewer records or fields show more`,
    );
  }
}

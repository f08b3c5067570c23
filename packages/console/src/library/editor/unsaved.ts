import { Observable } from '../../design/hooks/observable.ts';

/** What somebody has written and not saved: it outlives the editor, and what went wrong, but not the page. */
export interface UnsavedText {
  /** Whose it is: nobody else who signs in on this page sees it. */
  who: string;
  project: string;
  /** What is edited: `item:ID`, `draft:ID`, `make:KIND`, or `merge:ID` for a draft that is brought together with a file. */
  target: string;
  /** For people. */
  name: string;
  text: string;
  /** Of a new file. */
  path: string;
  description: string;
  /** The content that it was begun from. */
  base: string;
  resource: Resource;
  /** Of a merge: what the draft said, while `base` is what was published. */
  draft?: string;
}

/** What a draft is of. */
export type Resource = 'rule' | 'context' | 'mpf';

/** Somebody, as they are known here: a name may occur in several organisations. */
export const whoIs = (status: { principal: string; organisation: string } | undefined): string =>
  JSON.stringify([status?.organisation, status?.principal]);

export type UnsavedKey = Pick<UnsavedText, 'who' | 'project' | 'target'>;

export const unsavedTexts = new Observable<readonly UnsavedText[]>([]);

const isOf = (one: UnsavedText, { who, project, target }: UnsavedKey) =>
  one.who === who && one.project === project && one.target === target;

export function unsavedFor(texts: readonly UnsavedText[], key: UnsavedKey): UnsavedText | undefined {
  return texts.find((one) => isOf(one, key));
}

export function keepUnsaved(text: UnsavedText): void {
  unsavedTexts.change((texts) => [...texts.filter((one) => !isOf(one, text)), text]);
}

export function dropUnsaved(key: UnsavedKey): void {
  unsavedTexts.change((texts) => {
    const rest = texts.filter((one) => !isOf(one, key));
    return rest.length === texts.length ? texts : rest;
  });
}

/**
 * After a text was saved, into a draft. What was typed while it was on its way is not in it: that is kept as a change of
 * the draft, and the answer is false.
 */
export function settleSaved(key: UnsavedKey, saved: string, draftId: string): boolean {
  const now = unsavedFor(unsavedTexts.read(), key);
  dropUnsaved(key);
  if (now === undefined || now.text === saved) return true;
  const { draft: _, ...rest } = now;
  keepUnsaved({ ...rest, target: `draft:${draftId}`, base: saved, description: '' });
  return false;
}

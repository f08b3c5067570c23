import { Observable } from '../../design/hooks/observable.ts';

/** What somebody has written and not saved: it outlives the editor, and what went wrong, but not the page. */
export interface UnsavedText {
  /** Whose it is: nobody else who signs in on this page sees it. */
  who: string;
  project: string;
  /** What is edited: `item:ID`, `draft:ID` or `make:KIND`. */
  target: string;
  /** For people. */
  name: string;
  text: string;
  /** Of a new file. */
  path: string;
  description: string;
  /** The content that it was begun from. */
  base: string;
}

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

// Before the page is closed or loaded again, the browser asks: nothing but the page holds these.
addEventListener('beforeunload', (event) => {
  if (unsavedTexts.read().length > 0) event.preventDefault();
});

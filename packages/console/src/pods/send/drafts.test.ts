import { expect, test } from 'vitest';
import { EMPTY_DRAFT } from './draft.ts';
import { draftIn } from './drafts.ts';

test('what is written in a pod waits there, for whoever wrote it', () => {
  const [ada, ben] = [{}, {}];
  draftIn(ada, 'release').change((draft) => ({ ...draft, text: 'Ship it' }));
  expect(draftIn(ada, 'release').read().text).toBe('Ship it');
  expect(draftIn(ada, 'other').read()).toEqual(EMPTY_DRAFT);
  expect(draftIn(ben, 'release').read()).toEqual(EMPTY_DRAFT);
});

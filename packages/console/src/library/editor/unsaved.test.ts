import { beforeEach, describe, expect, test } from 'vitest';
import { searchOf } from './target.ts';
import { keepUnsaved, settleSaved, type UnsavedText, unsavedFor, unsavedTexts, whoIs } from './unsaved.ts';

const who = whoIs({ principal: 'ada', organisation: 'local' });
const text = (target: string, said: string): UnsavedText => ({
  ...{ who, project: 'atlas', target, name: 'a/A.md', path: 'a/A.md', description: 'why' },
  ...{ text: said, base: 'before', resource: 'rule' },
});
const item = { who, project: 'atlas', target: 'item:rule_1' };
const draft = { who, project: 'atlas', target: 'draft:draft_1' };

describe('an unsaved text', () => {
  beforeEach(() => unsavedTexts.change(() => []));

  test('is gone once it is saved as it is', () => {
    keepUnsaved(text('item:rule_1', 'written'));
    expect(settleSaved(item, 'written', 'draft_1')).toBe(true);
    expect(unsavedTexts.read()).toEqual([]);
  });

  test('keeps what was typed while it was saved, as a change of the draft', () => {
    keepUnsaved(text('item:rule_1', 'written, and more'));
    expect(settleSaved(item, 'written', 'draft_1')).toBe(false);
    expect(unsavedFor(unsavedTexts.read(), item)).toBe(undefined);
    const kept = { text: 'written, and more', base: 'written', description: '' };
    expect(unsavedFor(unsavedTexts.read(), draft)).toMatchObject(kept);
  });

  test('of a merge leads back to its draft, and is a change of it where one went on writing', () => {
    const merge = { ...draft, target: 'merge:draft_1' };
    keepUnsaved({ ...text('merge:draft_1', 'merged, and more'), draft: 'mine' });
    expect(searchOf('merge:draft_1', 'atlas').search).toEqual({ project: 'atlas', draft: 'draft_1' });
    expect(settleSaved(merge, 'merged', 'draft_1')).toBe(false);
    expect(unsavedFor(unsavedTexts.read(), draft)).not.toHaveProperty('draft');
  });

  test('is nobody else’s, also where they have the same name elsewhere', () => {
    keepUnsaved(text('item:rule_1', 'mine'));
    const other = whoIs({ principal: 'ada', organisation: 'other' });
    expect(unsavedFor(unsavedTexts.read(), { ...item, who: other })).toBe(undefined);
  });
});

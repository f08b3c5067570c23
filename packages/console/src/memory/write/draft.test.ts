import { expect, test } from 'vitest';
import { blankDraft, draftOf, givenOf, mergedDraft } from './draft.ts';

const item = { title: null, content: 'One.', kind: 'rule', project_id: 'p', tags: ['a'], source: 'adr/7' };

test('what is left empty is not given', () => {
  expect(givenOf({ ...blankDraft(undefined), content: 'Said.' })).toEqual({ content: 'Said.', kind: 'note' });
  expect(givenOf({ ...draftOf(item), tags: ' a, ,b ', valid_at: '2024-05-01' })).toEqual({
    ...{ content: 'One.', kind: 'rule', project: 'p', tags: ['a', 'b'], source: 'adr/7' },
    valid_at: '2024-05-01',
  });
});

test('a new version of what a session said does not claim to be of that session', () => {
  expect(draftOf({ ...item, source: 'infold://branch/br_1' }).source).toBe('');
});

test('a merge begins with everything once, in the one place that its parts share', () => {
  const parts = [
    item,
    { ...item, title: 'Two', content: ' Two. ', tags: ['a', 'b'] },
    { ...item, content: 'One. ' },
  ];
  expect(mergedDraft(parts)).toMatchObject({
    title: 'Two',
    content: 'One.\n\nTwo.',
    project: 'p',
    tags: 'a, b',
  });
  expect(mergedDraft([item, { ...item, project_id: 'q' }]).project).toBe('');
  expect(mergedDraft([])).toEqual(blankDraft(undefined));
});

import { expect, test } from 'vitest';
import { asksForFirst, changeIn, changeWords, isToGoOn, meansNow, purposeOf } from './purpose.ts';

test.each([
  ['Which library should I take for dates?', 'act'],
  ['Write me a function that reads the file.', 'act'],
  ['Was könnte ich am ersten Abend kochen?', 'act'],
  ['When did we move the blog?', 'recall'],
  ['Wie viel hat die Reise gekostet?', 'recall'],
  ['the retry policy of the gateway', undefined],
  ['What did we decide about the review?', 'recall'],
  ['Which fix was it that we had to add to the build?', 'recall'],
  ['the design review of the build', undefined],
  ['Review the plan, and fix what is wrong', 'act'],
  ['Where is the plan of the migration?', undefined],
  ['What should I cook, as we had rice yesterday?', 'act'],
  ['Was haben wir zur nächsten Prüfung beschlossen?', 'recall'],
] as const)('"%s" is to %s', (goal, purpose) => {
  expect(purposeOf(goal)).toBe(purpose);
});

test.each([
  ['In which order did the outages happen?', 'sequence'],
  ['Wie hat sich der Plan Schritt für Schritt verändert?', 'sequence'],
  ['What is the current price?', 'latest'],
  ['Wie viel Geld steht inzwischen bereit?', 'latest'],
  ['Who painted the kitchen?', undefined],
  ['How did the budget change?', 'sequence'],
  ['What did we try first, and what then?', 'sequence'],
  ['How did we fix the flaky test?', undefined],
  ['After how many days without an order is a customer gone?', undefined],
  ['Which port does the development server use?', undefined],
  ['What has to be done in order to release?', undefined],
] as const)('"%s" asks for %s', (goal, change) => {
  expect(changeIn(goal)).toBe(change);
});

test('going on with work is told from asking about something', () => {
  expect(isToGoOn('Resume work on the crawler import adapter')).toBe(true);
  expect(isToGoOn('Weitermachen mit dem Import')).toBe(true);
  expect(isToGoOn('How does the crawler import feeds?')).toBe(false);
  expect(isToGoOn('Where were we with the importer?')).toBe(true);
  expect(isToGoOn('Finish the importer')).toBe(true);
  expect(isToGoOn('What is the status of the work on the importer?')).toBe(true);
  expect(isToGoOn('Which HTTP status code does a missing branch get?')).toBe(false);
  expect(isToGoOn('Show a progress bar while files are read')).toBe(false);
  expect(isToGoOn('Welcher Stand der Technik gilt für offene Formate?')).toBe(false);
});

test('the words that only ask for change are told from those of the matter', () => {
  expect(changeWords('What is the memory limit of quoter at present?')).toEqual(['at present']);
  expect(changeWords('In which order did the outages happen?')).toEqual(['In which order']);
  expect(changeWords('Wie viel Geld steht inzwischen bereit?')).toEqual(['inzwischen']);
  expect(changeWords('Who sent the present?')).toEqual([]);
});

test('"today" is a day where something happened, and means "by now" otherwise', () => {
  expect(meansNow('How many machines does production have today?', 'today')).toBe(true);
  expect(meansNow('What did we decide today?', 'today')).toBe(false);
  expect(meansNow('How many machines does production have since Monday?', 'since Monday')).toBe(false);
});

test('how something was at first is told from how it is', () => {
  expect(asksForFirst('Which database did we originally choose?')).toBe(true);
  expect(asksForFirst('Welchen Anbieter hatten wir zuerst?')).toBe(true);
  expect(asksForFirst('What is the first line of the file?')).toBe(false);
  expect(asksForFirst('What did we try first, and what then?')).toBe(false);
  expect(asksForFirst('What is the budget now?')).toBe(false);
});

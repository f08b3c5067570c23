import { describe, expect, test } from 'vitest';
import { judgeChecks, staleEntries } from '../scripts/conformance-judge.mjs';

const expected = {
  fixtures: ['needs-fixtures'],
  not_applicable: [{ why: 'nobody asks', scenarios: ['asks-for-input'] }],
  failures: [
    { scenario: 'known', check: 'fails', why: 'on purpose' },
    { scenario: 'later', check: 'fails', why: 'on purpose', revision: '2026-07-28', server: 'program' },
  ],
};
const program = { server: 'program', revision: '2025-11-25' };
const fixtures = { server: 'fixtures', revision: '2025-11-25' };

/** What is said of one scenario in which the checks had these outcomes. */
function problemsOf(scenario: string, outcomes: Record<string, string>, run = program): string[] {
  const checks = Object.entries(outcomes).map(([id, status]) => ({ id, status, errorMessage: 'why' }));
  return judgeChecks([{ scenario, checks }], run, expected).problems;
}

describe('a run is as expected', () => {
  test.each([
    ['when all pass', 'any', { one: 'SUCCESS', two: 'SUCCESS' }],
    ['when something is only told or left out', 'any', { one: 'SUCCESS', two: 'INFO', three: 'SKIPPED' }],
    ['when what is known to fail fails', 'known', { fails: 'FAILURE' }],
    ['whatever happens where it does not apply', 'asks-for-input', { one: 'FAILURE' }],
    ['whatever the program does without the fixtures', 'needs-fixtures', { one: 'FAILURE' }],
  ])('%s', (_case, scenario, outcomes) => {
    expect(problemsOf(scenario, outcomes)).toEqual([]);
  });
});

describe('a run is not as expected', () => {
  test.each([
    ['when a check fails', 'any', { one: 'FAILURE' }, 'failure: any: one: why'],
    ['when a recommendation is not followed', 'any', { one: 'WARNING' }, 'failure: any: one: why'],
    ['when nothing was checked', 'any', { one: 'SKIPPED' }, 'nothing was checked: any'],
    ['when what is known to fail passes', 'known', { fails: 'SUCCESS' }, 'pass: known: fails'],
    [
      'when what is known to fail is not checked',
      'known',
      { one: 'SUCCESS' },
      'absence: known: fails was not checked',
    ],
    ['when what fails is known for another run', 'later', { fails: 'FAILURE' }, 'failure: later: fails: why'],
    [
      'when invalid messages are sent, in any scenario',
      'asks-for-input',
      { 'wire-schema-valid': 'FAILURE' },
      'failure: asks-for-input: wire-schema-valid: why',
    ],
  ])('%s', (_case, scenario, outcomes, problem) => {
    expect(problemsOf(scenario, outcomes)).toContain(problem);
  });

  test('when the fixtures are there and a check of theirs fails', () => {
    expect(problemsOf('needs-fixtures', { one: 'FAILURE' }, fixtures)).toContain(
      'failure: needs-fixtures: one: why',
    );
  });

  test('when nothing was run at all', () => {
    expect(judgeChecks([], program, expected).problems).toEqual(['the suite ran no scenario']);
  });
});

test('the worst outcome of a repeated check stands for all', () => {
  const checks = ['FAILURE', 'SUCCESS'].map((status) => ({ id: 'one', status }));
  const { problems } = judgeChecks([{ scenario: 'any', checks }], program, expected);
  expect(problems).toContainEqual(expect.stringMatching(/^failure: any: one/));
});

test('what is expected of scenarios that are gone is pointed out', () => {
  const seen = new Set(['needs-fixtures', 'asks-for-input', 'known']);
  expect(staleEntries(seen, expected)).toEqual([expect.stringContaining('later')]);
});

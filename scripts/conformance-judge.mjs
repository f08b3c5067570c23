/**
 * @typedef {{ id: string, status: string, errorMessage?: string }} Check
 * @typedef {{ scenario: string, checks: Check[] }} Scenario
 * @typedef {{ scenario: string, check: string, why: string, revision?: string }} Failure
 * @typedef {{ fixtures: { why: string, scenarios: string[] }[], failures: Failure[] }} Expected
 */

/**
 * Compares what the suite found with what was expected. Warnings count as failures: they are the recommendations
 * of the specification.
 *
 * @param {Scenario[]} scenarios
 * @param {string} revision
 * @param {Expected} expected
 */
export function judgeChecks(scenarios, revision, expected) {
  const fixtures = new Set(expected.fixtures.flatMap((group) => group.scenarios));
  const failures = expected.failures.filter((entry) => (entry.revision ?? revision) === revision);
  /** @type {string[]} */
  const lines = [];
  /** @type {string[]} */
  const problems = [];
  let skipped = 0;
  let total = 0;
  if (scenarios.length === 0) problems.push('the suite ran no scenario');

  for (const { scenario, checks } of scenarios.sort((one, other) =>
    one.scenario < other.scenario ? -1 : 1,
  )) {
    if (fixtures.has(scenario)) {
      skipped++;
      // What goes over the wire must be valid whatever the scenario wanted.
      for (const check of checks.filter((check) => check.id === 'wire-schema-valid' && failed(check))) {
        problems.push(`failure: ${scenario}: ${check.id}: ${check.errorMessage}`);
      }
      continue;
    }
    const verdicts = verdictsOf(checks);
    const excused = failures.filter((entry) => entry.scenario === scenario);
    const passes = [...verdicts.values()].filter((check) => check.status === 'SUCCESS').length;
    if (passes === 0 && excused.length === 0) problems.push(`nothing was checked: ${scenario}`);
    for (const check of verdicts.values()) {
      const known = excused.some((entry) => entry.check === check.id);
      if (failed(check) && !known) problems.push(`failure: ${scenario}: ${check.id}: ${check.errorMessage}`);
      if (check.status === 'SUCCESS' && known) problems.push(`pass: ${scenario}: ${check.id}`);
    }
    for (const entry of excused.filter((entry) => !verdicts.has(entry.check))) {
      problems.push(`absence: ${scenario}: ${entry.check} was not checked`);
    }
    total += passes;
    const known = [...verdicts.values()].filter(failed).length;
    lines.push(`${scenario}: ${passes} passed${known > 0 ? `, ${known} failed` : ''}`);
  }
  lines.push(`${total} checks passed; ${skipped} scenarios need the suite's own fixtures and do not count`);
  return { lines, problems };
}

/** @param {Check} check */
function failed(check) {
  return check.status === 'FAILURE' || check.status === 'WARNING';
}

/**
 * Ids repeat within a scenario; the worst outcome stands for all.
 *
 * @param {Check[]} checks
 */
function verdictsOf(checks) {
  const order = ['INFO', 'SKIPPED', 'SUCCESS', 'WARNING', 'FAILURE'];
  /** @type {Map<string, Check>} */
  const verdicts = new Map();
  for (const check of checks) {
    const earlier = verdicts.get(check.id);
    if (!earlier || order.indexOf(check.status) > order.indexOf(earlier.status))
      verdicts.set(check.id, check);
  }
  return verdicts;
}

/**
 * @typedef {{ id: string, status: string, errorMessage?: string }} Check
 * @typedef {{ scenario: string, checks: Check[] }} Scenario
 * @typedef {{ revision: string, server: string }} Run
 * @typedef {{ why: string, scenarios: string[] }} Group
 * @typedef {{ scenario: string, check: string, why: string, revision?: string, server?: string }} Failure
 * @typedef {{ fixtures: string[], not_applicable: Group[], failures: Failure[] }} Expected
 */

/**
 * Compares what the suite found with what was expected. Warnings count as failures: they are the recommendations
 * of the specification.
 *
 * @param {Scenario[]} scenarios
 * @param {Run} run
 * @param {Expected} expected
 */
export function judgeChecks(scenarios, run, expected) {
  const skipped = new Set([
    ...expected.not_applicable.flatMap((group) => group.scenarios),
    ...(run.server === 'fixtures' ? [] : expected.fixtures),
  ]);
  const failures = expected.failures.filter(
    ({ revision = run.revision, server = run.server }) => revision === run.revision && server === run.server,
  );
  /** @type {string[]} */
  const lines = [];
  /** @type {string[]} */
  const problems = [];
  let judged = 0;
  let total = 0;
  if (scenarios.length === 0) problems.push('the suite ran no scenario');

  for (const { scenario, checks } of scenarios.sort((one, other) =>
    one.scenario < other.scenario ? -1 : 1,
  )) {
    if (skipped.has(scenario)) {
      // What goes over the wire must be valid whatever the scenario wanted.
      for (const check of checks.filter((check) => check.id === 'wire-schema-valid' && failed(check))) {
        problems.push(`failure: ${scenario}: ${check.id}: ${check.errorMessage}`);
      }
      continue;
    }
    judged++;
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
  const left = scenarios.length - judged;
  lines.push(`${total} checks passed in ${judged} scenarios; ${left} do not apply here`);
  return { lines, problems };
}

/**
 * Scenarios that are named in what is expected and that no run has had: the suite has renamed or dropped them.
 *
 * @param {Set<string>} seen
 * @param {Expected} expected
 */
export function staleEntries(seen, expected) {
  const named = [
    ...expected.fixtures,
    ...expected.not_applicable.flatMap((group) => group.scenarios),
    ...expected.failures.map((entry) => entry.scenario),
  ];
  return [...new Set(named)]
    .filter((scenario) => !seen.has(scenario))
    .map((scenario) => `name: ${scenario} is expected, and the suite has no such scenario`);
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

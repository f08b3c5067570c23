import { isDeepStrictEqual } from 'node:util';
import { agentChecks } from './checks/agents.mjs';
import { branchChecks, sessionChecks } from './checks/branches.mjs';
import { keepingChecks } from './checks/keeping.mjs';

/**
 * Whether everybody says the same. Each check has a name, and one thing as several sources tell it; it holds when they
 * are equal. `facts` is what a run gathered, or a file that holds it: nothing here asks the system.
 */
export function checkAll(facts) {
  const { branches } = facts.analyst;
  return [
    ...branches.flatMap((branch) => branchChecks(facts, branch)),
    ...sessionChecks(facts),
    ...agentChecks(facts),
    ...keepingChecks(facts),
  ].map(([name, sources]) => ({ name, ok: agree(Object.values(sources)), sources }));
}

/** One source alone proves nothing, and neither does what nobody knows. */
function agree([first, ...others]) {
  const isKnown = first !== undefined && others.length > 0;
  return isKnown && others.every((other) => isDeepStrictEqual(other, first));
}

import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { runs } from '../../../../test/support/runs.ts';
import { hostNamed } from './histories.suite.ts';
import { randomScripts } from './testing/bench.suite.ts';
import { contentOf } from './testing/content.suite.ts';
import { costOfTrace, lastPromptShare } from './testing/cost.suite.ts';
import { TRACES } from './testing/traces.suite.ts';

const content = contentOf(fileURLToPath(new URL('../../../../', import.meta.url)));
/** Cents that come from rounding to the provider's steps. */
const ROUNDING = 1e-9;

const HOSTS = ['claude-code', 'codex', 'opencode-chat', 'gemini-cli-3'];

/** The short form of the benchmark `window-cost`, which has every trace. */
const CASES = [
  ['pure chat', 'claude-code'],
  ['a build that fails, then passes', 'claude-code'],
  ['analysis of records in branches', 'claude-code'],
  ['branches in branches, some rolled back', 'opencode-anthropic'],
  ['waiting for something', 'codex'],
  ['ends after a fold', 'codex'],
  ['records without branches', 'codex'],
  ['ends after two results were used', 'opencode-chat'],
  ['ends after a file was written anew', 'opencode-chat'],
  ['exploring a JSON API', 'qwen-code'],
  ['with tools that come', 'gemini-cli-2.5'],
  ['with subagents', 'gemini-cli-3'],
  ['gone back and forked', 'claude-code'],
  ['ends when the tests pass', 'gemini-cli-3'],
  ['with other models in between', 'codex'],
  ['refactoring with many reads', 'claude-code'],
] as const;

describe('what a conversation costs through the door', () => {
  verifies('WIN-05');

  test.each(CASES)('%s in %s: never more than as it came, after any turn', (name, host) => {
    const { worst, turnsTaken } = costOfTrace(TRACES.get(name)!(content), hostNamed(host));
    expect(worst.ratio, JSON.stringify(turnsTaken[worst.turn - 1])).toBeLessThanOrEqual(1 + ROUNDING);
  });

  test.each(HOSTS)('conversations at random in %s: never more than as they came, after any turn', (name) => {
    const host = hostNamed(name);
    for (const script of randomScripts(content, host, runs(20), 11)) {
      const { worst, turnsTaken } = costOfTrace(script, host);
      const told = `${script.name}: ${JSON.stringify(turnsTaken[worst.turn - 1])}`;
      expect(worst.ratio, told).toBeLessThanOrEqual(1 + ROUNDING);
    }
  });

  test.each(HOSTS)('little is left of branches and records in %s', (name) => {
    const host = hostNamed(name);
    const { sent, untouched } = lastPromptShare(
      costOfTrace(TRACES.get('branch and records')!(content), host),
      host,
    );
    expect(sent / untouched).toBeLessThanOrEqual(0.15);
  });
});

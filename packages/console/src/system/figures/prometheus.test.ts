import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseMetrics, total } from './prometheus.ts';

const TEXT = `# HELP infold_tool_calls_total Tool calls by tool and outcome
# TYPE infold_tool_calls_total counter
infold_tool_calls_total{tool="infold_status",outcome="ok"} 12
infold_tool_calls_total{tool="context_branch",outcome="error"} 3 1794805483000

# TYPE infold_tool_call_seconds histogram
infold_tool_call_seconds_bucket{le="+Inf",tool="infold_status"} 12
infold_journal_head 41
process_start_time_seconds 1.79480548e9
odd NaN
broken line without a value
infold_journal_head{tool="x" 1
`;

describe('the text of /metrics', () => {
  test('is read sample by sample', () => {
    const samples = parseMetrics(TEXT);
    expect(samples[0]).toEqual({
      name: 'infold_tool_calls_total',
      labels: { tool: 'infold_status', outcome: 'ok' },
      value: 12,
    });
    expect(samples).toHaveLength(6);
    expect(total(samples, 'process_start_time_seconds')).toBe(1_794_805_480);
    expect(total(samples, 'odd')).toBeNaN();
  });

  test('has values that are no number of ours', () => {
    const [up, down] = parseMetrics('a +Inf\nb -Inf').map(({ value }) => value);
    expect([up, down]).toEqual([Infinity, -Infinity]);
  });

  test('is summed by name and labels, and says where there is nothing', () => {
    const samples = parseMetrics(TEXT);
    expect(total(samples, 'infold_tool_calls_total')).toBe(15);
    expect(total(samples, 'infold_tool_calls_total', ({ outcome }) => outcome === 'error')).toBe(3);
    expect(total(samples, 'infold_model_answers_total')).toBeUndefined();
    expect(total(samples, 'infold_tool_calls_total', () => false)).toBeUndefined();
  });

  test('gives labels as they were, whatever is in them', () => {
    const escaped = (text: string) =>
      text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.double({ noNaN: true }), (label, value) => {
        const line = `a_total{one="${escaped(label)}",two="}"} ${value === Infinity ? '+Inf' : value === -Infinity ? '-Inf' : value}`;
        // A carriage return ends no line in this format, and is no reason to lose what follows.
        expect(parseMetrics(line)).toEqual([
          {
            name: 'a_total',
            labels: { one: label, two: '}' },
            value: value === 0 ? expect.closeTo(0) : value,
          },
        ]);
      }),
    );
  });

  test('is never a reason to throw', () => {
    fc.assert(fc.property(fc.string(), (text) => Array.isArray(parseMetrics(text))));
  });
});

import type { ToolAnswer } from '../entries.ts';
import type { McpConnection } from './connection.ts';

const PAGES = 3;
const TITLES = ['Fixed a page', 'Compared two models', 'Called a customer'];

const say = (text: string, more: object = {}): ToolAnswer => ({ content: [{ type: 'text', text }], ...more });

/** A server that answers as the reclassify workflow needs it: three pages of 15. */
export function fakeServer(): McpConnection & { calls: string[]; fail(times: number, how?: 'throw'): void } {
  const calls: string[] = [];
  let failures = 0;
  let isThrown = false;
  const answers: Record<string, (input: Record<string, unknown>) => ToolAnswer> = {
    get_workflow_step: () =>
      say('## Steps', {
        _meta: {
          contextHints: [
            { tool: 'search_records', lifecycle: 'transient', consumedBy: 'store_analysis_memory' },
          ],
        },
      }),
    search_records: ({ page }) => {
      const records = Array.from({ length: 15 }, (_, index) => ({
        id: Number(page) * 100 + index,
        title: TITLES[index % 3]!,
        category: 'AI',
      }));
      return say(JSON.stringify(records), {
        structuredContent: { records, pagination: { page, total_pages: PAGES } },
        _meta: {
          'infold/handle': `rs_${page}`,
          context: { lifecycle: 'transient', summary: `15 records (page ${page}/${PAGES})` },
        },
      });
    },
    store_analysis_memory: () => say('Stored.', { _meta: { context: { consumed: true } } }),
  };
  return {
    tools: [],
    calls,
    fail(times, how) {
      failures = times;
      isThrown = how === 'throw';
    },
    end() {},
    async call(name, input) {
      calls.push(name);
      await Promise.resolve();
      if (failures > 0) {
        failures--;
        if (isThrown) throw new Error('The line is dead');
        return say('The records are being rebuilt', { isError: true });
      }
      return answers[name]!(input);
    },
  };
}

import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { describe, expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { createRegistry } from '../../cli/services/registry.ts';
import { DOORS } from '../../kernel/config.ts';
import { testConfig } from '../../testing/fixtures.suite.ts';
import {
  PROJECT,
  publish,
  RECLASSIFY,
  type Reader,
  type Started,
  startServer,
} from '../../transient/fixture.suite.ts';
import type { CallResult } from '../tools/call.ts';

/**
 * What a model sees of a result. Claude Code and Codex show it the data alone, OpenCode and Gemini CLI the text
 * alone, and nobody `_meta`.
 */
const VIEWS = {
  'that is shown the text': ({ content }: CallResult) => content[0].text,
  'that is shown the data': ({ structuredContent }: CallResult) => JSON.stringify(structuredContent),
};

interface Row {
  /** What was called before; its answer can be named in the input. */
  input: (reader: Reader) => Promise<Record<string, unknown>> | Record<string, unknown>;
  /** What a model must read in the answer. */
  says: string[];
}

const project_path = PROJECT;
const branched = async (reader: Reader) => {
  const { branch_id } = await reader.call<{ branch_id: string }>('context_branch', {
    description: 'Look at the cart',
    prompt: 'Read src/cart.ts and find why it is empty',
    project_path,
  });
  return branch_id;
};
const setUp = (reader: Reader) => reader.call('memory.setup', { session_id: 'thread-1' });
const ruleId = async (reader: Reader) => {
  await setUp(reader);
  const { items } = await reader.call<{ items: { id: string }[] }>('memory.discover', {
    session_id: 'thread-1',
    query: 'naming',
  });
  return items[0]!.id;
};
const inThread = { session_id: 'thread-1' };
const findings = [{ finding: 'Order 7 is late', category: 'delay', metadata: { days: 3 } }];

/** A tool without a row fails the test below. */
const ROWS: Record<string, Row> = {
  infold_status: { input: () => ({}), says: ['organisation', 'contextLimit'] },
  context_branch: {
    input: () => ({ description: 'Look', prompt: 'Look at the cart', project_path }),
    says: ['branch_id', 'session_id', 'total_tokens'],
  },
  context_return: {
    input: async (reader) => {
      await branched(reader);
      return { message: 'The cart loses its session', project_path };
    },
    says: ['tokens_saved', 'dropped', 'src/cart.ts'],
  },
  context_branch_status: { input: () => ({ project_path }), says: ['usage_percent', 'branch_path'] },
  context_list_branches: {
    input: async (reader) => {
      await branched(reader);
      return { project_path };
    },
    says: ['Look at the cart', 'active_branches'],
  },
  context_rollback: {
    input: async (reader) => {
      await branched(reader);
      return { project_path, branch_id: 'main' };
    },
    says: ['branches_discarded', 'tokens_recovered'],
  },
  context_expand: {
    input: async (reader) => ({ handle: await branched(reader) }),
    says: ['find why it is empty', 'total_pages'],
  },
  'memory.setup': { input: () => inThread, says: ['workspaceId', 'mpf'] },
  'memory.discover': {
    input: async (reader) => {
      await setUp(reader);
      return { ...inThread, query: 'naming' };
    },
    says: ['coding/STYLE.md', 'hash'],
  },
  'memory.load': {
    input: async (reader) => {
      const id = await ruleId(reader);
      return { ...inThread, ids: [id], knownHashes: { [id]: '' } };
    },
    says: ['Use whole words', 'say so before you finish: memory.refer', 'Naming/1'],
  },
  'memory.refer': {
    input: async (reader) => ({
      ...inThread,
      refs: [{ ruleId: await ruleId(reader), constraintId: 'Naming/1' }],
    }),
    says: ['count', 'has not loaded'],
  },
  'memory.submit': {
    input: async (reader) => {
      await setUp(reader);
      return { ...inThread, summary: 'Done' };
    },
    says: ['ok'],
  },
  'memory.reject': {
    input: async (reader) => {
      await setUp(reader);
      return inThread;
    },
    says: ['ok'],
  },
  draft: {
    input: async (reader) => {
      await setUp(reader);
      const body = '# Tests\n\n## Order\n\n- First the failing one\n';
      return { ...inThread, resource: 'rule', op: { create: { path: 'coding/TESTS.md', body } } };
    },
    says: ['draft_path'],
  },
  context: {
    input: async (reader) => {
      await reader.call('remember', { content: 'The cart is kept in Redis', kind: 'decision' });
      return { goal: 'Where is the cart kept?' };
    },
    says: ['The cart is kept in Redis'],
  },
  remember: {
    input: () => ({ content: 'Never deploy on Fridays', kind: 'rule' }),
    says: ['mem_', 'conflicts'],
  },
  synthesis_plan: {
    input: async (reader) => {
      await reader.call('remember', { content: 'The cart is kept in Redis', kind: 'decision' });
      return { goal: 'Describe the cart' };
    },
    says: ['The cart is kept in Redis', 'gaps'],
  },
  search_records: { input: () => ({ model: 'activity' }), says: ['total_pages', 'handle'] },
  find_records: { input: () => ({ model: 'activity', record_id: 72 }), says: ['"id":72'] },
  scratch_read: {
    input: async (reader) => {
      const { scratch_ref } = await reader.call<{ scratch_ref: string }>('search_records', {
        model: 'activity',
        lean: true,
      });
      return { ref: scratch_ref };
    },
    says: ['records', 'total_pages'],
  },
  store_analysis_memory: {
    input: () => ({ analysis_id: 'late', findings }),
    says: ['Stored 1 analysis finding(s)', 'fnd_'],
  },
  recall_analysis_memories: {
    input: async (reader) => {
      await reader.call('store_analysis_memory', { analysis_id: 'late', findings });
      return { analysis_id: 'late' };
    },
    says: ['Order 7 is late', 'delay', '{"days":3}'],
  },
  clear_analysis_memories: {
    input: async (reader) => {
      await reader.call('store_analysis_memory', { analysis_id: 'late', findings });
      return { analysis_id: 'late' };
    },
    says: ['Cleared 1 finding(s)'],
  },
  get_workflow_step: {
    input: () => ({ workflow: 'reclassify', step: 2 }),
    says: ['Do not stop at a sample', 'you MUST call get_workflow_step'],
  },
  suggest_workflow: {
    input: () => ({ goal: 'sing' }),
    says: ['reclassify', 'Call get_workflow_step(workflow, step: 1) to begin one.'],
  },
  pod_send: { input: () => ({ text: 'Hello' }), says: ['seq', 'msg_'] },
  pod_read: {
    input: async (reader) => {
      await reader.call('pod_send', { text: 'The build is green' });
      return { wait_seconds: 2 };
    },
    says: ['The build is green', 'next'],
  },
  pod_contexts: { input: () => ({}), says: ['contexts'] },
};

const STYLE = '# Code style\n\n## Naming\n\n- Use whole words\n';

async function shop(): Promise<Started> {
  const started = await startServer({ toolsets: [...DOORS] });
  await publish(started.services, 'workflow/RECLASSIFY.md', RECLASSIFY);
  await publish(started.services, 'coding/STYLE.md', STYLE);
  onTestFinished(() => started.services.settle());
  return started;
}

const registry = createRegistry(testConfig({ toolsets: [...DOORS] }));

test('every tool has a row', () => {
  expect(Object.keys(ROWS).sort()).toEqual(registry.tools.map(({ name }) => name).sort());
});

describe.each(Object.entries(ROWS))('%s', (name, row) => {
  test('says what is needed, and what is to be known beside it, once to each model', async () => {
    verifies('KERN-07');
    const { reader } = await shop();
    const result = await reader.result(name, { ...(await row.input(reader)), made_up: 1 });
    expect(result, result.content[0]?.text).toMatchObject({ isError: false });
    const { outputSchema } = registry.list('seed').find((tool) => tool.name === name)!;
    const validate = new AjvJsonSchemaValidator().getValidator(outputSchema as object);
    expect(validate(result.structuredContent)).toMatchObject({ valid: true });
    for (const [model, see] of Object.entries(VIEWS)) {
      const seen = see(result).replaceAll('\\"', '"');
      for (const words of row.says) expect(seen, `a model ${model}`).toContain(words);
      const [, ...rest] = seen.split('Ignored unknown argument "made_up"');
      expect(rest, `a model ${model}`).toHaveLength(1);
    }
  });
});

import { generateText, jsonSchema, type ModelMessage, stepCountIs, tool } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { FETCH, page, STORE, step, stored, summaryOf } from '../collapse/fixtures.suite.ts';
import { createCollapser, type Warning } from '../index.ts';
import { prepareStep, projectAiSdk } from './ai-sdk.ts';

type Generated = Awaited<ReturnType<MockLanguageModelV3['doGenerate']>>;

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A model that calls these tools one after the other, then answers. */
function scripted(...tools: string[]) {
  const answers = [...tools, undefined].map((toolName, index): Generated => {
    const call = {
      type: 'tool-call' as const,
      toolCallId: `call_${index}`,
      toolName: toolName ?? '',
      input: '{}',
    };
    return {
      content: toolName ? [call] : [{ type: 'text', text: 'Done.' }],
      finishReason: { unified: toolName ? 'tool-calls' : 'stop', raw: undefined },
      usage,
      warnings: [],
    };
  });
  return new MockLanguageModelV3({ doGenerate: answers });
}

const answering = (answer: () => object) =>
  tool({ inputSchema: jsonSchema<object>({ type: 'object' }), execute: async () => answer() });

describe('prepareStep', () => {
  test('lets a real generateText observe and collapse by itself', async () => {
    verifies('TCP-16');
    const warnings: Warning[] = [];
    const collapser = createCollapser({ onWarning: (warning) => warnings.push(warning) });
    const model = scripted('get_workflow_step', FETCH, 'mine', STORE);
    const { steps, text } = await generateText({
      model,
      prompt: 'Reclassify.',
      tools: {
        get_workflow_step: answering(() => step()),
        [FETCH]: answering(() => page(1)),
        [STORE]: answering(() => stored()),
        mine: answering(() => ({ lifecycle: 'transient' })),
      },
      stopWhen: stepCountIs(10),
      prepareStep: prepareStep(collapser, { serverOf: (name) => (name === 'mine' ? undefined : 'infold') }),
    });
    expect(text).toBe('Done.');
    expect(steps).toHaveLength(5);
    const prompts = model.doGenerateCalls.map(({ prompt }) => JSON.stringify(prompt));
    expect(prompts[2]).toContain('unsorted');
    expect(prompts[4]).not.toContain('unsorted');
    expect(prompts[4]).toContain(summaryOf(1));
    expect(collapser.stats()).toMatchObject({ results: 3, collapsed: 1, turns: 5 });
    expect(warnings).toEqual([]);
  });

  test('observes a tool under its server’s name for it, where the application has another', () => {
    const collapser = createCollapser();
    const prepare = prepareStep(collapser, {
      serverOf: () => 'infold',
      nameOf: (name) => ({ look: FETCH, keep: STORE, next: 'get_workflow_step' })[name] ?? name,
    });
    const results = [
      { toolCallId: 'a', toolName: 'next', input: {}, output: step() },
      { toolCallId: 'b', toolName: 'look', input: {}, output: page(1) },
      { toolCallId: 'c', toolName: 'keep', input: {}, output: stored() },
    ];
    prepare({ steps: [{ toolResults: results }], messages: [] });
    expect(collapser.state().results.map(({ tool, phase }) => `${tool} ${phase}`)).toContain(
      `${FETCH} collapsed`,
    );
  });

  test('without a server only projects', () => {
    const collapser = createCollapser();
    const messages: ModelMessage[] = [{ role: 'user', content: 'hi' }];
    const toolResults = [{ toolCallId: 'a', toolName: FETCH, input: {}, output: page(1) }];
    expect(prepareStep(collapser)({ steps: [{ toolResults }], messages })).toEqual({ messages });
    expect(collapser.stats().results).toBe(0);
  });
});

test.each([
  [{ type: 'error-text', value: page(1).content[0]!.text }],
  [{ type: 'error-json', value: [page(1).content[0]!.text] }],
  [{ type: 'execution-denied', reason: page(1).content[0]!.text }],
] as const)('an output that is an error stays in full: %o', (output) => {
  const collapser = createCollapser();
  collapser.observe({ server: 's', tool: 'get_workflow_step', callId: 'w', result: step() });
  collapser.observe({ server: 's', tool: FETCH, callId: 'a', result: page(1) });
  collapser.observe({ server: 's', tool: STORE, callId: 'b', result: stored() });
  const part = { type: 'tool-result' as const, toolCallId: 'a', toolName: FETCH };
  const approval = { type: 'tool-approval-response' as const, approvalId: 'x', approved: true };
  const denied = { role: 'tool', content: [{ ...part, output }, approval] } as unknown as ModelMessage;
  expect(projectAiSdk(collapser, [denied])[0]).toBe(denied);
  const options = { anthropic: { cacheControl: { type: 'ephemeral' } } };
  const value = page(1).content[0]!.text;
  const full: ModelMessage = {
    role: 'tool',
    content: [
      { ...part, output: { type: 'text', value, providerOptions: options }, providerOptions: options },
      approval,
    ],
  };
  expect(projectAiSdk(collapser, [full])).toEqual([
    {
      role: 'tool',
      content: [
        {
          ...part,
          output: { type: 'text', value: summaryOf(1), providerOptions: options },
          providerOptions: options,
        },
        approval,
      ],
    },
  ]);
});

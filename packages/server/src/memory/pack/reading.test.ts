import { CONTEXT_LAYERS, type ContextPack, contextOutput } from '@infold/protocol';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { countTokens } from '../../kernel/tokens/count.ts';
import type { CallResult } from '../../mcp/tools/call.ts';
import { idsOf, itemsOf, type MemoryAgent, startMemory } from '../fixture.suite.ts';

/** What the model of a client reads of a result. */
const CLIENTS = {
  'a client that shows the text': { name: 'opencode', reads: textOf },
  'Claude Code': { name: 'claude-code', reads: dataOf },
  Codex: { name: 'codex-mcp-client', reads: dataOf },
  'Qwen Code': { name: 'qwen-cli-mcp-client-infold', reads: bothOf },
};
const DEFAULTS = { wake: 1500, recall: 4000, deep_search: 8000 };

function textOf({ content }: CallResult): string {
  return content[0]!.text;
}

function dataOf({ structuredContent }: CallResult): string {
  return JSON.stringify(structuredContent);
}

function bothOf(result: CallResult): string {
  return textOf(result) === dataOf(result) ? textOf(result) : dataOf(result) + textOf(result);
}

const occurrences = (text: string, part: string) => text.split(part).length - 1;
const packOf = (result: CallResult) => result.structuredContent as unknown as ContextPack;

/** Sixty long notes, with the sentence that makes each of them match somewhere in its midst. */
async function fill(agent: MemoryAgent): Promise<void> {
  const filler = (index: number) =>
    `Nothing but words about the weather of day ${index} stands here. `.repeat(12);
  await agent.import(
    Array.from({ length: 60 }, (_, index) => ({
      content: `${filler(index)}The crawler adapter number ${index} splits its feed into pages. ${filler(index)}`,
      kind: index % 3 === 0 ? 'decision' : 'note',
      ...(index % 2 === 0 ? { title: `Adapter ${index}` } : {}),
      source: `docs/adapters/${index}.md`,
      metadata: { reviewed_by: 'somebody', remarks: 'a remark that nobody needs '.repeat(5) },
    })),
  );
}

describe.each(Object.entries(CLIENTS))('the model of %s', (_title, { name, reads }) => {
  const startAs = async () => {
    const { agent } = await startMemory();
    agent.client = { name, version: '1' };
    return agent;
  };

  test.each(CONTEXT_LAYERS)('reads no more than the default of layer %s', async (layer) => {
    verifies('PACK-13');
    const agent = await startAs();
    await fill(agent);
    const result = await agent.result('context', {
      goal: 'how does the crawler adapter split a feed',
      layer,
    });
    const read = reads(result);
    const tokens = countTokens(read);
    expect(tokens).toBeLessThanOrEqual(DEFAULTS[layer]);
    // A budget is there to be used.
    expect(tokens).toBeGreaterThan(DEFAULTS[layer] * 0.8);
    expect(contextOutput.strict().parse(packOf(result))).toEqual(packOf(result));
    expect(packOf(result).total_items).toBeGreaterThan(layer === 'wake' ? 2 : 8);
  });

  test('reads each item once, with the sentence that matched', async () => {
    verifies('PACK-13');
    const agent = await startAs();
    await fill(agent);
    const result = await agent.result('context', { goal: 'how does the crawler adapter split a feed' });
    const shown = itemsOf(packOf(result)).filter(({ id }) => reads(result).includes(id));
    expect(shown.length).toBeGreaterThan(8);
    for (const { source } of shown) {
      const number = /\d+/.exec(source!)![0];
      expect(occurrences(reads(result), `The crawler adapter number ${number} splits its feed`)).toBe(1);
    }
  });

  test('reads short items once, also where they are related to each other', async () => {
    const agent = await startAs();
    const bodies = Array.from({ length: 20 }, (_, index) => `Comet ${index} was seen over the lake.`);
    let before: string | undefined;
    for (const content of bodies) {
      const relations = before === undefined ? [] : [{ type: 'supports', id: before }];
      before = (await agent.remember(content, { relations })).id;
    }
    const result = await agent.result('context', { goal: 'comets seen over the lake' });
    expect(packOf(result).total_items).toBe(20);
    for (const body of bodies) expect(occurrences(reads(result), body), body).toBe(1);
  });

  test('keeps to a budget that was asked for, and reads what it cost', async () => {
    verifies('PACK-13');
    const agent = await startAs();
    await fill(agent);
    let previous = 0;
    for (const token_budget of [300, 500, 1000, 2000, 6000]) {
      const result = await agent.result('context', { goal: 'crawler adapter feed', token_budget, limit: 20 });
      expect(countTokens(reads(result)), `budget ${token_budget}`).toBeLessThanOrEqual(token_budget);
      const { total_items } = packOf(result);
      expect(total_items).toBeGreaterThanOrEqual(previous);
      previous = total_items;
      if (total_items < 20) {
        expect(reads(result)).toContain(`left out ${20 - total_items} items`);
        expect(packOf(result).notices!.join()).toContain(`left out ${20 - total_items} items`);
        expect(packOf(result).markdown).toContain(`left out ${20 - total_items} items`);
      }
    }
    expect(previous).toBeGreaterThan(10);
  });

  test('counts what else it is told', async () => {
    const agent = await startAs();
    await fill(agent);
    const misspelt = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`mistake_${index}`, true]));
    const result = await agent.result('context', {
      goal: 'crawler adapter',
      token_budget: 1500,
      ...misspelt,
    });
    expect(reads(result)).toContain('mistake_8');
    expect(countTokens(reads(result))).toBeLessThanOrEqual(1500);
  });
});

describe('format', () => {
  test('compact has every field, with bodies in the Markdown alone', async () => {
    verifies('PACK-02');
    const { agent } = await startMemory();
    await agent.remember('We rotate refresh tokens on every use.', { title: 'Rotation', kind: 'decision' });
    const full = await agent.context('refresh token rotation', { format: 'full' });
    const compact = await agent.context('refresh token rotation', { format: 'compact' });
    expect(Object.keys(compact)).toEqual(Object.keys(full));
    const [[whole], [short]] = [itemsOf(full), itemsOf(compact)];
    expect(Object.keys(short!)).toEqual(Object.keys(whole!));
    expect(Object.keys(short!.quality)).toEqual(Object.keys(whole!.quality));
    expect(short).toMatchObject({ id: whole!.id, name: 'Rotation', content: '', reason: whole!.reason });
    expect(whole!.content).toBe('We rotate refresh tokens on every use.');
    expect(compact.markdown).toBe(full.markdown);
  });

  test('is full for a client that is not known, whose text is the Markdown', async () => {
    verifies('PACK-02');
    const { agent } = await startMemory();
    await fill(agent);
    const result = await agent.result('context', { goal: 'crawler adapter feed' });
    expect(textOf(result)).toBe(packOf(result).markdown);
    for (const { content } of itemsOf(packOf(result))) expect(content.length).toBeGreaterThan(1400);
  });

  test('full data hold all that the limit allows, unless a budget was asked for', async () => {
    verifies('PACK-01', 'PACK-13');
    const { agent } = await startMemory();
    await fill(agent);
    const input = { goal: 'crawler adapter feed', limit: 50 };
    const usual = await agent.context(input.goal, input);
    expect(usual.total_items).toBe(50);
    expect(countTokens(usual.markdown)).toBeLessThanOrEqual(4000);
    expect(usual.notices!.join()).toMatch(/left out \d+ items/);
    const budgeted = await agent.context(input.goal, { ...input, token_budget: 4000 });
    expect(budgeted.total_items).toBeLessThan(50);
    for (const id of idsOf(budgeted)) expect(budgeted.markdown).toContain(id);
  });

  test('full, asked for by a client that shows the data, holds the budget for all of the data', async () => {
    const { agent } = await startMemory();
    await fill(agent);
    agent.client = { name: 'claude-code', version: '1' };
    const result = await agent.result('context', { goal: 'crawler adapter feed', format: 'full' });
    expect(countTokens(dataOf(result))).toBeLessThanOrEqual(4000);
    expect(itemsOf(packOf(result))[0]!.content).toContain('splits its feed');
  });

  test('compact data that cannot fit are refused, with what to do', async () => {
    verifies('PACK-13');
    const { agent } = await startMemory();
    const refusal = await agent.refusal('context', { goal: 'x', format: 'compact', token_budget: 20 });
    expect(refusal).toMatchObject({
      code: 'invalid_arguments',
      error: expect.stringContaining('token_budget'),
    });
  });

  test('a goal of the greatest length leaves room for what it is about', async () => {
    const { agent } = await startMemory();
    await fill(agent);
    const goal = 'crawler adapter feed '.repeat(700);
    const compact = await agent.context(goal, { format: 'compact' });
    expect(countTokens(JSON.stringify(compact))).toBeLessThanOrEqual(4000);
    expect(compact.total_items).toBeGreaterThan(5);
  });
});

test('an excerpt begins at the sentence that says what was searched for', async () => {
  const { agent } = await startMemory();
  await fill(agent);
  const { markdown } = await agent.context('crawler adapter feed', { token_budget: 1000 });
  const bodies = markdown.split('\n').filter((line) => line.includes('crawler adapter number'));
  expect(bodies.length).toBeGreaterThan(2);
  for (const body of bodies) expect(body).toMatch(/^ {2}(… )?(The crawler adapter|Nothing but words)/);
});

test('the budgets of the layers can be configured', async () => {
  const { agent, services } = await startMemory();
  await fill(agent);
  agent.services.config.limits = { ...services.config.limits, recallTokens: 700 };
  expect(countTokens((await agent.context('crawler adapter feed')).markdown)).toBeLessThanOrEqual(700);
});

describe('deep_search', () => {
  test('follows relations further than recall, and says how far it looked', async () => {
    verifies('PACK-03', 'PACK-05');
    const { agent } = await startMemory();
    const far = await agent.remember('Zinc plates corrode.', { title: 'Corrosion' });
    const between = await agent.remember('Gutters are checked in spring.', {
      title: 'Gutters',
      relations: [{ type: 'requires', id: far.id }],
    });
    const near = await agent.remember('The roof leaks.', {
      relations: [{ type: 'supports', id: between.id }],
    });
    const pack = (layer: string) => agent.context('why does the roof leak', { layer });
    const recall = await pack('recall');
    const deep = await pack('deep_search');
    expect(idsOf(recall).sort()).toEqual([near.id, between.id].sort());
    expect(idsOf(deep).sort()).toEqual([near.id, between.id, far.id].sort());
    const related = (of: ContextPack) =>
      itemsOf(of)
        .find(({ id }) => id === near.id)!
        .related.map(({ id, distance, relationship }) => [id, distance, relationship]);
    expect(related(recall)).toEqual([[between.id, 1, 'supports']]);
    expect(related(deep)).toEqual([
      [between.id, 1, 'supports'],
      [far.id, 2, 'requires'],
    ]);
    expect(recall.markdown).toContain('looked at 1 of 3 passages, followed relations one step');
    expect(deep.markdown).toContain('followed relations 2 steps');
  });

  test('reads more of what there is than recall', async () => {
    verifies('PACK-03');
    const { agent } = await startMemory();
    await agent.import(
      Array.from({ length: 1500 }, (_, index) => ({
        content: `Heron ${index} stood by the pond in the morning`,
      })),
    );
    const looked = async (layer: string) => {
      const { markdown } = await agent.context('which heron stood by the pond in the morning', { layer });
      return Number(/looked at (\d+) of 1500 passages/.exec(markdown)![1]);
    };
    const [wake, recall, deep] = [await looked('wake'), await looked('recall'), await looked('deep_search')];
    expect(wake).toBeLessThan(recall);
    expect(recall).toBeLessThan(deep);
  });
});

describe('query', () => {
  test.each([
    ['Please tell me what was said about refresh-token rotation?', undefined, 'refresh-token rotation'],
    ['help agents build faster', 'agent-memory', 'help agents build faster agent-memory'],
    ['Why did ERR_CONN_RESET_0x7f31 come up in proxy.ts?', undefined, 'ERR_CONN_RESET_0x7f31 come proxy.ts'],
    ['what did Ada say about the kiln last week', undefined, 'Ada kiln last week'],
    ['what is it', undefined, ''],
  ])('of "%s" is what was searched for', async (goal, domain, expected) => {
    verifies('PACK-02');
    const { agent } = await startMemory();
    await agent.remember('The kiln is hot.', { author: 'Ada', at: '2026-01-02' });
    expect((await agent.context(goal, { domain })).query).toBe(expected);
  });
});

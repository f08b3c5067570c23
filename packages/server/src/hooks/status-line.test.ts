import { describe, expect, test } from 'vitest';
import { PROJECT, words } from '../fold/fixture.suite.ts';
import { countTokensOf } from '../kernel/tokens/count.ts';
import { HOUR } from '../testing/fixtures.suite.ts';
import { localOwner } from '../trust/identity/caller.ts';
import { askedWith, Talk } from '../window/fixture.suite.ts';
import { HookReceiver } from './delivery/receive.ts';
import { HOST_SESSION, startHost } from './host.suite.ts';
import { STATUS_LINE, statusFigures } from './status-line.ts';

const told = { session_id: HOST_SESSION, cwd: PROJECT };

describe('the figures of a status line', () => {
  test('are the open branch, who is at work, and what folds took out of sight', async () => {
    const { host, agent, services, clock } = await startHost();
    const figures = () => statusFigures(services, localOwner, told);
    expect(figures()).toEqual({});
    const { branch_id: outer } = await agent.branch('outer', words(10));
    const { branch_id: inner } = await agent.branch('inner', words(30));
    await host.tell({ kind: 'subagent-start', agent: 'a1', type: 'Plan' });
    expect(figures()).toEqual({ branch: { id: inner, description: 'inner', depth: 2 }, subagents: 1 });
    await host.tell({ kind: 'session-end' });
    await agent.fold(words(4));
    expect(figures()).toEqual({ branch: { id: outer, description: 'outer', depth: 1 }, saved: 26 });
    await agent.fold(words(2));
    // The inner one's 30 became 4, which went with the outer one's 10 and became 2.
    expect(figures()).toEqual({ saved: 38 });
    clock.advance(25 * HOUR);
    expect(figures()).toEqual({});
  });

  test('count what was shortened where it arose, and nothing of what subagents did', async () => {
    const { host, agent, services } = await startHost();
    const figures = () => statusFigures(services, localOwner, told);
    host.connect();
    const records = JSON.stringify(Array.from({ length: 200 }, (_, id) => ({ id, state: 'open' })));
    const curl = { input: { command: 'curl -s localhost' }, output: records, isReplaceable: true };
    const shortened = async (around = {}) => {
      const { output } = await host.tool(curl, around);
      return (await countTokensOf(records)) - (await countTokensOf(output!));
    };
    const first = await shortened();
    expect(figures()).toEqual({ saved: first });
    await host.tell({ kind: 'subagent-start', agent: 'a1', type: 'Plan' });
    expect(await shortened({ agent: 'a1' })).toBeGreaterThan(0);
    await host.tell({ kind: 'subagent-stop', agent: 'a1', type: 'Plan', lastMessage: 'done' });
    expect(host.branch('Subagent Plan')).toMatchObject({ status: 'folded' });
    expect(figures()).toEqual({ saved: first });
    await agent.branch('b', words(10));
    const second = await shortened();
    await agent.fold(words(2));
    const folded = host.branch('b').tokens_folded!;
    expect(figures()).toEqual({ saved: first + second + folded - 2 });
  });

  test('are what the window door spared the model, where it serves the session', async () => {
    const { agent, services } = await startHost();
    await agent.branch('b', words(100));
    await agent.fold('done');
    const talk = await Talk.begin(services.journal, { host_session: HOST_SESSION });
    for (const sent of [900, 700]) await talk.ask(askedWith({ tokens: { asked: 1000, sent } }));
    expect(statusFigures(services, localOwner, told)).toEqual({ saved: 400 });
  });

  test('begin no session, put nothing on record, and are {} for what makes no sense', async () => {
    const { services } = await startHost();
    const { seq } = services.journal.head();
    const receiver = new HookReceiver(services);
    for (const payload of ['', '[]', '{"session_id":7}', '{"session_id":"x","cwd":"/somewhere"}', 'null']) {
      const report = { host: 'claude-code' as const, event: STATUS_LINE, payload };
      expect(await receiver.receive(report, localOwner)).toEqual({ text: '{}', isTaken: true });
    }
    expect(services.journal.head().seq).toBe(seq);
  });
});

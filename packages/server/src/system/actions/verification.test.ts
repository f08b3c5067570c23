import { describe, expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { callsOf } from '../../cli/services/calls.ts';
import { callTool } from '../../mcp/tools/call.ts';
import { callerNamed, callOf, errorOf, noteTool, testServices } from '../../testing/fixtures.suite.ts';
import { type Caller, localOwner } from '../../trust/identity/caller.ts';
import { Connection } from '../../trust/sessions/resolve.ts';
import { readVerification, startVerification } from './verification.ts';

async function setUp(entries = 3) {
  const services = await testServices({ tools: [noteTool] });
  onTestFinished(() => services.settle());
  const connection = new Connection();
  for (let count = 0; count < entries; count++)
    await callTool(services, callOf('memory.note', { text: 'x' }, { connection }));
  const as = (caller: Caller) => callsOf(services, caller);
  const ended = async (caller: Caller = localOwner) => {
    await expect.poll(async () => (await as(caller)(readVerification, {})).state).not.toBe('running');
    return as(caller)(readVerification, {});
  };
  return { services, as, ended };
}

const admin = callerNamed('head', { org: 'acme', tokenId: 'tok_h', scopes: ['read', 'admin'] });

describe('verifying the journal beside what is served', () => {
  test('begins when it is asked for, and tells what it found', async () => {
    const { services, as, ended } = await setUp();
    const { seq } = services.journal.head();
    const none = { state: 'none', report: null, head: seq, checkpoint: null };
    expect(await as(localOwner)(readVerification, {})).toMatchObject(none);
    expect(await as(localOwner)(startVerification, {})).toMatchObject({ state: 'running' });
    expect(await ended()).toMatchObject({
      ...{ state: 'done', done: seq, total: seq, problem: null },
      report: { ok: true, entries: seq },
      ended_at: expect.any(String),
    });
    expect(await as(localOwner)(startVerification, {})).toMatchObject({ state: 'running', report: null });
  });

  test('runs once at a time', async () => {
    const { services, as, ended } = await setUp();
    const { verify } = services.journal;
    let runs = 0;
    services.journal.verify = (progress) => {
      runs++;
      return verify.call(services.journal, progress);
    };
    await Promise.all([as(admin)(startVerification, {}), as(localOwner)(startVerification, {})]);
    await ended();
    expect(runs).toBe(1);
  });

  test('says whose entry was changed to the owner of the machine alone', async () => {
    verifies('CON-06');
    const { services, as, ended } = await setUp();
    services.journal.database.run("UPDATE journal_entry SET data = '[]' WHERE seq = 2");
    await as(admin)(startVerification, {});
    const own = await ended();
    expect(own.report).toMatchObject({ ok: false, first: { seq: 2, stream: expect.any(String) } });
    expect(own.report!.first!.id).not.toBeNull();
    const told = await ended(admin);
    expect(told.report).toMatchObject({ ok: false, first: { seq: 2, id: null, stream: null } });
    expect(JSON.stringify(told)).not.toContain(own.report!.first!.stream!);
  });

  test('is for who may administer', async () => {
    verifies('CON-06');
    const { as } = await setUp(1);
    const reader = callerNamed('ann', { scopes: ['read', 'write', 'review'], tokenId: 'tok_a' });
    for (const action of [startVerification, readVerification])
      expect((await errorOf(() => as(reader)(action, {}))).code).toBe('forbidden');
  });

  test('ends with the process, and says when it could not', async () => {
    const { services, as, ended } = await setUp(1);
    services.journal.verify = async () => {
      throw new Error('the disk is gone');
    };
    await as(localOwner)(startVerification, {});
    expect(await ended()).toMatchObject({ state: 'failed', report: null, problem: 'the disk is gone' });
    services.journal.verify = async (progress) => {
      for (;;) {
        await new Promise((resolve) => setImmediate(resolve));
        progress?.(1, 2);
      }
    };
    await as(localOwner)(startVerification, {});
    await services.parts.verification.close();
    expect(await as(localOwner)(readVerification, {})).toMatchObject({ state: 'failed', done: 0 });
  });
});

import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { InfoldError } from '../../kernel/errors.ts';
import {
  callerNamed,
  START,
  temporaryFolder,
  testConfig,
  testServices,
} from '../../testing/fixtures.suite.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import type { HookAnswer, HookCall } from '../hook-call.ts';
import { readLastReports } from './last-reports.ts';
import { HookReceiver, type HookReport } from './receive.ts';

type Handle = (call: HookCall) => Promise<HookAnswer>;

async function setUp(handle: Handle = async () => ({})) {
  const data = temporaryFolder();
  const services = await testServices({ config: testConfig({ data }) });
  const calls: HookCall[] = [];
  const receiver = new HookReceiver(services, (call) => {
    calls.push(call);
    return handle(call);
  });
  onTestFinished(() => {
    receiver.close();
    return services.settle();
  });
  const heard = () => {
    receiver.close();
    return readLastReports(data);
  };
  return { receiver, calls, heard };
}

afterEach(() => {
  vi.useRealTimers();
});

/** Somebody who waits for the answer. */
const here = new AbortController().signal;
const START_OF_SESSION = { session_id: 's1', cwd: '/w', hook_event_name: 'SessionStart', source: 'resume' };
const report = (payload: unknown, more: Partial<HookReport> = {}): HookReport => ({
  ...{ host: 'claude-code', event: 'SessionStart' },
  payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  ...more,
});

test('a payload is read, handled and answered in the host’s words', async () => {
  verifies('HOST-02');
  const { receiver, calls, heard } = await setUp(async () => ({ context: 'Known so far: a.' }));
  const given = report(START_OF_SESSION, { id: 'r1', at: START - 5, ancestors: [7, 3], env: { PWD: '/w' } });
  const { text, isTaken } = await receiver.receive(given, localOwner, here);
  expect(isTaken).toBe(true);
  expect(JSON.parse(text)).toEqual({
    hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'Known so far: a.' },
  });
  expect(calls).toEqual([
    {
      ...{ id: 'r1', host: 'claude-code', session: 's1', folder: '/w', ancestors: [7, 3], isLate: false },
      ...{ at: START - 5, event: { kind: 'session-start', source: 'resume' }, gone: expect.any(AbortSignal) },
    },
  ]);
  expect(heard()).toEqual({ 'claude-code': { at: START, events: { SessionStart: START } } });
});

test.each<[string, unknown]>([
  ['garbage', '{"session_id":'],
  ['nothing', ''],
  ['another shape', { session: { id: 's1' }, cwd: '/w' }],
  ['an id that cannot name a session', { ...START_OF_SESSION, session_id: 'a/../b' }],
  ['a list', [START_OF_SESSION]],
])('%s is answered with nothing, and noted by its fields alone', async (_what, payload) => {
  verifies('HOST-02');
  const { receiver, calls, heard } = await setUp();
  expect(await receiver.receive(report(payload), localOwner, here)).toEqual({ text: '', isTaken: true });
  expect(calls).toEqual([]);
  const isObject = typeof payload === 'object' && !Array.isArray(payload);
  const told = { at: START, event: 'SessionStart' };
  expect(heard()['claude-code']).toEqual({
    events: {},
    ...(isObject ? { unknown: { ...told, fields: Object.keys(payload as object) } } : { empty: told }),
  });
});

test('another host that runs these hooks is answered with nothing, and noted', async () => {
  verifies('HOST-02');
  const { receiver, calls, heard } = await setUp();
  const foreign = report({ ...START_OF_SESSION, cursor_version: '3' });
  expect(await receiver.receive(foreign, localOwner, here)).toEqual({ text: '', isTaken: true });
  expect(calls).toEqual([]);
  expect(heard()['claude-code']).toEqual({ events: {}, foreign: { at: START, event: 'SessionStart' } });
});

test('a line that is no report is taken, so that nobody brings it again', async () => {
  const { receiver } = await setUp();
  for (const line of [
    '',
    'null',
    '{}',
    '{"host":"nobody","payload":"{}"}',
    '{"host":"codex","payload":{}}',
  ]) {
    expect(await receiver.receiveLine(line, localOwner, here)).toEqual({ text: '', isTaken: true });
  }
});

test('what comes from the host and out of the spool too is done once', async () => {
  verifies('HOST-02');
  const { receiver, calls } = await setUp();
  const line = JSON.stringify({ v: 1, ...report(START_OF_SESSION, { id: 'r1' }) });
  await receiver.receiveLine(line, localOwner, here);
  expect(await receiver.receiveLine(line, localOwner)).toEqual({ text: '', isTaken: true });
  expect(calls).toHaveLength(1);
});

test('what comes late is done, and its answer goes nowhere', async () => {
  const { receiver, calls } = await setUp(async () => ({ context: 'Too late.' }));
  expect(await receiver.receive(report(START_OF_SESSION), localOwner)).toEqual({
    text: '',
    isTaken: true,
  });
  expect(calls[0]).toMatchObject({ isLate: true, at: START });
});

test('a handler that fails is silent; one that could not write is asked again', async () => {
  verifies('HOST-02');
  let failure: unknown = new Error('a bug');
  const { receiver, calls } = await setUp(() => Promise.reject(failure));
  const given = report(START_OF_SESSION, { id: 'r1' });
  expect(await receiver.receive(given, localOwner, here)).toEqual({ text: '', isTaken: true });
  failure = new InfoldError('disk_full', 'The disk is full', { retryable: true });
  const again = { ...given, id: 'r2' };
  expect(await receiver.receive(again, localOwner, here)).toEqual({ text: '', isTaken: false });
  expect(await receiver.receive(again, localOwner)).toEqual({ text: '', isTaken: false });
  expect(calls.map(({ id }) => id)).toEqual(['r1', 'r2', 'r2']);
});

test('a handler that takes too long is not waited for, and knows it', async () => {
  verifies('HOST-02');
  const { receiver, calls } = await setUp(() => new Promise(() => {}));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const answered = receiver.receive(report(START_OF_SESSION, { until: START + 1000 }), localOwner, here);
  const anyway = receiver.receive(report(START_OF_SESSION), localOwner, here);
  await vi.advanceTimersByTimeAsync(840);
  expect(calls[0]!.gone!.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(20);
  expect(calls.map(({ gone }) => gone!.aborted)).toEqual([true, false]);
  expect(await answered).toEqual({ text: '', isTaken: true });
  await vi.advanceTimersByTimeAsync(3000);
  expect(await anyway).toEqual({ text: '', isTaken: true });
});

test('a host that has gone is told nothing, and who would answer knows it', async () => {
  verifies('HOST-02');
  const host = new AbortController();
  const { receiver, calls } = await setUp(async () => {
    host.abort();
    return { context: 'Too late.' };
  });
  expect(await receiver.receive(report(START_OF_SESSION), localOwner, host.signal)).toMatchObject({
    text: '',
  });
  expect(calls[0]!.gone!.aborted).toBe(true);
  await receiver.receive(report(START_OF_SESSION), localOwner, host.signal);
  expect(calls[1]!.gone!.aborted).toBe(true);
});

test('paths of somebody with a token are not followed here', async () => {
  const { receiver, calls } = await setUp();
  const alice = callerNamed('alice');
  const transcript_path = '/w/transcript.jsonl';
  const stop = { ...START_OF_SESSION, transcript_path, hook_event_name: 'SubagentStop', agent_id: 'a1' };
  await receiver.receive(report({ ...stop, agent_transcript_path: '/w/agent.jsonl' }), alice, here);
  expect(calls[0]!.transcript).toBeUndefined();
  expect(calls[0]!.event).toEqual({ kind: 'subagent-stop', agent: 'a1' });
  const loaded = { ...START_OF_SESSION, hook_event_name: 'InstructionsLoaded', file_path: '/etc/passwd' };
  await receiver.receive(report(loaded), alice, here);
  expect(calls).toHaveLength(1);
  await receiver.receive(report(stop), localOwner, here);
  expect(calls[1]!.transcript).toBe(transcript_path);
});

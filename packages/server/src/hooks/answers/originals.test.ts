import { expect, onTestFinished, test } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { temporaryFolder } from '../../testing/fixtures.suite.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import { HookReceiver } from '../delivery/receive.ts';
import { DIALECTS } from '../dialects/index.ts';
import { FOLDER, startHost } from '../fixture.suite.ts';

const handle = (letter: string) => `win_${letter.repeat(20)}`;

/** A plugin that sends originals, as it does over the socket. */
async function plugin() {
  const { services } = await startHost({}, { data: temporaryFolder() });
  onTestFinished(() => services.parts.windowArchive.close());
  const receiver = new HookReceiver(services);
  const send = async (originals: unknown, isLate = false) => {
    const payload = { session_id: 'ses_1', cwd: FOLDER, hook_event_name: 'WindowOriginals', originals };
    const report = { host: 'opencode', event: 'WindowOriginals', payload: JSON.stringify(payload) } as const;
    const { text } = await receiver.receive(
      report,
      localOwner,
      isLate ? undefined : new AbortController().signal,
    );
    return text === '' ? undefined : JSON.parse(text);
  };
  const read = (one: string) => services.parts.windowArchive.read(localOwner, one);
  return { send, read };
}

test('what leaves a window of a host with a plugin can be brought back', async () => {
  verifies('WIN-02');
  const { send, read } = await plugin();
  const originals = [
    { handle: handle('a'), text: 'a long log' },
    { handle: handle('b'), text: 'another' },
  ];
  expect(await send(originals)).toEqual({ kept: 2 });
  expect(await read(handle('a'))).toBe('a long log');
  expect(await read(handle('b'))).toBe('another');
});

test.each([
  ['a handle that is none', [{ handle: 'win_short', text: 'x' }]],
  ['one without a text', [{ handle: handle('a'), text: 'x' }, { handle: handle('b') }]],
  ['no list', 'x'],
])('of %s nothing is kept, and the plugin is told nothing', async (_, originals) => {
  const { send, read } = await plugin();
  expect(await send(originals)).toBeUndefined();
  expect(await read(handle('a'))).toBeUndefined();
});

test('what comes late is not kept: it never left', async () => {
  const { send, read } = await plugin();
  expect(await send([{ handle: handle('a'), text: 'x' }], true)).toBeUndefined();
  expect(await read(handle('a'))).toBeUndefined();
});

test('only hosts with a plugin of ours may send them', () => {
  const may = Object.entries(DIALECTS).filter(([, { events }]) =>
    events.some(({ kind }) => kind === 'originals'),
  );
  expect(may.map(([host]) => host)).toEqual(['opencode', 'pi']);
});

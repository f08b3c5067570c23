import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements.ts';
import { runs } from '../../../../test/support/runs.ts';
import { type History, histories, hostNamed, requestsOf, type Sent } from '../window/histories.suite.ts';
import { problemsOf } from '../window/validators.suite.ts';
import { type ChatMessage, chatCall } from './chat.ts';
import { applied, MODEL, TestWindow } from './window.suite.ts';
import type { HostRequest } from './window.ts';

const RUNS = { numRuns: runs(20) };
const opencode = histories({ hosts: [hostNamed('opencode-chat')], episodes: 8 });

/** What a plugin is shown of a request: the messages without the system prompt. */
function requestOf({ body, session, agent, at, model }: Sent): HostRequest {
  const messages = (body.messages as ChatMessage[]).filter(({ role }) => role !== 'system');
  return {
    session: `${session} ${agent}`,
    messages,
    model: { ...MODEL, name: model, wantsMarks: session.length % 2 === 0 },
    canExpand: true,
    at,
  };
}

interface Step {
  sent: Sent;
  request: HostRequest;
  messages: ChatMessage[];
  decided: number;
}

async function walk({ script, host }: History, window = new TestWindow()): Promise<Step[]> {
  const steps: Step[] = [];
  for (const sent of requestsOf(script, host)) {
    const request = requestOf(sent);
    const arrangement = await window.arrange(request);
    const decided = window.lines.get(request.session)!.at(-1)!.decisions.length;
    steps.push({ sent, request, messages: applied(request.messages, arrangement), decided });
  }
  return steps;
}

describe('whatever a host with a plugin sends', () => {
  test('what goes to the model is valid, holds every word that people said, and is never longer', async () => {
    verifies('WIN-03');
    await fc.assert(
      fc.asyncProperty(opencode, async (history) => {
        for (const { sent, request, messages } of await walk(history)) {
          expect(problemsOf('openai-chat', { messages }, { messages: request.messages })).toEqual([]);
          expect(JSON.stringify(messages).length).toBeLessThanOrEqual(
            JSON.stringify(request.messages).length,
          );
          const strings = JSON.stringify(messages);
          for (const word of sent.words) expect(strings).toContain(JSON.stringify(word).slice(1, -1));
        }
      }),
      RUNS,
    );
  });

  test('between two decisions every request goes on where the one before ended', async () => {
    verifies('WIN-04');
    await fc.assert(
      fc.asyncProperty(opencode, async (history) => {
        const steps = await walk(history);
        for (const [place, { request, messages, decided }] of steps.entries()) {
          const before = steps[place - 1];
          if (!before || decided > 0 || before.request.session !== request.session) continue;
          const isExtended = before.request.messages.every(
            (message, index) => JSON.stringify(message) === JSON.stringify(request.messages[index]),
          );
          if (isExtended) expect(messages.slice(0, before.messages.length)).toEqual(before.messages);
        }
      }),
      RUNS,
    );
  });

  test('asked again after a start of the host, it is the same to the byte', async () => {
    verifies('WIN-04');
    await fc.assert(
      fc.asyncProperty(opencode, async ({ script, host }) => {
        const window = new TestWindow();
        for (const sent of requestsOf(script, host)) {
          const request = requestOf(sent);
          const first = applied(request.messages, await window.arrange(request));
          window.restart();
          const again = applied(request.messages, await window.arrange(request));
          expect(JSON.stringify(again)).toBe(JSON.stringify(first));
        }
      }),
      { numRuns: runs(10) },
    );
  });

  test('what stands for a result names the handle of the original, which is in the archive', async () => {
    await fc.assert(
      fc.asyncProperty(opencode, async (history) => {
        const window = new TestWindow();
        for (const { request, messages } of await walk(history, window)) {
          const before = new Set(request.messages.map((message) => JSON.stringify(message)));
          for (const message of messages.filter((one) => !before.has(JSON.stringify(one)))) {
            const handle = /\bwin_[a-z0-9]{20}\b/.exec(JSON.stringify(message))?.[0];
            // What is shown again has come back.
            if (handle) expect(window.originals.get(handle)?.length).toBeGreaterThan(0);
          }
        }
      }),
      { numRuns: runs(10) },
    );
  });
});

const branched = '{"branch_id":"br_abc","status":"open"}';
const returned = '{"branch_id":"br_abc","folded_at":"2026-03-02T09:00:00Z"}';
const log = Array.from({ length: 400 }, (_, line) => `2026-03-02T09:00:00Z INFO read row ${line}`).join('\n');

function step(id: string, tool: string, input: unknown, result: string): ChatMessage[] {
  return [
    { role: 'assistant', content: null, tool_calls: [chatCall(id, tool, input)] },
    { role: 'tool', tool_call_id: id, content: result },
  ];
}

/** A branch that read a long log, and was folded. */
const folded: ChatMessage[] = [
  { role: 'user', content: 'Why does the importer stop?' },
  ...step('call_1', 'infold_context_branch', { description: 'Read the log' }, branched),
  ...step('call_2', 'bash', { command: 'cat worker.log' }, log),
  ...step('call_3', 'infold_context_return', { message: 'Row 7 is empty.' }, returned),
];

const request = (messages: readonly ChatMessage[], more: Partial<HostRequest> = {}): HostRequest => ({
  ...{ session: 'ses_1', messages, model: MODEL, canExpand: true, at: Date.UTC(2026, 2, 2) },
  ...more,
});

describe('a fold', () => {
  test('leaves the summary where the branch began', async () => {
    verifies('WIN-02');
    const window = new TestWindow();
    const messages = applied(folded, await window.arrange(request(folded)));
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect(messages[2]).toMatchObject({ content: expect.stringContaining('Row 7 is empty.') });
    expect([...window.originals.values()].join()).toContain('read row 399');
  });

  test('does not happen while nobody takes the originals, and does when somebody does', async () => {
    verifies('WIN-07');
    const window = new TestWindow();
    window.isListening = false;
    expect(applied(folded, await window.arrange(request(folded)))).toEqual(folded);
    window.isListening = true;
    const more: ChatMessage[] = [
      ...folded,
      { role: 'assistant', content: 'Row 7.' },
      { role: 'user', content: 'Thanks. Again?' },
    ];
    const messages = applied(more, await window.arrange(request(more, { at: Date.UTC(2026, 2, 4) })));
    expect(messages).toHaveLength(5);
  });

  test('goes on in a fork of the session', async () => {
    verifies('WIN-04');
    const window = new TestWindow();
    const first = applied(folded, await window.arrange(request(folded)));
    const more: ChatMessage[] = [...folded, { role: 'assistant', content: 'Row 7.' }];
    const forked = request([...more, { role: 'user', content: 'Why?' }], { session: 'ses_2' });
    const messages = applied(forked.messages, await window.arrange(forked));
    expect(messages.slice(0, 3)).toEqual(first);
    window.restart();
    expect(applied(forked.messages, await window.arrange(forked))).toEqual(messages);
  });

  test('of requests that come at once is decided once', async () => {
    const window = new TestWindow();
    const [one, other] = await Promise.all([
      window.arrange(request(folded)),
      window.arrange(request(folded)),
    ]);
    expect(other).toEqual(one);
    expect(window.originals.size).toBe(1);
  });
});

test('without context_expand nothing is shortened', async () => {
  const long = folded.slice(0, 1).concat(step('call_9', 'bash', { command: 'npm run import' }, log));
  const texts = async (canExpand: boolean) =>
    (await new TestWindow().arrange(request(long, { canExpand }))).texts;
  expect((await texts(false)).size).toBe(0);
  expect((await texts(true)).size).toBe(1);
});

test('what cannot be read goes as it came', async () => {
  verifies('WIN-07');
  const window = new TestWindow();
  const odd = [{ role: 'robot', content: 'beep' }] as unknown as ChatMessage[];
  expect(await window.arrange(request(odd))).toEqual({ dropped: new Set(), texts: new Map() });
});

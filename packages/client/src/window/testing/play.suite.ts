import type { Dialect } from '../types.ts';
import { claudeCode, openCodeAnthropic } from './anthropic-hosts.suite.ts';
import { openCodeChat, qwenCode } from './chat-hosts.suite.ts';
import { codex } from './codex-host.suite.ts';
import { geminiBare, geminiThree, geminiTwo } from './gemini-hosts.suite.ts';
import type { Entry, Host, View } from './host.suite.ts';
import type { Script, Step, Turn } from './script.suite.ts';

export const HOSTS: readonly Host[] = [
  claudeCode,
  openCodeAnthropic,
  codex,
  openCodeChat,
  qwenCode,
  geminiTwo,
  geminiThree,
  geminiBare,
];

export function hostNamed(name: string): Host {
  const host = HOSTS.find((one) => one.name === name);
  if (!host) throw new Error(`No host ${name}; there are ${HOSTS.map((one) => one.name).join(', ')}`);
  return host;
}

/** A request as a host sends it. */
export interface Sent {
  host: string;
  dialect: Dialect;
  session: string;
  agent: string | null;
  model: string;
  path: string;
  headers: Record<string, string>;
  /** The body, and the bytes of it. */
  body: Record<string, unknown>;
  text: string;
  /** Milliseconds since the epoch. */
  at: number;
  /** Which of the script's steps it belongs to: the same in every host, whatever the host adds. */
  step: number;
  /** What people said, all of which has to be in it. */
  words: readonly string[];
  /** What the model answers. */
  answer: string;
  isCompaction: boolean;
}

type Requests<Result = void> = Generator<Sent, Result, number | undefined>;

interface Playing {
  view: View;
  clock: { now: number };
  ids: { next: number };
  step: number;
  /** Tokens of the last request. */
  counted: number;
}

const BEGINS = Date.UTC(2026, 2, 2, 9);
const TURN_TAKES = 8_000;

/**
 * The requests of a conversation, one after the other. Whoever takes them may say how many tokens the provider counted
 * (`next(tokens)`): that is what a host goes by when it compacts.
 */
export function* play(script: Script, host: Host): Requests {
  const playing: Playing = {
    view: {
      history: [],
      model: host.models[0]!,
      session: sessionName(script.name, 0),
      agent: null,
      found: [],
      extraTools: 0,
      prompt: script.prompt,
      keepsLong: script.keepsLong ?? false,
    },
    clock: { now: BEGINS },
    ids: { next: 1 },
    step: 0,
    counted: 0,
  };
  yield* playSteps(script, script.steps, host, playing);
}

export const requestsOf = (script: Script, host: Host): Sent[] => [...play(script, host)];

const sessionName = (name: string, number: number) =>
  `${name}-${number}`.replaceAll(/\W+/g, '-').toLowerCase();

function* playSteps(script: Script, steps: readonly Step[], host: Host, playing: Playing): Requests<string> {
  const isMain = playing.view.agent === null;
  const add = (...entries: Entry[]) => {
    playing.view = { ...playing.view, history: [...playing.view.history, ...entries] };
  };
  let forks = 0;
  let last = '';
  for (const [index, step] of steps.entries()) {
    if (isMain) playing.step = index;
    switch (step.do) {
      case 'person':
        add({ kind: 'person', text: step.text, picture: step.picture ?? false });
        playing.clock.now += 5_000;
        break;
      case 'notice':
        if (isAnswerable(playing)) add({ kind: 'notice', text: step.text });
        break;
      case 'idle':
        playing.clock.now += step.milliseconds;
        break;
      case 'resume':
        playing.clock.now += 60_000;
        break;
      case 'model':
        playing.view = { ...playing.view, model: host.models[step.model % host.models.length]! };
        break;
      case 'tools':
        playing.view = { ...playing.view, extraTools: playing.view.extraTools + 1 };
        break;
      case 'rewind':
        playing.view = { ...playing.view, history: before(playing.view.history, step.words) };
        break;
      case 'fork':
        forks++;
        playing.view = {
          ...playing.view,
          session: sessionName(script.name, forks),
          history: before(playing.view.history, step.words),
        };
        break;
      case 'compact':
        yield* compact(host, playing, step.summary);
        break;
      case 'find': {
        const missing = step.tools.filter((tool) => !playing.view.found.includes(tool));
        if (!host.defersTools || missing.length === 0) break;
        needsWords(playing);
        yield* ask(script, host, playing, `Looks for ${missing.join(', ')}`);
        add({ kind: 'found', id: playing.ids.next++, tools: missing });
        playing.view = { ...playing.view, found: [...playing.view.found, ...missing] };
        break;
      }
      case 'turn': {
        needsWords(playing);
        yield* ask(script, host, playing, answerOf(step));
        add(turnEntry(step, playing.ids.next++));
        playing.clock.now += step.milliseconds ?? TURN_TAKES;
        last = step.text ?? last;
        break;
      }
      case 'delegate': {
        needsWords(playing);
        yield* ask(script, host, playing, step.prompt);
        const id = playing.ids.next++;
        const agent: Playing = {
          ...playing,
          counted: 0,
          view: {
            ...playing.view,
            history: [{ kind: 'person', text: step.prompt, picture: false }],
            agent: `agent-${id}`,
            found: [],
          },
        };
        const text = yield* playSteps(script, step.steps, host, agent);
        const call = {
          tool: 'agent' as const,
          input: { prompt: step.prompt },
          outcome: { text: text || 'Done.' },
        };
        add(turnEntry({ do: 'turn', calls: [call] }, id));
        break;
      }
    }
  }
  return last;
}

function turnEntry({ do: _, ...turn }: Turn, id: number): Entry {
  return {
    ...turn,
    kind: 'turn',
    id,
    calls: turn.calls.map((call, index) => ({ ...call, key: `${id}.${index}` })),
  };
}

function isAnswerable({ view }: Playing): boolean {
  const last = view.history.at(-1);
  return last !== undefined && !(last.kind === 'turn' && last.calls.length === 0);
}

/** A model answers something: where a script has nothing for it, a person says to go on. */
function needsWords(playing: Playing): void {
  if (isAnswerable(playing)) return;
  playing.view = {
    ...playing.view,
    history: [...playing.view.history, { kind: 'person', text: 'Please go on.', picture: false }],
  };
}

/** One request; before it the host compacts, if the one before was too large for it. */
function* ask(script: Script, host: Host, playing: Playing, answer: string): Requests {
  if (playing.counted >= (script.compactsAt ?? host.compactsAt))
    yield* compact(host, playing, automaticSummary(playing.view.history));
  const sent = request(host, playing, answer, false);
  playing.counted = (yield sent) ?? sent.text.length / 4;
}

function* compact(host: Host, playing: Playing, summary: string): Requests {
  if (playing.view.history.length === 0) return;
  const asked: Entry = { kind: 'person', text: host.compaction, picture: false };
  const { view } = playing;
  yield request(host, { ...playing, view: { ...view, history: [...view.history, asked] } }, summary, true);
  playing.clock.now += TURN_TAKES;
  playing.counted = 0;
  const text = `This session is being continued from a previous conversation that ran out of context.\n\n${summary}`;
  playing.view = { ...view, history: [{ kind: 'summary', text }], found: [] };
}

function automaticSummary(history: readonly Entry[]): string {
  const words = history.flatMap((entry) =>
    entry.kind === 'person' ? [`- ${entry.text.slice(0, 300)}`] : [],
  );
  const said = history.flatMap((entry) =>
    entry.kind === 'turn' && entry.text ? [`- ${entry.text.slice(0, 200)}`] : [],
  );
  return `What the user asked for:\n${words.slice(-8).join('\n')}\n\nWhat was done:\n${said.slice(-20).join('\n')}`;
}

function request(host: Host, { view, clock, step }: Playing, answer: string, isCompaction: boolean): Sent {
  const body = host.body(view);
  return {
    host: host.name,
    dialect: host.dialect,
    session: view.session,
    agent: view.agent,
    model: view.model,
    path: host.path(view),
    headers: host.headers(view),
    body,
    text: JSON.stringify(body),
    at: clock.now,
    step,
    words: view.history.flatMap((entry) => (entry.kind === 'person' ? [entry.text] : [])),
    answer,
    isCompaction,
  };
}

function answerOf({ thinking = '', text = '', calls }: Turn): string {
  return [thinking, text, ...calls.map(({ input }) => JSON.stringify(input))].join('\n');
}

/** The history up to the last so many things that a person said; never nothing at all. */
function before(history: readonly Entry[], words: number): readonly Entry[] {
  const places = history.flatMap(({ kind }, index) => (kind === 'person' ? [index] : []));
  const place = places.at(-words);
  return place === undefined || place === 0 || words === 0 ? history : history.slice(0, place);
}

import type { WindowTurnView, WindowView } from '@infold/protocol';
import { listWindows, listWindowTurns, readWindow, readWindowReceipt } from '../../window/actions/read.ts';
import { switchWindow } from '../../window/actions/switch.ts';
import { dollarsText, receiptText } from '../../window/costs/receipts.ts';
import { act, actInFolder } from '../act.ts';
import type { Run } from '../command-line.ts';
import { EXIT, table } from '../output.ts';
import type { ActionCaller } from '../services/calls.ts';
import { untilStopped } from '../signals.ts';

const WIDTH = 100;
/** Many entries can come at once; people need a picture a few times a second. */
const REDRAWN_EVERY = 200;

interface Shown {
  window: WindowView;
  turns: WindowTurnView[];
}

export function showWindow(
  run: Run,
  id: string | undefined,
  flags: { watch?: boolean; turns: string },
): Promise<number> {
  if (flags.watch) return watchWindow(run, id ?? 'last', flags.turns);
  if (id === undefined)
    return act(run, listWindows, { limit: 200 }, { show: ({ windows }) => drawList(windows) });
  return actInFolder(run, {}, async (call) => {
    const shown = await read(call, id, flags.turns);
    run.output.answer({ ...shown.window, turns: shown.turns }, () => drawWindow(shown));
    return EXIT.done;
  });
}

/** The conversation and its last turns. */
async function read(call: ActionCaller, id: string, most: string): Promise<Shown> {
  const window = await call(readWindow, { id });
  const cursor = String(Math.max(0, window.totals.requests - Number(most)));
  const { turns } = await call(listWindowTurns, { id: window.id, limit: most, cursor });
  return { window, turns };
}

/** Draws it again whenever it changes; in JSON, one line for each turn as it is asked and as it is answered. */
function watchWindow(run: Run, id: string, most: string): Promise<number> {
  return actInFolder(run, {}, async (call, { journal }) => {
    const told = new Map<string, string>();
    const show = async () => {
      const shown = await read(call, id, most);
      if (!run.output.json) {
        process.stdout.write(`\x1b[2J\x1b[H${drawWindow(shown)}\n`);
        return;
      }
      for (const turn of shown.turns) {
        const key = `${shown.window.id} ${turn.turn}`;
        const line = JSON.stringify({ conversation: shown.window.id, ...turn });
        if (told.get(key) !== line) process.stdout.write(`${line}\n`);
        told.set(key, line);
      }
    };
    await show();
    let pending: NodeJS.Timeout | undefined;
    const stop = journal.watch(({ stream }) => {
      if (!stream.startsWith('window.')) return;
      pending ??= setTimeout(() => {
        pending = undefined;
        show().catch((error: unknown) => run.output.note(String(error)));
      }, REDRAWN_EVERY);
    });
    // The watch itself does not keep the process alive.
    const alive = setInterval(() => {}, 60_000);
    await untilStopped();
    clearInterval(alive);
    clearTimeout(pending);
    stop();
    return EXIT.done;
  });
}

export function windowReceipt(run: Run, id: string): Promise<number> {
  return act(run, readWindowReceipt, { id }, { show: receiptText });
}

export function turnWindow(run: Run, id: string, enabled: boolean): Promise<number> {
  return act(
    run,
    switchWindow,
    { id, enabled },
    {
      show: (window) =>
        window.enabled
          ? `The window is on for ${window.id}.`
          : `The window is off for ${window.id}: nothing more leaves its requests.`,
    },
  );
}

/** Names of hosts are read whole where they can be; models have what room is left. */
const MOST_HOST = 20;
const LEAST_MODEL = 8;

export function drawList(windows: readonly WindowView[]): string {
  if (windows.length === 0)
    return 'No conversations yet. "infold run HOST" sends a host’s requests through here.';
  const rows = windows.map(({ id, host, model, enabled, last_at, totals: { requests, usage, money } }) => [
    // As much as anybody needs to name it, without what all begin with.
    id.slice(5, 13),
    cut(host ?? '-', MOST_HOST),
    model ?? '-',
    String(requests),
    short(usage.prompt),
    usage.prompt === 0 ? '-' : share(usage.cache_read / usage.prompt),
    money ? dollarsText(money.actual) : '-',
    money ? `~${dollarsText(money.saved)}` : '-',
    `${enabled ? '' : 'off '}${last_at.slice(5, 16).replace('T', ' ')}`,
  ]);
  const header = ['ID', 'HOST', 'MODEL', 'N', 'PROMPT', 'CACHE', 'COST', 'SAVED', 'LAST'];
  const model = header.indexOf('MODEL');
  const others = table(
    rows.map((row) => row.with(model, '')),
    header.with(model, ''),
  );
  const room = Math.max(LEAST_MODEL, WIDTH - widthOf(others));
  return fit(
    table(
      rows.map((row) => row.with(model, cut(row[model]!, room))),
      header,
    ),
  );
}

function widthOf(text: string): number {
  return Math.max(...text.split('\n').map(({ length }) => length));
}

/** A line of figures for each turn, and below it what results it holds and what left it. */
export function drawWindow({ window, turns }: Shown, now = Date.now()): string {
  const { id, host, model, dialect, totals } = window;
  const about = [host, model ?? dialect, window.enabled ? undefined : 'off'].filter(Boolean).join(', ');
  const head = `${id}  ${about}  ${totals.requests} requests`;
  if (turns.length === 0) return fit(head);
  const rows = turns.map(({ turn, at, held, gone, answer, tokens }) => {
    const { usage = null, money = null } = answer ?? {};
    const prompt = usage && usage.input + usage.cache_read + usage.cache_write;
    return [
      String(turn),
      at.slice(11, 19),
      short(held.system),
      short(held.tools),
      short(held.text),
      short(sum(held.results)),
      short(sum(gone)),
      prompt === null ? `~${short(tokens.sent)}` : short(prompt),
      usage && prompt ? share(usage.cache_read / prompt) : '-',
      usage ? short(usage.output) : statusText(answer, now - Date.parse(at)),
      money ? dollarsText(money.actual) : '-',
      money ? `~${dollarsText(money.untouched - money.actual)}` : '-',
    ];
  });
  const header = [
    'TURN',
    'TIME',
    'SYSTEM',
    'TOOLS',
    'TEXT',
    'RESULTS',
    'GONE',
    'PROMPT',
    'CACHE',
    'OUTPUT',
    'COST',
    'SAVED',
  ];
  const [top, ...lines] = table(rows, header).split('\n');
  const drawn = lines.flatMap((line, index) => [line, ...detailOf(turns[index]!)]);
  return fit(
    [
      head,
      top,
      ...drawn,
      'SYSTEM to GONE are estimated tokens; PROMPT, CACHE and OUTPUT are the provider’s, except where ~ marks an estimate',
    ].join('\n'),
  );
}

function detailOf({ held, gone, passed }: WindowTurnView): string[] {
  const results = held.results.map(({ tool, count, tokens }) => `${tool} ${short(tokens)} in ${count}`);
  const left = gone.map(({ rule, count, tokens }) => `${rule} ${short(tokens)} in ${count}`);
  const parts = [
    ...(results.length > 0 ? [`results: ${results.join(', ')}`] : []),
    ...(left.length > 0 ? [`gone: ${left.join(', ')}`] : []),
    ...(passed === null ? [] : [`passed: ${passed}`]),
  ];
  return parts.map((part) => `      ${part}`);
}

/** An answer that has not come by then will not come: a server ended meanwhile. */
const PATIENCE = 15 * 60_000;

/** Stands where the tokens of an answer would: nobody should take it for them. */
function statusText(answer: WindowTurnView['answer'], age: number): string {
  if (answer === null) return age > PATIENCE ? '-' : '…';
  return answer.status >= 400 ? `HTTP ${answer.status}` : '-';
}

function sum(parts: readonly { tokens: number }[]): number {
  return parts.reduce((all, { tokens }) => all + tokens, 0);
}

/** 940, 12.3k, 1.2M. */
function short(tokens: number): string {
  if (tokens < 1000) return String(Math.round(tokens));
  if (tokens < 999_950) return `${(tokens / 1000).toFixed(1)}k`;
  return `${(tokens / 1_000_000).toFixed(1)}M`;
}

function share(part: number): string {
  return `${Math.round(part * 100)}%`;
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

function fit(text: string): string {
  return text
    .split('\n')
    .map((line) => cut(line, WIDTH))
    .join('\n');
}

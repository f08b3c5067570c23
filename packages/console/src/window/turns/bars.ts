import type { WindowTurnView } from '@infold/protocol';
import { promptOf } from '../live/reduce.ts';
import { toolName } from '../rules.ts';

/** The prompt of every turn as a bar: what it is made of, where it stands, and how high it is. */

export interface Series {
  key: string;
  name: string;
  /** The colour's name in the tokens. */
  colour: string;
}

/** Results have a colour each for the tools that weigh most, and one for all others. */
const TOOL_COLOURS = ['--tool-1', '--tool-2', '--tool-3', '--tool-4'];
const BEFORE: readonly Series[] = [
  { key: 'system', name: 'System prompt', colour: '--held-system' },
  { key: 'tools', name: 'Tool definitions', colour: '--held-tools' },
  { key: 'text', name: 'Messages and calls', colour: '--held-text' },
];
const OTHERS: Series = { key: 'others', name: 'Other results', colour: '--tool-others' };
const RESULT = 'result:';

/** From the bottom of a bar to its top. */
export function seriesOf(turns: readonly WindowTurnView[]): Series[] {
  const weights = new Map<string, number>();
  for (const { held } of turns) {
    for (const { tool, tokens } of held.results) weights.set(tool, (weights.get(tool) ?? 0) + tokens);
  }
  const tools = [...weights].sort(
    ([one, first], [other, second]) => second - first || (one < other ? -1 : 1),
  );
  const named = tools.slice(0, TOOL_COLOURS.length).map(([tool], place): Series => {
    return { key: RESULT + tool, name: `Results of ${toolName(tool)}`, colour: TOOL_COLOURS[place]! };
  });
  return [...BEFORE, ...named, ...(tools.length > named.length ? [OTHERS] : [])];
}

/** Tokens of each series in one prompt. */
export function stackOf({ held }: WindowTurnView, series: readonly Series[]): number[] {
  const byTool = new Map<string, number>();
  for (const { tool, tokens } of held.results)
    byTool.set(RESULT + tool, (byTool.get(RESULT + tool) ?? 0) + tokens);
  return series.map(({ key }) => {
    if (key === 'system' || key === 'tools' || key === 'text') return held[key];
    if (key !== OTHERS.key) return byTool.get(key) ?? 0;
    const named = new Set(series.map((one) => one.key));
    return [...byTool].reduce((sum, [tool, tokens]) => (named.has(tool) ? sum : sum + tokens), 0);
  });
}

/** What left a request, in tokens. */
export const leftOf = ({ tokens }: WindowTurnView): number => Math.max(0, tokens.asked - tokens.sent);

/** What the provider read from its cache, of its own count; undefined while nobody knows. */
export function cachedShare({ answer }: Pick<WindowTurnView, 'answer'>): number | undefined {
  if (!answer?.usage) return undefined;
  const prompt = promptOf(answer.usage);
  return prompt === 0 ? undefined : answer.usage.cache_read / prompt;
}

export interface Scale {
  /** Tokens at the top. */
  top: number;
  ticks: number[];
  /** Where the model's limit is, if it is near enough to be shown. */
  limit: number | undefined;
}

/** A limit that is farther away would press everything else to the ground. */
const NEAR = 2.5;

export function scaleOf(turns: readonly WindowTurnView[], limit: number | null): Scale {
  let most = 1;
  for (const { tokens } of turns) most = Math.max(most, tokens.asked, tokens.sent);
  const isNear = limit !== null && limit <= most * NEAR;
  const top = (isNear ? Math.max(most, limit) : most) * 1.04;
  const step = niceStep(top / 4);
  const ticks = Array.from({ length: Math.floor(top / step) + 1 }, (_, place) => place * step);
  return { top, ticks, limit: isNear ? limit : undefined };
}

/** 1, 2 or 5 times a power of ten, and at least as much as that. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? 10 * power;
}

/** How far apart turns stand: as far as there is room, and never too near to be told apart. */
const NEAREST = 2;
const FARTHEST = 40;

export function pitchFor(width: number, turns: number): number {
  return Math.min(FARTHEST, Math.max(NEAREST, width / Math.max(1, turns)));
}

export interface Frame {
  pitch: number;
  height: number;
  scale: Scale;
  /** The turns that can be seen, by their places. */
  first: number;
  last: number;
}

export interface Bars {
  /** One outline for each series. */
  series: string[];
  cached: string;
  gone: string;
  /** Along the tops of what the host asked for. */
  untouched: string;
  failed: { x: number; y: number }[];
}

/** What is drawn of the turns that can be seen: a few outlines, however many turns there are. */
export function drawBars(turns: readonly WindowTurnView[], series: readonly Series[], frame: Frame): Bars {
  const { pitch, height, scale } = frame;
  const gap = pitch < 4 ? 0 : pitch < 8 ? 1 : Math.min(6, pitch * 0.22);
  const width = pitch - gap;
  const y = (tokens: number) => height - (tokens / scale.top) * height;
  const drawn: Bars = { series: series.map(() => ''), cached: '', gone: '', untouched: '', failed: [] };
  for (let place = Math.max(0, frame.first); place <= Math.min(frame.last, turns.length - 1); place++) {
    const turn = turns[place]!;
    const x = place * pitch + gap / 2;
    let held = 0;
    for (const [index, tokens] of stackOf(turn, series).entries()) {
      if (tokens > 0) drawn.series[index] += box(x, y(held + tokens), width, y(held) - y(held + tokens));
      held += tokens;
    }
    const cached = held * (cachedShare(turn) ?? 0);
    if (cached > 0) drawn.cached += box(x, y(cached), width, height - y(cached));
    const left = leftOf(turn);
    if (left > 0) drawn.gone += box(x, y(held + left), width, y(held) - y(held + left));
    const command = drawn.untouched === '' ? 'M' : 'L';
    const top = round(y(held + left));
    drawn.untouched += `${command}${round(place * pitch)} ${top}L${round((place + 1) * pitch)} ${top}`;
    if ((turn.answer?.status ?? 0) >= 400) drawn.failed.push({ x: x + width / 2, y: y(held + left) });
  }
  return drawn;
}

const round = (value: number) => Math.round(value * 100) / 100;

function box(x: number, y: number, width: number, height: number): string {
  return `M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}z`;
}

/** Which turns get their number under them, so that the numbers do not run into each other. */
export function labelled(turns: number, pitch: number, room = 44): number[] {
  const every = niceStep(room / pitch);
  const places: number[] = [];
  for (let turn = every; turn <= turns; turn += every) places.push(turn - 1);
  return places;
}

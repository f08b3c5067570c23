import type { Step, Workflow } from '../queries.ts';
import { jumpsOf, passingsOf } from './passing.ts';

/** Where everything of a drawing stands, in pixels. */
interface Drawing {
  height: number;
  nodes: Node[];
  frames: Frame[];
  lines: DrawnLine[];
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Node extends Box {
  step: Step;
}

interface Frame extends Box {
  kind: 'loop' | 'parallel';
  name: string;
}

/** `flow`: from step to step; `loop`: back to its beginning; `jump`: what a decision leads to; `use`: what is used up where. */
export interface DrawnLine {
  kind: 'flow' | 'loop' | 'jump' | 'use';
  key: string;
  path: string;
  /** The arrow at its end. */
  head: string;
}

const GAP = 26;
const HEAD = 30;
const PAD = 12;
/** Between lines that run beside each other. */
const LANE = 14;
const EDGE = 10;
const ROUND = 8;
/** Narrower than this, steps of a parallel group stand below each other. */
const NARROW = 200;

/** What a step takes: its title, its tool, and a line of marks. */
function heightOf(step: Step, hasMarks: boolean): number {
  return 40 + (step.tool === undefined ? 0 : 20) + (hasMarks ? 26 : 0);
}

/** Steps from top to bottom. Loops and jumps run at their left, results that are used up at their right. */
export function drawingOf(workflow: Workflow, width: number, hasMarks: (step: Step) => boolean): Drawing {
  const { steps, groups } = workflow;
  const passings = passingsOf(workflow).flatMap(({ from, to }) => to.map((end) => ({ from, to: end })));
  const jumps = jumpsOf(steps);
  const loops = groups.filter(({ kind, steps: some }) => kind === 'loop' && some.length > 0);
  const backs = loops.map(({ steps: some }) => ({ from: some.at(-1)!, to: some[0]! }));
  const left = lanesOf([...backs, ...jumps]);
  const right = lanesOf(passings);
  const inset = EDGE + Math.max(0, ...left.map((lane) => lane + 1)) * LANE + (loops.length > 0 ? PAD : 0);
  const outset = EDGE + Math.max(0, ...right.map((lane) => lane + 1)) * LANE;
  const whole = { x: inset, width: Math.max(120, width - inset - outset) };
  const nodes: Node[] = [];
  const frames: Frame[] = [];
  /** What the flow goes from and to: a step, or a whole parallel group. */
  const stops: Box[] = [];
  let y = 0;
  const place = (step: Step, x: number, wide: number, height = heightOf(step, hasMarks(step))) => {
    const node = { step, x, y, width: wide, height };
    nodes.push(node);
    return node;
  };
  for (let at = 0; at < steps.length; ) {
    const step = steps[at]!;
    const group = groups.find((one) => one.steps.includes(step.order));
    const members = group ? steps.filter(({ order }) => group.steps.includes(order)) : [step];
    at += members.length;
    if (!group) {
      const node = place(step, whole.x, whole.width);
      stops.push(node);
      y += node.height + GAP;
      continue;
    }
    const { kind, name } = group;
    const frame: Frame = { kind, name, x: whole.x, y, width: whole.width, height: 0 };
    frames.push(frame);
    y += HEAD;
    const room = whole.width - 2 * PAD;
    const across = kind === 'loop' ? 1 : Math.max(1, Math.min(members.length, Math.floor(room / NARROW)));
    const each = (room - (across - 1) * PAD) / across;
    for (let first = 0; first < members.length; first += across) {
      const row = members.slice(first, first + across);
      const tall = Math.max(...row.map((one) => heightOf(one, hasMarks(one))));
      const placed = row.map((one, column) => place(one, whole.x + PAD + column * (each + PAD), each, tall));
      if (kind === 'loop') stops.push(placed[0]!);
      y += tall + (first + across < members.length ? (kind === 'loop' ? GAP : PAD) : 0);
    }
    y += PAD;
    frame.height = y - frame.y;
    if (kind === 'parallel') stops.push(frame);
    y += GAP;
  }
  const boxOf = new Map(nodes.map((node) => [node.step.order, node]));
  const beside = (from: number, to: number, lane: number, side: 'left' | 'right') => {
    const [start, end] = [boxOf.get(from), boxOf.get(to)];
    if (!start || !end) return undefined;
    const out =
      side === 'left' ? whole.x - PAD / 2 - (lane + 1) * LANE : whole.x + whole.width + (lane + 1) * LANE;
    return around(start, end, out, side);
  };
  const sides: DrawnLine[] = [
    ...backs.map((one, place) => ({
      kind: 'loop' as const,
      ...one,
      lane: left[place]!,
      side: 'left' as const,
    })),
    ...jumps.map((one, place) => ({
      ...{ kind: 'jump' as const, ...one, lane: left[backs.length + place]!, side: 'left' as const },
    })),
    ...passings.map((one, place) => ({
      kind: 'use' as const,
      ...one,
      lane: right[place]!,
      side: 'right' as const,
    })),
  ].flatMap(({ kind, from, to, lane, side }, place) => {
    const drawn = beside(from, to, lane, side);
    return drawn ? [{ kind, key: `${kind} ${from} ${to} ${place}`, ...drawn }] : [];
  });
  const flow = stops.slice(1).map((stop, place): DrawnLine => {
    const from = stops[place]!;
    const x = whole.x + whole.width / 2;
    const [top, bottom] = [from.y + from.height, stop.y];
    return {
      kind: 'flow',
      key: `flow ${place}`,
      path: `M${x} ${top}V${bottom - 2}`,
      head: arrow(x, bottom - 1, 'down'),
    };
  });
  return { height: Math.max(0, y - GAP) + 2, nodes, frames, lines: [...flow, ...sides] };
}

/** From the side of one box, along a lane beside them, to the side of the other. */
function around(start: Box, end: Box, out: number, side: 'left' | 'right'): Pick<DrawnLine, 'path' | 'head'> {
  const sign = side === 'left' ? -1 : 1;
  const edge = ({ x, width }: Box) => (side === 'left' ? x : x + width);
  const isUp = end.y < start.y || start === end;
  // Lines that leave and lines that arrive do not meet.
  const from = start.y + start.height * (start === end ? 0.7 : isUp ? 0.4 : 0.6);
  const to = end.y + end.height * (start === end ? 0.3 : isUp ? 0.6 : 0.4);
  const bend = Math.min(ROUND, Math.abs(to - from) / 2) * (isUp ? -1 : 1);
  const round = Math.abs(bend);
  const path = [
    `M${edge(start)} ${from}`,
    `H${out - sign * round}`,
    `Q${out} ${from} ${out} ${from + bend}`,
    `V${to - bend}`,
    `Q${out} ${to} ${out - sign * round} ${to}`,
    `H${edge(end) + sign * 2}`,
  ].join('');
  return { path, head: arrow(edge(end) + sign, to, side === 'left' ? 'right' : 'left') };
}

function arrow(x: number, y: number, towards: 'down' | 'left' | 'right'): string {
  if (towards === 'down') return `M${x} ${y}l-4 -7h8z`;
  const sign = towards === 'right' ? -1 : 1;
  return `M${x} ${y}l${sign * 7} -4v8z`;
}

/** The lane of each: short ones are inside, and none that overlap share one. */
export function lanesOf(spans: readonly { from: number; to: number }[]): number[] {
  const lanes: { low: number; high: number }[][] = [];
  const found: number[] = [];
  const ordered = spans
    .map(({ from, to }, place) => ({ place, low: Math.min(from, to), high: Math.max(from, to) }))
    .sort((one, other) => one.high - one.low - (other.high - other.low) || one.low - other.low);
  for (const { place, low, high } of ordered) {
    let lane = lanes.findIndex((taken) => taken.every((one) => high < one.low || low > one.high));
    if (lane < 0) lane = lanes.push([]) - 1;
    lanes[lane]!.push({ low, high });
    found[place] = lane;
  }
  return found;
}

/** A curve of prompt tokens, a point for each turn. */
export interface Series {
  label: string;
  prompts: readonly number[];
}

const WIDTH = 820;
const HEIGHT = 400;
const PLOT = { left: 70, right: 800, top: 96, bottom: 350 } as const;
const COLOURS = ['#c0392b', '#2f6fd0', '#23854f', '#b77900'];
const LEGEND_COLUMNS = 2;
const TICKS = 5;

/** Prompt tokens over turns, as a picture that needs nothing else: it stands on white in dark pages too. */
export function drawChart(title: string, series: readonly Series[]): string {
  const turns = Math.max(2, ...series.map(({ prompts }) => prompts.length));
  const top = niceStep(Math.max(1, ...series.flatMap(({ prompts }) => prompts)) / TICKS) * TICKS;
  const x = (turn: number) => round(PLOT.left + ((turn - 1) / (turns - 1)) * (PLOT.right - PLOT.left));
  const y = (tokens: number) => round(PLOT.bottom - (tokens / top) * (PLOT.bottom - PLOT.top));
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="13">`,
    `  <title>${escapeXml(title)}</title>`,
    '  <style>text { fill: #222 } .small { fill: #555; font-size: 12px } .grid { stroke: #e4e4e4 } .curve { fill: none; stroke-width: 2.5; stroke-linejoin: round }</style>',
    `  <rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    `  <text x="${PLOT.left}" y="26" font-size="15">${escapeXml(title)}</text>`,
    ...series.map(legendEntry),
    ...horizontals(top, y),
    ...turnMarks(turns).map(
      (turn) =>
        `  <text class="small" x="${x(turn)}" y="${PLOT.bottom + 20}" text-anchor="middle">${turn}</text>`,
    ),
    `  <text class="small" x="${(PLOT.left + PLOT.right) / 2}" y="${PLOT.bottom + 40}" text-anchor="middle">turn</text>`,
    ...series.flatMap(({ prompts }, index) => curve(prompts, colourOf(index), x, y)),
    '</svg>',
  ].join('\n')}\n`;
}

function legendEntry({ label, prompts }: Series, index: number): string {
  const column = index % LEGEND_COLUMNS;
  const left = PLOT.left + column * 365;
  const line = 50 + Math.floor(index / LEGEND_COLUMNS) * 22;
  const sum = prompts.reduce((total, tokens) => total + tokens, 0);
  const figures = `${grouped(prompts.at(-1) ?? 0)} at the last turn, ${grouped(sum)} in all`;
  return (
    `  <rect x="${left}" y="${line - 8}" width="22" height="4" fill="${colourOf(index)}"/>` +
    `<text x="${left + 30}" y="${line}">${escapeXml(label)}: <tspan class="small">${figures}</tspan></text>`
  );
}

function horizontals(top: number, y: (tokens: number) => number): string[] {
  return Array.from({ length: TICKS + 1 }, (_, index) => {
    const tokens = (top / TICKS) * index;
    return (
      `  <path class="grid" d="M${PLOT.left} ${y(tokens)}H${PLOT.right}"/>` +
      `<text class="small" x="${PLOT.left - 8}" y="${y(tokens) + 4}" text-anchor="end">${grouped(tokens)}</text>`
    );
  });
}

function curve(
  prompts: readonly number[],
  colour: string,
  x: (turn: number) => number,
  y: (tokens: number) => number,
): string[] {
  if (prompts.length === 0) return [];
  const points = prompts.map((tokens, index) => `${x(index + 1)} ${y(tokens)}`);
  const end = { x: x(prompts.length), y: y(prompts.at(-1)!) };
  return [
    `  <path class="curve" stroke="${colour}" d="M${points.join('L')}"/>`,
    `  <circle cx="${end.x}" cy="${end.y}" r="4" fill="${colour}"/>`,
  ];
}

function turnMarks(turns: number): number[] {
  const step = Math.max(1, Math.ceil(niceStep(turns / 8)));
  const marks = [1];
  for (let turn = step; turn <= turns; turn += step) if (turn > 1) marks.push(turn);
  return marks;
}

/** The next number that is easy to read: 1, 2, 3, 4, 5, 10, 20, 30, … */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 3, 4, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? 10 * power;
}

const colourOf = (index: number) => COLOURS[index % COLOURS.length]!;
const round = (value: number) => Math.round(value * 10) / 10;
export const grouped = (value: number) => Math.round(value).toLocaleString('en-GB');

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import { compact, count, plural } from '../../design/data/format.ts';
import { useSettings } from '../../settings/settings.ts';
import type { Turn } from '../conversation.ts';
import styles from './panel.module.css';
import { columnsOf } from './series.ts';

/** Two lines over the turns. Who does not see them has the table. */
export default function Chart({ turns }: { turns: readonly Turn[] }) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  const latest = useRef(turns);
  const { theme } = useSettings();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a picture has the colours that it was made with
  useEffect(() => {
    const element = place.current!;
    const draw = () => {
      plot.current?.destroy();
      plot.current = new UPlot(optionsFor(element), columnsOf(latest.current), element);
    };
    draw();
    const sizes = new ResizeObserver(() => plot.current?.setSize(sizeOf(element)));
    sizes.observe(element);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', draw);
    return () => {
      sizes.disconnect();
      dark.removeEventListener('change', draw);
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [theme]);
  useEffect(() => {
    latest.current = turns;
    plot.current?.setData(columnsOf(turns));
  }, [turns]);
  const last = turns.at(-1);
  const words = last
    ? `After ${plural(turns.length, 'turn')}: about ${count(last.sent)} tokens with collapsing, ${count(last.whole)} without.`
    : 'No turn yet.';
  return (
    <div ref={place} className={styles.chart} role="img" aria-label={`Prompt tokens per turn. ${words}`} />
  );
}

const FEW = 8;

const sizeOf = ({ clientWidth: width, clientHeight: height }: HTMLElement) => ({ width, height });

function optionsFor(element: HTMLElement): UPlot.Options {
  const [sent, whole, text, line] = ['--accent', '--line-strong', '--text-soft', '--line'].map((name) =>
    colourOf(element, name),
  ) as [string, string, string, string];
  const axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { show: false }, font: '11px Inter' };
  // A line needs two turns: while there are few, each is a dot.
  const points = { size: 6, show: ({ data }: UPlot) => data[0].length < FEW };
  return {
    ...sizeOf(element),
    legend: { show: false },
    cursor: { show: false },
    padding: [8, 8, 0, 0],
    scales: {
      x: { time: false, range: (_, __, most) => [1, Math.max(most, 10)] },
      y: { range: rangeOfTokens },
    },
    axes: [
      {
        ...axis,
        size: 24,
        values: (_, turns) => turns.map((turn) => (Number.isInteger(turn) ? String(turn) : '')),
      },
      { ...axis, size: 48, values: (_, tokens) => tokens.map(compact) },
    ],
    series: [{}, { stroke: sent, width: 2, points }, { stroke: whole, width: 2, dash: [5, 4], points }],
  };
}

function rangeOfTokens(_: UPlot, __: number, most: number): [number, number] {
  return [0, Math.max(most * 1.05, 1000)];
}

/** A canvas knows no variables: this asks what one comes to here. */
function colourOf(element: HTMLElement, variable: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${variable})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

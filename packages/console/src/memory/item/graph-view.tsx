import { Minus, Plus } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { classes } from '../../design/classes.ts';
import { placeIn, type WhoseItems } from '../address.ts';
import { inWords } from '../kinds.ts';
import { ItemLink } from '../parts.tsx';
import type { Graph, GraphNode } from './graph.ts';
import styles from './graph-view.module.css';

const WIDTH = 192;
const HEIGHT = 68;
const GAP_ACROSS = 84;
const GAP_DOWN = 20;
const EDGE = 12;

const KEYS: Readonly<Record<string, readonly [across: number, down: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

interface GraphViewProps {
  graph: Graph;
  /** The item that the graph is of. */
  center: string;
  reading: WhoseItems;
  onToggle: (id: string) => void;
}

/** Items and their relations: lines are drawn, items are links that the keyboard reaches. Arrow keys go from item to item. */
export function GraphView({ graph, center, reading, onToggle }: GraphViewProps) {
  const { nodes, edges, first, last, rows } = graph;
  const box = useRef<HTMLUListElement>(null);
  const scroller = useRef<HTMLElement>(null);
  const middle = EDGE - first * (WIDTH + GAP_ACROSS) + WIDTH / 2;
  useEffect(() => {
    // Where there is little room, the item itself is what is seen first.
    const element = scroller.current!;
    element.scrollLeft = middle - element.clientWidth / 2;
  }, [middle]);
  const perColumn = new Map<number, number>();
  for (const { column } of nodes) perColumn.set(column, (perColumn.get(column) ?? 0) + 1);
  const width = (last - first) * (WIDTH + GAP_ACROSS) + WIDTH + 2 * EDGE;
  const height = rows * (HEIGHT + GAP_DOWN) - GAP_DOWN + 2 * EDGE;
  const placeOf = ({ column, row }: GraphNode) => {
    const own = perColumn.get(column)! * (HEIGHT + GAP_DOWN) - GAP_DOWN;
    return {
      x: EDGE + (column - first) * (WIDTH + GAP_ACROSS),
      y: (height - own) / 2 + row * (HEIGHT + GAP_DOWN),
    };
  };
  const places = new Map(nodes.map((node) => [node.id, placeOf(node)]));
  const onKey = (event: KeyboardEvent) => {
    const step = KEYS[event.key];
    const id = (event.target as HTMLElement).closest('li')?.dataset.id;
    if (!step || id === undefined) return;
    const next = nearest(nodes, id, step);
    if (next === undefined) return;
    event.preventDefault();
    const items = [...(box.current?.querySelectorAll('li') ?? [])];
    items
      .find((item) => item.dataset.id === next)
      ?.querySelector('a')
      ?.focus();
  };
  return (
    <section ref={scroller} className={styles.scroll} aria-label="Relations as a graph">
      <div className={styles.board} style={{ width, height }}>
        <svg className={styles.lines} width={width} height={height} aria-hidden>
          <defs>
            <marker
              id="memory-arrow"
              viewBox="0 0 8 8"
              refX="7"
              refY="4"
              markerWidth="7"
              markerHeight="7"
              orient="auto"
            >
              <path d="M0 0 L8 4 L0 8 z" className={styles.head} />
            </marker>
          </defs>
          {edges.map(({ from, to, type }) => (
            <Edge key={`${from} ${type} ${to}`} from={places.get(from)!} to={places.get(to)!} type={type} />
          ))}
        </svg>
        <ul ref={box} className={styles.nodes} onKeyDown={onKey}>
          {nodes.map((node) => {
            const { x, y } = places.get(node.id)!;
            return (
              <li
                key={node.id}
                data-id={node.id}
                className={classes(
                  styles.node,
                  node.id === center && styles.center,
                  node.isSuperseded && styles.superseded,
                )}
                style={{ transform: `translate(${x}px, ${y}px)`, width: WIDTH, height: HEIGHT }}
              >
                <ItemLink item={placeIn(reading, node.id)} className={styles.name}>
                  {node.name}
                </ItemLink>
                <span className={styles.kind}>
                  {inWords(node.kind)}
                  {node.isSuperseded && ', superseded'}
                </span>
                {node.id !== center && (
                  <button
                    type="button"
                    className={styles.toggle}
                    aria-expanded={node.isOpen}
                    aria-label={`Relations of ${node.name}`}
                    onClick={() => onToggle(node.id)}
                  >
                    {node.isOpen ? <Minus aria-hidden /> : <Plus aria-hidden />}
                  </button>
                )}
              </li>
            );
          })}
        </ul>
      </div>
    </section>
  );
}

interface Point {
  x: number;
  y: number;
}

/** From the side of one item to the facing side of the other, with what it is in its middle. */
function Edge({ from, to, type }: { from: Point; to: Point; type: string }) {
  const isBack = to.x < from.x;
  const isBeside = to.x === from.x;
  const x1 = from.x + (isBack ? 0 : WIDTH);
  const x2 = to.x + (isBack || isBeside ? WIDTH : 0);
  const y1 = from.y + HEIGHT / 2;
  const y2 = to.y + HEIGHT / 2;
  const bend = isBeside ? GAP_ACROSS / 2 : (x2 - x1) / 2;
  const path = isBeside
    ? `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 + bend} ${y2} ${x2} ${y2}`
    : `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
  return (
    <g>
      <path d={path} className={styles.line} markerEnd="url(#memory-arrow)" />
      <text x={isBeside ? x1 + bend : (x1 + x2) / 2} y={(y1 + y2) / 2 - 5} className={styles.type}>
        {inWords(type)}
      </text>
    </g>
  );
}

/** The item next to another in a direction, the one at the most similar height first. */
function nearest(
  nodes: readonly GraphNode[],
  id: string,
  [across, down]: readonly [number, number],
): string | undefined {
  const here = nodes.find((node) => node.id === id);
  if (!here) return undefined;
  if (down !== 0) {
    return nodes.find(({ column, row }) => column === here.column && row === here.row + down)?.id;
  }
  return nodes
    .filter(({ column }) => column === here.column + across)
    .sort((one, other) => Math.abs(one.row - here.row) - Math.abs(other.row - here.row))[0]?.id;
}

import type { ContextExplanation, ExplainedItem } from '@infold/protocol';
import { oneLine } from './one-line.ts';

/** How a pack came about, as people read it. */
export function showExplanation(
  query: string,
  { considered, items, left_out: leftOut }: ContextExplanation,
): string {
  const head = [
    `Searched for: ${oneLine(query)}`,
    `Weighed ${considered} items; ${items.length} are in the pack.`,
  ];
  const parts = [head.join('\n')];
  if (items.length > 0)
    parts.push(['IN THE PACK', ...items.map((item, index) => shown(item, index))].join('\n'));
  if (leftOut.length > 0) {
    const lines = leftOut.map((item, index) => shown(item, index, `left out (${item.why}): ${item.detail}`));
    parts.push([`LEFT OUT (the best ${leftOut.length})`, ...lines].join('\n'));
  }
  return parts.join('\n\n');
}

function shown(item: ExplainedItem, index: number, why?: string): string {
  const { id, type, name, facet, pinned, passage, reason, via } = item;
  return [
    `${String(index + 1).padStart(2)}. ${oneLine(name)}`,
    `    ${[type, facet, id, ...(pinned ? ['pinned'] : [])].join(' · ')}`,
    ...(why === undefined ? [] : [`    ${why}`]),
    `    ${sumOf(item)}`,
    `    ${reason}${via === undefined ? '' : ` (${via})`}`,
    `    ${passage.begin}–${passage.end}: ${oneLine(passage.text)}`,
  ].join('\n');
}

/** "1.12 = (text 0.9 + recency 0.1) × intent 1.12" */
function sumOf({ score, lanes, factors }: ExplainedItem): string {
  const given = Object.entries(lanes).sort(([, one], [, other]) => other - one);
  if (given.length === 0) return `${score} (no lane found it)`;
  const sum = given.map(([lane, amount]) => `${lane} ${amount}`).join(' + ');
  const held = Object.entries(factors).map(([factor, by]) => ` × ${factor} ${by}`);
  return held.length === 0 ? `${score} = ${sum}` : `${score} = (${sum})${held.join('')}`;
}

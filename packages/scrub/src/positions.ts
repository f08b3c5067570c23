import { markerOf } from './detect/findings.ts';
import type { Finding } from './detect/types.ts';

/** Where a position of the text before a round stands after it; inside a finding, where its marker begins. */
export function afterRound(findings: readonly Finding[], position: number): number {
  let shift = 0;
  for (const { start, end, kind } of findings) {
    if (start >= position) break;
    if (position < end) return start + shift;
    shift += markerOf(kind).length - (end - start);
  }
  return position + shift;
}

/** The way back; inside a marker, where the finding began. */
function beforeRound(findings: readonly Finding[], position: number): number {
  let shift = 0;
  for (const { start, end, kind } of findings) {
    const marker = markerOf(kind).length;
    if (start + shift >= position) break;
    if (position < start + shift + marker) return start;
    shift += marker - (end - start);
  }
  return position - shift;
}

/** The last position up to `limit` that lies inside no finding of any round. */
export function lastOutside(rounds: readonly (readonly Finding[])[], limit: number): number {
  let position = limit;
  for (let round = 0; round < rounds.length; round++) {
    let here = position;
    for (let earlier = 0; earlier < round; earlier++) here = afterRound(rounds[earlier]!, here);
    const around = rounds[round]!.find(({ start, end }) => start < here && here < end);
    if (around === undefined) continue;
    let start = around.start;
    for (let earlier = round - 1; earlier >= 0; earlier--) start = beforeRound(rounds[earlier]!, start);
    position = start;
    // It may lie inside a finding of an earlier round now.
    round = -1;
  }
  return position;
}

import { digestHex } from '../../kernel/ids.ts';

/** The id under which an edge sends the evidence of one project apart from the rest: an edge of its own to the hub, which knows whose it is by it. */
export function lineOf(edgeId: string, projectId: string): string {
  // Ids are written without digits that look like letters.
  const id = digestHex(20, 'line', edgeId, projectId).replaceAll('0', 'g').replaceAll('1', 'h');
  return `edge_${id}`;
}

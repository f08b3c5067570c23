import type { ContextNode, EnvelopeContext } from '@infold/protocol';
import type { PodMessage } from './feed/feed.ts';

/** A message at a position; the rest is as usual. */
export function message(seq: number, context?: EnvelopeContext, more: object = {}): PodMessage {
  return {
    seq,
    epoch: 'e',
    envelope: {
      ...{ protocol: 'mcpp/v0.1', id: `msg-${seq}`, ts: '2026-01-01T00:00:00Z', from: 'ada', kind: 'chat' },
      ...(context && { context }),
      payload: { text: `says ${seq}` },
      ...more,
    },
  };
}

/** What the server says of contexts, by their ids. */
export function contextsOf(...nodes: Partial<ContextNode>[]): ReadonlyMap<string, ContextNode> {
  const usual = {
    ...{
      id: '',
      type: null,
      parent: null,
      state: 'live',
      messages: 1,
      tokens: 0,
      summary: null,
      metadata: null,
    },
    ...{ created_at: '2026-01-01T00:00:00Z', last_at: '2026-01-01T00:00:00Z', children: [] },
  } as const;
  return new Map(nodes.map((node) => [node.id!, { ...usual, ...node } as ContextNode]));
}

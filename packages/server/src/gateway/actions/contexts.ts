import { type ContextNode, gatewayApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { isPodOpen } from '../access.ts';
import {
  MOST_BYTES,
  MOST_LINKED,
  resolveCorrelation,
  shownLinked,
  shownResolved,
} from '../pod/correlation.ts';
import { contextTree, linkedTo } from '../queries.ts';
import { checkPod, podOf } from './pod-of-call.ts';

export const contexts = defineAction(gatewayApi.podContexts, {
  async run({ id, live, ...where }, context) {
    const pod = podOf(context, where);
    const { caller, journal, parts } = context;
    if (id !== undefined) {
      const found = await resolveCorrelation(journal, parts.gateway, caller, id);
      return { structured: shownResolved(found, id) };
    }
    const tree = contextTree(await parts.gateway.contexts(caller.org, pod));
    return { structured: { pod, contexts: live ? liveOnly(tree) : tree } };
  },
});

/** A context that is over stays where something below it goes on. */
function liveOnly(nodes: readonly ContextNode[]): ContextNode[] {
  return nodes.flatMap((node) => {
    const children = liveOnly(node.children);
    return node.state === 'live' || children.length > 0 ? [{ ...node, children }] : [];
  });
}

export const listPodContexts = defineAction(gatewayApi.listPodContexts, {
  async run({ pod }, context) {
    checkPod(context, pod);
    const { parts, caller } = context;
    return { structured: { contexts: contextTree(await parts.gateway.contexts(caller.org, pod)) } };
  },
});

export const readPodContext = defineAction(gatewayApi.readPodContext, {
  async run({ pod, id }, context) {
    checkPod(context, pod);
    const { parts, caller, journal, database } = context;
    const rows = await parts.gateway.contexts(caller.org, pod);
    const row = rows.find((one) => one.id === id);
    if (!row) throw new InfoldError('not_found', `Context not found: ${id.slice(0, 100)}`);
    const below = rows.filter((one) => one.parent === id);
    const found = contextTree([row, ...below]).find((node) => node.id === id)!;
    const linked = linkedTo(journal, caller.org, id, MOST_LINKED, MOST_BYTES).filter((one) =>
      isPodOpen(database, caller, one.pod),
    );
    return { structured: { ...found, linked: linked.map(shownLinked) } };
  },
});

/** SUB-10: a correlation id can lead to another pod. What is not open to the caller looks as if it were not there. */
export const resolve = defineAction(gatewayApi.resolveCorrelation, {
  async run({ id }, { journal, parts, caller }) {
    const found = await resolveCorrelation(journal, parts.gateway, caller, id);
    return { structured: { id, ...shownResolved(found, id) } };
  },
});

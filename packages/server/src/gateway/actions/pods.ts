import { gatewayApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { isoTime } from '../../kernel/clock.ts';
import { isPodOpen, mayEnterPod } from '../access.ts';
import { listPods as storedPods } from '../queries.ts';
import { checkPod } from './pod-of-call.ts';

export const listPods = defineAction(gatewayApi.listPods, {
  run(_input, { database, caller, parts: { gateway } }) {
    const stored = storedPods(database, caller.org);
    const names = new Set(stored.map(({ name }) => name));
    const open = gateway.openPods(caller.org);
    const seqs = new Map(open.map((pod) => [pod.name, pod.seq]));
    const pods = [
      ...stored.map(({ name, seq, created_at, last_at }) => ({
        name,
        seq: Math.max(seq, seqs.get(name) ?? 0),
        created_at: isoTime(created_at),
        last_at: isoTime(last_at),
      })),
      ...open
        .filter(({ name }) => !names.has(name))
        .map(({ name, seq, usedAt }) => ({ name, seq, created_at: null, last_at: isoTime(usedAt) })),
    ].filter(({ name }) => isPodOpen(database, caller, name));
    const shown = pods.map((pod) => ({
      ...pod,
      history: gateway.settings.historyOf(pod.name),
      participants: gateway.participants(caller.org, pod.name).length,
    }));
    return { structured: { pods: shown, next: null } };
  },
});

export const listPodParticipants = defineAction(gatewayApi.listPodParticipants, {
  run({ pod }, context) {
    checkPod(context, pod);
    const { caller, parts } = context;
    return { structured: { participants: parts.gateway.participants(caller.org, pod), next: null } };
  },
});

/** SUB-11: also of a pod that nobody has used yet, for who is about to. */
export const readPodPolicy = defineAction(gatewayApi.readPodPolicy, {
  run({ pod }, { database, caller, parts: { gateway } }) {
    mayEnterPod(database, caller, pod);
    const { policy, idleMs, historyOf } = gateway.settings;
    const { templates, rules } = policy.forPod(pod);
    const shown = Object.entries(templates).map(([type, { kinds, ...template }]) => [
      type,
      { ...template, ...(kinds && { kinds: [...kinds] }) },
    ]);
    return {
      structured: {
        history: historyOf(pod),
        idle_ms: idleMs,
        templates: Object.fromEntries(shown) as Record<string, object>,
        rules,
      },
    };
  },
});

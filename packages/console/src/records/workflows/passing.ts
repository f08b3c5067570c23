import { portableName } from '../../api/tool-name.ts';
import type { Step, Workflow } from '../queries.ts';

/** A result that one step marks transient, and the steps after it that use it up. */
export interface Passing {
  from: number;
  /** The tool whose call says that the result was used. */
  tool: string;
  /** Empty where no step calls that tool. */
  to: number[];
}

/** By its hint a step names only a tool: it is used up by the next step that calls it, in its loop or after it. */
export function passingsOf({ steps, groups, context_hints }: Workflow): Passing[] {
  return context_hints.map(({ step, consumedBy }) => {
    const calls = ({ tool }: Step) => tool !== undefined && portableName(tool) === portableName(consumedBy);
    const loop = groups.find((group) => group.kind === 'loop' && group.steps.includes(step))?.steps ?? [];
    const later = steps.find((one) => one.order > step && calls(one));
    // A loop comes round to what stands before.
    const earlier = steps.find((one) => one.order <= step && loop.includes(one.order) && calls(one));
    const next = later ?? earlier;
    return { from: step, tool: consumedBy, to: next ? [next.order] : [] };
  });
}

export interface Jump {
  from: number;
  to: number;
  label: string;
}

/** Where decisions lead, other than to the step that follows anyway. */
export function jumpsOf(steps: readonly Step[]): Jump[] {
  return steps.flatMap(({ order, decision }) =>
    (decision?.options ?? []).flatMap(({ label, nextStep }) =>
      nextStep === undefined || nextStep === order + 1 ? [] : [{ from: order, to: nextStep, label }],
    ),
  );
}

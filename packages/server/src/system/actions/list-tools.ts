import { systemApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import type { CallTimes } from '../../call/call-times.ts';
import { readyToCount } from '../../kernel/tokens/count.ts';

declare module '../../call/parts.ts' {
  interface Parts {
    calls: CallTimes;
    /** Of the open doors, with what each costs a model to know, and what the whole list does. */
    toolList(): { tools: { name: string; title: string; door: string; tokens: number }[]; tokens: number };
  }
}

export const listTools = defineAction(systemApi.listTools, {
  async run(_input, { parts }) {
    await readyToCount();
    const { tools, tokens } = parts.toolList();
    return {
      structured: { tools: tools.map((tool) => ({ ...tool, ...parts.calls.of(tool.name) })), tokens },
    };
  },
});

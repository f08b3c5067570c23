import type { Collapser } from './collapser.ts';
import { badNames } from './names.ts';

/** What is needed of a tool that an MCP client lists. */
export interface ListedTool {
  name: string;
  description?: string | undefined;
  inputSchema: { [key: string]: unknown };
}

/** Told before a model API refuses the whole request for one name. */
export function checkNames(collapser: Collapser, tools: readonly { name: string }[]): void {
  const problem = badNames(tools.map(({ name }) => name));
  if (problem !== undefined) collapser.warn('bad_tool_name', problem);
}

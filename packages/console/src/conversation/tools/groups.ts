import type { McpTool } from '../mcp/connection.ts';

export interface ToolGroup {
  door: string;
  tools: readonly McpTool[];
}

const OTHERS = 'other';

/** The spelling of names that every model API takes: without dots. */
const portable = (name: string) => name.replaceAll('.', '_');

/** A tool by its name, in either spelling: `memory.setup` or `memory_setup`. */
export function toolNamed(tools: readonly McpTool[], name: string): McpTool | undefined {
  return tools.find((tool) => tool.name === name) ?? tools.find((tool) => tool.name === portable(name));
}

/** The doors in the order of the server's list; what no door claims comes last. */
export function groupsOf(
  tools: readonly McpTool[],
  doors: readonly { name: string; door: string }[],
): ToolGroup[] {
  const doorOf = new Map(doors.map(({ name, door }) => [portable(name), door]));
  const groups = new Map<string, McpTool[]>(doors.map(({ door }) => [door, []]));
  for (const tool of tools) {
    const door = doorOf.get(tool.name) ?? OTHERS;
    groups.set(door, [...(groups.get(door) ?? []), tool]);
  }
  return [...groups].filter(([, own]) => own.length > 0).map(([door, own]) => ({ door, tools: own }));
}

/** Those whose name, title or description has every word. */
export function searched(groups: readonly ToolGroup[], query: string): ToolGroup[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = ({ name, title, description }: McpTool) => {
    const text = `${name} ${title} ${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return groups
    .map(({ door, tools }) => ({ door, tools: tools.filter(fits) }))
    .filter(({ tools }) => tools.length > 0);
}

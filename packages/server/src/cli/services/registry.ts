import type { Parts } from '../../call/parts.ts';
import type { ToolDefinition } from '../../call/tool.ts';
import { foldTools } from '../../fold/tools.ts';
import { gatewayTools } from '../../gateway/tools.ts';
import type { Config } from '../../kernel/config.ts';
import { libraryTools } from '../../library/tools.ts';
import { toolListCost } from '../../mcp/tools/list-cost.ts';
import { ToolRegistry } from '../../mcp/tools/registry.ts';
import { memoryTools } from '../../memory/tools.ts';
import { systemTools } from '../../system/tools.ts';
import { transientTools } from '../../transient/tools.ts';

const DOOR_TOOLS: readonly ToolDefinition[] = [
  ...foldTools,
  ...libraryTools,
  ...memoryTools,
  ...transientTools,
  ...gatewayTools,
];

export const toolNames = () => DOOR_TOOLS.map(({ action }) => action.name);

export function createRegistry(config: Config): ToolRegistry {
  return new ToolRegistry([...systemTools, ...DOOR_TOOLS], config);
}

/** In the spelling that most models read. */
export function toolListOf(
  registry: ToolRegistry,
  { toolNames = 'portable' }: Config,
): ReturnType<Parts['toolList']> {
  const { each, all } = toolListCost(registry.list(toolNames));
  const tools = registry.tools.map(({ name, title, action: { door } }, place) => ({
    name,
    title,
    door,
    tokens: each[place]!,
  }));
  return { tools, tokens: all };
}

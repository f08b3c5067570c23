import { countTokens } from '../../kernel/tokens/count.ts';
import type { ListedTool } from './registry.ts';

export interface ToolListCost {
  /** Of each definition, in the order of the list. */
  each: number[];
  all: number;
}

const known = new WeakMap<readonly ListedTool[], ToolListCost>();

/** What it costs a model to know the tools of a list: hosts give it their names, descriptions and inputs. */
export function toolListCost(list: readonly ListedTool[]): ToolListCost {
  let cost = known.get(list);
  if (!cost) {
    const shown = list.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    cost = {
      each: shown.map((tool) => countTokens(JSON.stringify(tool))),
      all: countTokens(JSON.stringify(shown)),
    };
    known.set(list, cost);
  }
  return cost;
}

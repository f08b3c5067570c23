import type { Action } from '../../call/action.ts';
import { compilePack } from './context.ts';
import { importMemory } from './import.ts';
import { listRelated, readItem } from './read-item.ts';
import { relate } from './relate.ts';
import { remember } from './remember.ts';
import { searchMemory } from './search.ts';
import { planDocument } from './synthesis-plan.ts';

/** What is served over HTTP. */
export const memoryActions: readonly Action[] = [
  compilePack,
  remember,
  planDocument,
  searchMemory,
  readItem,
  listRelated,
  relate,
  importMemory,
];

import type { Action } from '../../call/action.ts';
import { askMemory } from './ask.ts';
import { audit, mergeDoubles } from './audit.ts';
import { compilePack } from './context.ts';
import { forgetItem } from './forget-item.ts';
import { readHistory } from './history.ts';
import { importMemory } from './import.ts';
import { listDiaries } from './list-diaries.ts';
import { listItems } from './list-items.ts';
import { listRelated, readItem } from './read-item.ts';
import { relate } from './relate.ts';
import { remember } from './remember.ts';
import { searchMemory } from './search.ts';
import { planDocument } from './synthesis-plan.ts';
import { unrelate } from './unrelate.ts';

/** What is served over HTTP. */
export const memoryActions: readonly Action[] = [
  compilePack,
  remember,
  planDocument,
  searchMemory,
  askMemory,
  listItems,
  listDiaries,
  readItem,
  readHistory,
  listRelated,
  relate,
  unrelate,
  forgetItem,
  audit,
  mergeDoubles,
  importMemory,
];

import type { Action } from '../../call/action.ts';
import { listProjects } from './list-projects.ts';

/** What is served over HTTP. */
export const systemActions: readonly Action[] = [listProjects];

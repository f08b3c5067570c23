import type { Action } from '../../call/action.ts';
import { findRecords, searchRecords } from './search-records.ts';
import { listWorkflows, readWorkflow } from './workflows.ts';

/** What is served over HTTP. */
export const transientActions: readonly Action[] = [searchRecords, findRecords, listWorkflows, readWorkflow];

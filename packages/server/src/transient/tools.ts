import type { ToolDefinition } from '../call/tool.ts';
import { clearFindings } from './actions/clear-findings.ts';
import { recallFindings } from './actions/recall-findings.ts';
import { findRecords, readScratch, searchRecords } from './actions/search-records.ts';
import { storeFindings } from './actions/store-findings.ts';
import { suggestWorkflow, workflowStep } from './actions/workflows.ts';

const reads = { readOnlyHint: true, idempotentHint: true };

export const transientTools: readonly ToolDefinition[] = [
  {
    action: searchRecords,
    title: 'Search records',
    description:
      'Page through the records of a model (rows of a table or file), with filters. A result with a handle may be collapsed once used; context_expand brings it back.',
    searchHint: 'query a database, CSV, JSONL or table; filter, sort, count, list rows',
    annotations: reads,
  },
  {
    action: findRecords,
    title: 'Find records',
    description: 'Look up one record by id, or a few by filters, without counting them.',
    searchHint: 'get one row of a database, CSV, JSONL or table',
    annotations: reads,
  },
  {
    action: readScratch,
    title: 'Read scratch rows',
    description: 'Read rows that a lean fetch kept.',
    searchHint: 'scratch_ref, rows kept on the server',
    annotations: reads,
  },
  {
    action: storeFindings,
    title: 'Store findings',
    description: 'Store what you found in fetched records, so that the records can be dropped.',
    searchHint: 'save results of an analysis, note insights page by page',
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  },
  {
    action: recallFindings,
    title: 'Recall findings',
    description: 'Recall stored findings by analysis_id, category or query.',
    searchHint: 'read back insights and results of an analysis',
    annotations: reads,
  },
  {
    action: clearFindings,
    title: 'Clear findings',
    description: 'Remove all findings of an analysis.',
    searchHint: 'delete results, start an analysis afresh',
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  },
  {
    action: workflowStep,
    title: 'Get a workflow step',
    description: 'Get one step of a workflow (all steps of its loop), with what to do next.',
    searchHint: 'next instruction of a procedure, playbook, checklist or runbook',
    annotations: reads,
  },
  {
    action: suggestWorkflow,
    title: 'Suggest a workflow',
    description: 'List workflows, or pick the one for a goal or tag and show how it begins.',
    searchHint: 'which procedure, playbook, checklist or runbook fits a task',
    annotations: reads,
  },
];

import { z } from 'zod';
import { ROUTES } from '../routes.ts';
import {
  clearFindingsInput,
  clearFindingsOutput,
  contextHint,
  findInput,
  modelInfo,
  recallFindingsInput,
  recallFindingsOutput,
  recordsOutput,
  scratchReadInput,
  searchInput,
  searchOutput,
  stepGroup,
  storeFindingsInput,
  storeFindingsOutput,
  suggestWorkflowInput,
  suggestWorkflowOutput,
  workflowInfo,
  workflowStep,
  workflowStepInput,
  workflowStepOutput,
} from '../transient.ts';
import { describeAction, next, projectSpec } from './shape.ts';

/** A source of records, for operators. */
export const sourceView = modelInfo.extend({
  /** What is wrong with it, or what was skipped. */
  problems: z.array(z.string()),
  /** Bytes read to update its index, and how long that took. */
  indexed: z.object({ bytes: z.number().int(), milliseconds: z.number() }).optional(),
});

/** A workflow with steps, and where it is. */
export const workflowView = workflowInfo.extend({
  id: z.string(),
  project_id: z.string(),
  project: z.string().describe('Name of the project'),
});

export const transientApi = {
  searchRecords: describeAction({
    name: 'search_records',
    door: 'transient',
    summary: 'Page through the records of a model; without one, list the models.',
    scope: 'read',
    input: searchInput,
    output: searchOutput,
    route: ROUTES.searchRecords,
  }),
  findRecords: describeAction({
    name: 'find_records',
    door: 'transient',
    summary: 'Look up one record by id, or a few by filters.',
    scope: 'read',
    input: findInput,
    output: searchOutput,
    route: ROUTES.findRecords,
  }),
  scratchRead: describeAction({
    name: 'scratch_read',
    door: 'transient',
    summary: 'Read rows that a lean search kept.',
    scope: 'read',
    input: scratchReadInput,
    output: recordsOutput,
  }),
  storeAnalysisMemory: describeAction({
    name: 'store_analysis_memory',
    door: 'transient',
    summary: 'Store findings, so that the records they came from can collapse.',
    scope: 'write',
    input: storeFindingsInput,
    output: storeFindingsOutput,
  }),
  recallAnalysisMemories: describeAction({
    name: 'recall_analysis_memories',
    door: 'transient',
    summary: 'Recall stored findings.',
    scope: 'read',
    input: recallFindingsInput,
    output: recallFindingsOutput,
  }),
  clearAnalysisMemories: describeAction({
    name: 'clear_analysis_memories',
    door: 'transient',
    summary: 'Remove all findings of an analysis.',
    scope: 'write',
    input: clearFindingsInput,
    output: clearFindingsOutput,
  }),
  getWorkflowStep: describeAction({
    name: 'get_workflow_step',
    door: 'transient',
    summary: 'One step of a workflow, and the step after it.',
    scope: 'read',
    input: workflowStepInput,
    output: workflowStepOutput,
  }),
  suggestWorkflow: describeAction({
    name: 'suggest_workflow',
    door: 'transient',
    summary: 'List workflows, or pick the one for a goal or tag.',
    scope: 'read',
    input: suggestWorkflowInput,
    output: suggestWorkflowOutput,
  }),
  listWorkflows: describeAction({
    name: 'listWorkflows',
    door: 'transient',
    summary: 'The workflows with steps of a project, or of all projects that the caller may access.',
    scope: 'read',
    input: z.object({ project: projectSpec }),
    output: z.object({ workflows: z.array(workflowView), next }),
    route: ROUTES.listWorkflows,
  }),
  readWorkflow: describeAction({
    name: 'readWorkflow',
    door: 'transient',
    summary: 'A whole workflow: its steps, their groups, and which tool consumes which results.',
    scope: 'read',
    input: z.object({
      workflow: z.string().min(1).max(600).describe('Name, path or id'),
      project: projectSpec,
    }),
    output: workflowView.extend({
      steps: z.array(workflowStep),
      groups: z.array(stepGroup),
      context_hints: z.array(contextHint),
    }),
    route: ROUTES.readWorkflow,
  }),
  listSources: describeAction({
    name: 'listSources',
    door: 'transient',
    summary: 'The configured sources of records, and the state of their indexes.',
    scope: 'admin',
    input: z.object({
      model: z.string().min(1).optional().describe('Only this source'),
      index: z.boolean().default(false).describe('Update file indexes first'),
    }),
    output: z.object({ models: z.array(sourceView) }),
  }),
};

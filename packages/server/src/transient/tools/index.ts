import type { ToolDefinition } from '../../call/tool.ts';
import type { Scrubber } from '../../trust/scrub/index.ts';
import type { Records } from '../records/index.ts';
import { analysisTools } from './analysis.ts';
import { recordTools } from './records.ts';
import { type WorkflowFiles, workflowTools } from './workflows.ts';

export interface TransientParts {
  records: Records;
  scrubber: Scrubber;
  workflows: WorkflowFiles;
}

export function transientTools({ records, scrubber, workflows }: TransientParts): ToolDefinition[] {
  return [...recordTools(records), ...analysisTools(records.scratch, scrubber), ...workflowTools(workflows)];
}

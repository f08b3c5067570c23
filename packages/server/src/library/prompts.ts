import type { PromptSource } from '../trust/prompt.ts';
import type { ToolContext } from '../trust/tool.ts';
import { findWorkflow, promptName, workflowsOf } from './queries/files.ts';

/** A prompt for each published workflow of the connection's project. */
export const libraryPrompts: PromptSource = {
  list: (context) =>
    workflowsOf(context.database, workspaceOf(context)).map(({ path, name, description }) => ({
      name: promptName(path),
      title: name,
      ...(description === null ? {} : { description }),
    })),
  get(name, context) {
    const workflow = findWorkflow(context.database, workspaceOf(context), name);
    if (!workflow) return undefined;
    const { description, body, id, path } = workflow;
    return {
      ...(description === null ? {} : { description }),
      text: `Follow this workflow (${path}, id ${id}).\n\n${body.trim()}\n`,
    };
  },
};

function workspaceOf(context: ToolContext): string {
  return context.project().workspace_id;
}

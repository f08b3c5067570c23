import type { CallContext } from '../call/context.ts';
import type { PromptSource } from '../call/prompt.ts';
import { findWorkflow, promptName, workflowsOf } from './queries/files.ts';
import { publishedIn } from './resources.ts';

/** A prompt for each published workflow of the connection's project. */
export const libraryPrompts: PromptSource = {
  list: (context) =>
    workflowsOf(context.database, workspaceOf(context)).map(({ path, name, description }) => ({
      name: promptName(path),
      title: name,
      ...(description === null ? {} : { description }),
      arguments: [{ name: 'task', description: 'What to follow it for, in your own words' }],
    })),
  get(name, context, { task }) {
    const workflow = findWorkflow(context.database, workspaceOf(context), name);
    if (!workflow) return undefined;
    const { description, body, id, path } = workflow;
    const request = task ? `Task: ${task}\n\nFollow this workflow for it` : 'Follow this workflow';
    return {
      ...(description === null ? {} : { description }),
      content: [{ type: 'text', text: `${request} (${path}, id ${id}).\n\n${body.trim()}\n` }],
    };
  },
  streams: 'library.',
  relistedBy: (entry, contextOf) => publishedIn(entry, contextOf).some(({ kind }) => kind === 'workflow'),
};

function workspaceOf(context: CallContext): string {
  return context.project().workspace_id;
}

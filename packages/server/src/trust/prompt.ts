import type { ToolContext } from './tool.ts';

export interface ListedPrompt {
  name: string;
  title: string;
  description?: string;
}

/** A family of prompts that a person can pick in the host. */
export interface PromptSource {
  list(context: ToolContext): ListedPrompt[];
  /** Undefined when there is no prompt of this name for the caller. */
  get(name: string, context: ToolContext): { description?: string; text: string } | undefined;
}

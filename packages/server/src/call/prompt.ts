import type { Entry } from '../journal/journal.ts';
import type { Content } from './content.ts';
import type { CallContext } from './context.ts';

export interface ListedPrompt {
  name: string;
  title: string;
  description?: string;
  arguments?: { name: string; description: string; required?: boolean }[];
}

export interface Prompt {
  description?: string;
  /** What the person says by picking it, a message each. */
  content: Content[];
}

/** A family of prompts that a person can pick in the host. */
export interface PromptSource {
  list(context: CallContext): ListedPrompt[];
  /** Undefined when there is no prompt of this name for the caller. */
  get(name: string, context: CallContext, input: Record<string, string>): Prompt | undefined;
  /** How the streams begin whose entries can change what is listed: no other entry is shown to it. */
  streams: string;
  /** Whether an entry may have changed what is listed to a caller. Where it is absent, nothing does. */
  relistedBy?(entry: Entry, contextOf: () => CallContext): boolean;
}

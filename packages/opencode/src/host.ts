/** What of OpenCode's plugin API (1.18) is used here, as its own types say it. Everything else passes untouched. */

export interface Plugin {
  id: string;
  server(input: PluginInput, options?: Record<string, unknown>): Promise<PluginHooks>;
}

export interface PluginInput {
  directory: string;
}

export interface PluginHooks {
  config(config: Config): Promise<void>;
  event(input: { event: HostEvent }): Promise<void>;
  'chat.message'(
    input: { sessionID: string },
    output: { message: MessageInfo; parts: Part[] },
  ): Promise<void>;
  'chat.params'(input: { model: Model }, output: unknown): Promise<void>;
  'tool.execute.after'(
    input: { tool: string; sessionID: string; callID: string; args: unknown },
    output: unknown,
  ): Promise<void>;
  'experimental.chat.messages.transform'(input: unknown, output: { messages: HostMessage[] }): Promise<void>;
  'experimental.chat.system.transform'(
    input: { sessionID?: string },
    output: { system: string[] },
  ): Promise<void>;
  'experimental.session.compacting'(
    input: { sessionID: string },
    output: { context: string[] },
  ): Promise<void>;
  'experimental.text.complete'(input: { sessionID: string }, output: { text: string }): Promise<void>;
  dispose(): Promise<void>;
}

export interface Config {
  mcp?: Record<string, { enabled?: boolean; command?: readonly string[]; url?: string }>;
}

export interface HostEvent {
  type: string;
  properties?: { sessionID?: string; info?: { id?: string; parentID?: string } };
}

export interface Model {
  id: string;
  providerID: string;
  /** US dollars for a million tokens; nothing where nobody knows. */
  cost?: { input?: number; cache?: { read?: number; write?: number } };
  limit?: { context?: number };
}

export interface HostMessage {
  info: MessageInfo;
  parts: readonly Part[];
}

export interface MessageInfo {
  id: string;
  sessionID: string;
  role: 'user' | 'assistant';
  /** Of a person's message. */
  model?: { providerID: string; modelID: string };
  /** It is what a compaction left of all before it. A person's message has something else by this name. */
  summary?: unknown;
  /** Of an answer: what its provider counted. */
  tokens?: { input?: number; cache?: { read?: number; write?: number } };
}

export type Part = TextPart | ToolPart | OtherPart;

export interface TextPart {
  type: 'text';
  id?: string;
  sessionID?: string;
  messageID?: string;
  text: string;
  /** Shown to people, not to the model. */
  ignored?: boolean;
  synthetic?: boolean;
}

export interface ToolPart {
  type: 'tool';
  tool: string;
  callID: string;
  state: ToolState;
}

export type ToolState =
  | { status: 'pending' | 'running'; input: unknown }
  | {
      status: 'completed';
      input: unknown;
      output: string;
      attachments?: readonly unknown[];
      /** The host itself has cleared it. */
      time?: { compacted?: number };
    }
  | { status: 'error'; input: unknown; error: string };

/** Thinking, pictures, marks of steps. */
export interface OtherPart {
  type: 'step-start' | 'step-finish' | 'reasoning' | 'file' | 'compaction' | 'agent' | 'patch' | 'snapshot';
  mime?: string;
  text?: string;
}

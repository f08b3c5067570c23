/** What of Pi's extension API (0.87) is used here, as its own types say it. */

export interface ExtensionApi {
  on<Name extends keyof Events>(
    event: Name,
    handler: (event: Events[Name], context: ExtensionContext) => Promise<unknown>,
  ): unknown;
  registerTool(tool: ToolDefinition): void;
  sendMessage(
    message: { customType: string; content: string; display: boolean },
    options: { deliverAs: 'steer' },
  ): void;
}

export interface Events {
  session_start: { reason: 'startup' | 'reload' | 'new' | 'resume' | 'fork' };
  session_shutdown: { reason: string };
  before_agent_start: { prompt: string; systemPromptOptions?: { sections?: Record<string, string> } };
  context: { messages: readonly HostMessage[] };
  tool_result: {
    toolCallId: string;
    toolName: string;
    input: unknown;
    content: readonly Block[];
    isError: boolean;
  };
  session_before_compact: { preparation: { messagesToSummarize: HostMessage[] } };
  session_compact: { reason: string };
}

export interface ExtensionContext {
  cwd: string;
  sessionManager: { getSessionId(): string; getSessionFile(): string | undefined };
  model?: Model | undefined;
  ui?: { notify(message: string, type: 'warning'): void };
}

export interface Model {
  id: string;
  provider: string;
  contextWindow?: number;
  /** US dollars for a million tokens. */
  cost?: { input?: number; cacheRead?: number; cacheWrite?: number };
}

export interface ToolDefinition {
  name: string;
  label: string;
  description: string;
  /** A JSON Schema. */
  parameters: unknown;
  execute(
    callId: string,
    input: unknown,
    signal: AbortSignal | undefined,
    update: unknown,
    context: ExtensionContext,
  ): Promise<ToolResult>;
}

export interface ToolResult {
  content: Block[];
  details: unknown;
}

export type Block =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string }
  | { type: 'toolCall'; id: string; name: string; arguments: unknown }
  | { type: 'image'; mimeType: string };

export type HostMessage = UserMessage | AssistantMessage | ResultMessage | OtherMessage;

export interface UserMessage {
  role: 'user';
  content: string | readonly Block[];
}

export interface AssistantMessage {
  role: 'assistant';
  content: readonly Block[];
  usage?: { input?: number; cacheRead?: number; cacheWrite?: number };
}

export interface ResultMessage {
  role: 'toolResult';
  toolCallId: string;
  content: readonly Block[];
}

/** What Pi itself writes as a user's message: commands that a person ran, summaries, what extensions say. */
export interface OtherMessage {
  role: 'bashExecution' | 'custom' | 'branchSummary' | 'compactionSummary' | 'system';
}

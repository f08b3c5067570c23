import {
  dataFolder,
  FileMemory,
  Hooks,
  HostWindow,
  hostModel,
  newHandle,
  STARTING,
  sha256,
} from '@infold/client/host';
import type { Events, ExtensionApi, ExtensionContext, Model } from './host.ts';
import { arranged, chatOf, countedIn, resultText } from './messages.ts';
import { Tools } from './tools.ts';

export interface Options {
  /** Where Infold keeps its data; otherwise INFOLD_DATA, or `~/.infold`. */
  data?: string;
  /** What starts Infold, before its own arguments. */
  command?: readonly string[];
}

const COMMAND = ['npx', '-y', 'infold'];
/** Between the start of a session and its first prompt. A server that takes longer offers its tools later. */
const PATIENCE = 10_000;

/** Infold in Pi: its tools, the window's rules before each request, and what hooks do elsewhere. No part of it ever throws. */
export function createExtension(pi: ExtensionApi, options: Options = {}): void {
  const data = dataFolder(options.data);
  const tools = new Tools(pi, [...(options.command ?? COMMAND), 'stdio', '--data', data]);
  const memory = new FileMemory(data, 'pi');
  const window = new HostWindow({
    memory,
    digest: sha256,
    newHandle,
    keep: (session, originals) => hooks.keep(session, originals),
  });
  let hooks = new Hooks({ host: 'pi', data, folder: process.cwd() });
  /** What Infold said when the session began: it stays in the system prompt to the byte, also when Pi starts again. */
  let said: string[] = [];

  const tell = ({ sessionManager }: ExtensionContext, event: string, payload: object, patience = 0) => {
    const transcript = sessionManager.getSessionFile();
    const told = {
      ...payload,
      ...(transcript !== undefined && { transcript_path: transcript }),
    };
    return hooks.tell(event, sessionManager.getSessionId(), told, patience);
  };
  const on = <Name extends keyof Events>(
    name: Name,
    handle: (event: Events[Name], context: ExtensionContext) => Promise<unknown>,
  ) =>
    pi.on(name, async (event, context) => {
      try {
        return await handle(event, context);
      } catch {
        return undefined;
      }
    });

  on('session_start', async ({ reason }, context) => {
    hooks = new Hooks({ host: 'pi', data, folder: context.cwd });
    const started = tools.start(context.cwd).catch((error: Error) => {
      context.ui?.notify(`Infold was not started: ${error.message}`, 'warning');
    });
    await Promise.race([started, pause(PATIENCE)]);
    const session = context.sessionManager.getSessionId();
    const text = await tell(
      context,
      'SessionStart',
      { source: SOURCES[reason] ?? 'startup' },
      tools.names.size > 0 ? STARTING : 0,
    );
    said = memory.said(session).map((one) => one.text);
    if (text === undefined) return;
    said.push(text);
    memory.addSaid(session, { text });
  });
  on('before_agent_start', async ({ prompt, systemPromptOptions }, context) => {
    if (said.length > 0 && systemPromptOptions?.sections) {
      systemPromptOptions.sections.infold = said.join('\n\n');
    }
    const content = await tell(context, 'UserPromptSubmit', { prompt });
    return content === undefined ? undefined : { message: { customType: 'infold', content, display: false } };
  });
  on('context', async ({ messages }, { sessionManager, model }) => {
    const counted = countedIn(messages);
    const arrangement = await window.arrange({
      session: sessionManager.getSessionId(),
      messages: chatOf(messages),
      model: modelOf(model),
      canExpand: tools.names.has('context_expand'),
      ...(counted !== undefined && { counted }),
      at: Date.now(),
    });
    return { messages: arranged(messages, arrangement) };
  });
  on('tool_result', async ({ toolCallId, toolName, input, content, isError }, context) => {
    const text = resultText(content);
    await tell(context, isError ? 'PostToolUseFailure' : 'PostToolUse', {
      ...{ tool_name: toolName, tool_input: input, tool_use_id: toolCallId },
      ...(isError ? { error: text } : { tool_response: text }),
    });
  });
  on('session_before_compact', async ({ preparation }, context) => {
    const text = await tell(context, 'PreCompact', { trigger: 'auto' });
    // Pi asks nobody what a summary should hold; it holds what it was made of.
    if (text !== undefined) preparation.messagesToSummarize.push({ role: 'user', content: text });
  });
  on('session_compact', async (_, context) => {
    const content = await tell(context, 'SessionStart', { source: 'compact' });
    // Pi may go on at once, and asks for its system prompt only at the next prompt of a person.
    if (content !== undefined) {
      pi.sendMessage({ customType: 'infold', content, display: false }, { deliverAs: 'steer' });
    }
  });
  on('session_shutdown', async ({ reason }, context) => {
    await tell(context, 'SessionEnd', { reason });
    await tools.stop();
  });
}

const SOURCES = {
  startup: 'startup',
  reload: 'resume',
  new: 'clear',
  resume: 'resume',
  fork: 'fork',
} as const;

function modelOf(model: Model | undefined) {
  return hostModel({
    provider: model?.provider ?? '',
    model: model?.id ?? '',
    input: model?.cost?.input,
    cacheRead: model?.cost?.cacheRead,
    cacheWrite: model?.cost?.cacheWrite,
    contextWindow: model?.contextWindow,
  });
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });
}

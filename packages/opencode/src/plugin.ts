import { dataFolder, FileMemory, Hooks, HostWindow, newHandle, sha256 } from '@infold/client/host';
import type { Config, Model, PluginHooks, PluginInput, TextPart } from './host.ts';
import { arranged, chatOf } from './messages.ts';
import { countedIn, modelFor, nameOf } from './model.ts';
import { partId, textOfResult } from './parts.ts';
import { Sessions } from './sessions.ts';

/** Infold in OpenCode: the window's rules before each request, and what hooks do elsewhere. No part of it ever throws. */
export function createHooks({ directory }: PluginInput, options: Record<string, unknown> = {}): PluginHooks {
  const data = dataFolder(options.data);
  const hooks = new Hooks({ host: 'opencode', data, folder: directory });
  const memory = new FileMemory(data, 'opencode');
  const sessions = new Sessions(hooks, memory);
  const window = new HostWindow({
    memory,
    digest: sha256,
    newHandle,
    keep: (session, originals) => hooks.keep(session, originals),
  });
  const models = new Map<string, Model>();
  let canExpand = false;

  return quiet({
    async config(config) {
      canExpand = offersInfold(config);
      sessions.isServed = canExpand;
    },
    async event({ event }) {
      await sessions.happened(event);
    },
    async 'chat.message'({ sessionID }, { message, parts }) {
      const prompt = parts.flatMap((part) => (part.type === 'text' && !part.synthetic ? [part.text] : []));
      const context = await sessions.prompted(sessionID, prompt.join('\n'));
      if (context === undefined) return;
      const added: TextPart = {
        type: 'text',
        id: partId(),
        sessionID,
        messageID: message.id,
        text: context,
        synthetic: true,
      };
      parts.push(added);
    },
    async 'chat.params'({ model }) {
      models.set(nameOf(model.providerID, model.id), model);
    },
    async 'tool.execute.after'({ tool, sessionID, callID, args }, output) {
      await sessions.called(sessionID, {
        tool_name: tool,
        tool_input: args,
        tool_use_id: callID,
        tool_response: textOfResult(output),
      });
    },
    async 'experimental.chat.messages.transform'(_, { messages }) {
      const session = messages[0]?.info.sessionID;
      if (session === undefined) return;
      const summary = messages.findLast(({ info }) => info.role === 'assistant' && info.summary)?.info.id;
      const isResumed = messages.some(({ info }) => info.role === 'assistant');
      sessions.seen(session, isResumed, summary);
      const chat = chatOf(messages);
      const counted = countedIn(messages);
      const arrangement = await window.arrange({
        session: sessions.windowOf(session),
        messages: chat.messages,
        model: modelFor(messages, models),
        canExpand,
        ...(counted !== undefined && { counted }),
        at: Date.now(),
      });
      // The host goes on with this very list.
      messages.splice(0, messages.length, ...arranged(messages, chat, arrangement));
    },
    async 'experimental.chat.system.transform'({ sessionID }, { system }) {
      if (sessionID === undefined) return;
      const text = await sessions.textFor(sessionID);
      if (text !== undefined) system.push(text);
    },
    async 'experimental.session.compacting'({ sessionID }, { context }) {
      const text = await sessions.compacting(sessionID);
      if (text !== undefined) context.push(text);
    },
    async 'experimental.text.complete'({ sessionID }, { text }) {
      sessions.said(sessionID, text);
    },
    async dispose() {
      await sessions.end();
    },
  });
}

/** Whether one of the host's MCP servers is ours: then the model can call `context_expand`. */
function offersInfold({ mcp }: Config): boolean {
  return Object.entries(mcp ?? {}).some(
    ([name, { enabled, command, url }]) =>
      enabled !== false && /infold/.test([name, ...(command ?? []), url].join(' ')),
  );
}

/** A hook that throws kills the host's turn. */
function quiet(hooks: PluginHooks): PluginHooks {
  const guarded = Object.entries(hooks).map(([name, hook]: [string, (...args: never[]) => Promise<void>]) => [
    name,
    async (...args: never[]) => {
      try {
        await hook(...args);
      } catch {}
    },
  ]);
  return Object.fromEntries(guarded) as PluginHooks;
}

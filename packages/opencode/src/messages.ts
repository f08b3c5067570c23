import { type Arrangement, type ChatMessage, type ChatPart, chatCall } from '@infold/client/host';
import type { HostMessage, Part, ToolPart } from './host.ts';

/** A host's conversation as the rules read it, and which parts of it each message came from. */
export interface Chat {
  messages: readonly ChatMessage[];
  /** The place of the host's message, and of its parts. */
  from: readonly { message: number; parts: readonly number[] }[];
}

/** What the host writes for a call that did not end. */
const INTERRUPTED = '[Tool execution was interrupted]';
/** … and for a result that it cleared itself. */
const CLEARED = '[Old tool result content cleared]';

export function chatOf(messages: readonly HostMessage[]): Chat {
  const written: ChatMessage[] = [];
  const from: Chat['from'][number][] = [];
  const add = (message: number, parts: readonly number[], chat: ChatMessage) => {
    written.push(chat);
    from.push({ message, parts });
  };
  for (const [place, { info, parts }] of messages.entries()) {
    const places = [...parts.keys()];
    if (info.role === 'user') {
      add(place, places, { role: 'user', content: userContent(parts) });
      continue;
    }
    for (const step of stepsOf(parts)) {
      const calls = step.flatMap((at) => (parts[at]!.type === 'tool' ? [parts[at] as ToolPart] : []));
      const own = step.filter((at) => parts[at]!.type !== 'tool');
      const said = own.map((at) => textOf(parts[at]!)).join('');
      add(place, own, {
        role: 'assistant',
        content: said === '' ? null : said,
        ...(calls.length > 0 && {
          tool_calls: calls.map(({ callID, tool, state }) => chatCall(callID, tool, state.input)),
        }),
      });
      for (const at of step) {
        const part = parts[at]!;
        if (part.type !== 'tool') continue;
        add(place, [at], { role: 'tool', tool_call_id: part.callID, content: resultOf(part) });
      }
    }
  }
  return { messages: written, from };
}

/** An answer of the model holds one step or several, each with its words, its calls and their results. */
function stepsOf(parts: readonly Part[]): number[][] {
  const steps: number[][] = [[]];
  for (const [place, { type }] of parts.entries()) {
    if (type === 'step-start' && steps.at(-1)!.length > 0) steps.push([]);
    steps.at(-1)!.push(place);
  }
  return steps;
}

function userContent(parts: readonly Part[]): string | ChatPart[] {
  const shown = parts.flatMap((part): ChatPart[] => {
    if (part.type === 'text') return part.ignored ? [] : [{ type: 'text', text: part.text }];
    return part.type === 'file' ? [{ type: 'file', mime: part.mime ?? '' }] : [];
  });
  const [first] = shown;
  return shown.length === 1 && first!.type === 'text' ? first!.text : shown;
}

function textOf(part: Part): string {
  return part.type === 'text' || part.type === 'reasoning' ? (part.text ?? '') : '';
}

function resultOf({ state }: ToolPart): string | ChatPart[] {
  if (state.status === 'error') return state.error;
  if (state.status !== 'completed') return INTERRUPTED;
  if (state.time?.compacted) return CLEARED;
  const files = state.attachments ?? [];
  return files.length === 0
    ? state.output
    : [{ type: 'text', text: state.output }, ...files.map(() => ({ type: 'file' as const, mime: '' }))];
}

/** The host's messages as they are to be sent. Those that change are copies: the host may keep its own. */
export function arranged(
  messages: readonly HostMessage[],
  { from }: Chat,
  { dropped, texts }: Arrangement,
): HostMessage[] {
  const gone = new Map<number, Set<number>>();
  const stays = new Set<number>();
  for (const [place, { message, parts }] of from.entries()) {
    if (!dropped.has(place)) stays.add(message);
    else gone.set(message, new Set([...(gone.get(message) ?? []), ...parts]));
  }
  return messages.flatMap((message, place) => {
    const leaves = gone.get(place);
    if (leaves && !stays.has(place)) return [];
    const isChanged = leaves || message.parts.some((part) => part.type === 'tool' && texts.has(part.callID));
    if (!isChanged) return [message];
    const parts = message.parts.filter((_, at) => !leaves?.has(at));
    return [{ ...message, parts: parts.map((part) => replaced(part, texts)) }];
  });
}

function replaced(part: Part, texts: Arrangement['texts']): Part {
  const text = part.type === 'tool' ? texts.get(part.callID) : undefined;
  if (text === undefined || part.type !== 'tool') return part;
  if (part.state.status === 'completed') return { ...part, state: { ...part.state, output: text } };
  return part.state.status === 'error' ? { ...part, state: { ...part.state, error: text } } : part;
}

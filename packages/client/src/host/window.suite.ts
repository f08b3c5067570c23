import type { ChatMessage } from './chat.ts';
import { newHandle, sha256 } from './ids.ts';
import { type Arrangement, type HostRequest, HostWindow, type Kept, type WindowLine } from './window.ts';

/** A window whose memory and archive are in this process. */
export class TestWindow {
  readonly lines = new Map<string, WindowLine[]>();
  readonly originals = new Map<string, string>();
  /** Whether the archive takes anything. */
  isListening = true;
  window = this.#open();

  /** As after a start of the host. */
  restart(): void {
    this.window = this.#open();
  }

  arrange(request: HostRequest): Promise<Arrangement> {
    return this.window.arrange(request);
  }

  #open(): HostWindow {
    return new HostWindow({
      memory: {
        read: (session) => structuredClone(this.lines.get(session) ?? []),
        append: (session, line) => {
          this.lines.set(session, [...(this.lines.get(session) ?? []), structuredClone(line)]);
        },
      },
      digest: sha256,
      newHandle,
      keep: async (_, originals) => this.#keep(originals),
    });
  }

  #keep(originals: readonly Kept[]): boolean {
    if (this.isListening) for (const { handle, text } of originals) this.originals.set(handle, text);
    return this.isListening;
  }
}

export const MODEL = {
  name: 'openai/gpt-5.2',
  prices: { read: 0.1, write: 1 },
  wantsMarks: false,
  contextWindow: 400_000,
};

/** What a host sends of its messages. */
export function applied(messages: readonly ChatMessage[], { dropped, texts }: Arrangement): ChatMessage[] {
  return messages.flatMap((message, place) => {
    if (dropped.has(place)) return [];
    const text = message.role === 'tool' ? texts.get(message.tool_call_id) : undefined;
    return [text === undefined ? message : { ...message, content: text }];
  });
}

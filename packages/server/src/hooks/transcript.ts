import { open, stat } from 'node:fs/promises';

/**
 * What hosts write down of their conversations, as far as a hook needs it. The forms are the hosts' own and change: what is
 * not understood is left out.
 */
const END = 1024 * 1024;
const BEGINNING = 64 * 1024;
const DEEPEST = 12;

export interface TranscriptCall {
  tool: string;
  input: unknown;
}

/** The calls at the end of a conversation, the newest first; none where the file cannot be read. */
export async function lastCalls(path: string, bytes = END): Promise<TranscriptCall[]> {
  const calls: TranscriptCall[] = [];
  for (const line of linesOf(await partOf(path, -bytes))) collect(line, calls, 0);
  return calls.reverse();
}

/** The host's id of the session that this one was forked from, where the beginning says so (Claude Code, Codex). */
export async function forkedFrom(path: string): Promise<string | undefined> {
  for (const line of linesOf(await partOf(path, BEGINNING))) {
    const { forkedFrom: fork, payload } = line as { forkedFrom?: unknown; payload?: unknown };
    const id = fieldOf(fork, 'sessionId') ?? fieldOf(payload, 'forked_from_id');
    if (typeof id === 'string') return id;
  }
  return undefined;
}

/** What Gemini CLI lets its model say to the summary that it has put in place of a conversation. */
const ACKNOWLEDGED = 'Got it. Thanks for the additional context!';

/** By which the last compression of a Gemini conversation is known; undefined where there was none. */
export async function lastCompression(path: string): Promise<string | undefined> {
  const lines = linesOf(await partOf(path, -4 * END)).reverse();
  for (const line of lines) {
    const messages = fieldOf(fieldOf(line, '$set'), 'messages');
    if (!Array.isArray(messages)) continue;
    const said = messages.findLast((message) =>
      JSON.stringify(fieldOf(message, 'content'))?.includes(ACKNOWLEDGED),
    );
    const id = fieldOf(said, 'id');
    return typeof id === 'string' ? id : undefined;
  }
  return undefined;
}

/** A call has a name and what it was given, as an object or as the text of one. */
function collect(value: unknown, calls: TranscriptCall[], depth: number): void {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return;
  if (Array.isArray(value)) {
    for (const each of value) collect(each, calls, depth + 1);
    return;
  }
  const { name, input, args, arguments: given } = value as Record<string, unknown>;
  const said = input ?? args ?? given;
  if (typeof name === 'string' && said !== undefined) {
    calls.push({ tool: name, input: typeof said === 'string' ? (jsonOf(said) ?? said) : said });
    return;
  }
  for (const each of Object.values(value)) collect(each, calls, depth + 1);
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** Lines that were cut off are no JSON, and stay out. */
function linesOf(text: string): object[] {
  return text.split('\n').flatMap((line) => {
    const value = jsonOf(line);
    return typeof value === 'object' && value !== null ? [value] : [];
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** So many bytes from the beginning, or with a minus from the end. Opening a pipe would wait for whoever writes to it. */
async function partOf(path: string, bytes: number): Promise<string> {
  try {
    if (!(await stat(path)).isFile()) return '';
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      const length = Math.min(size, Math.abs(bytes));
      const buffer = Buffer.alloc(length);
      const { bytesRead } = await file.read(buffer, 0, length, bytes < 0 ? size - length : 0);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return '';
  }
}

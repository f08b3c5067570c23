/** A result without what the host wrote around it, and how that is put back. */
export interface Opened {
  body: string;
  close(body: string): string;
}

const CODEX_HEAD =
  /^(?:(?:Chunk ID|Wall time|Exit code|Original token count|Total output lines|Process exited with code|Process running with session ID)\b[^\n]{0,200}\n){1,8}Output:\n/;
const CLAUDE_HEAD = /^Exit code \d+\n/;
const GEMINI_HEAD =
  /^(?:<untrusted_context>\n)?(?:Command: [^\n]{0,4000}\n)?(?:Directory: [^\n]{0,1000}\n)?(?:Output|Stdout): /;
const GEMINI_TAIL =
  /(?:\n(?:Stderr|Error|Exit Code|Signal|Background PIDs|Process Group PGID): [^\n]{0,400}){1,6}\s{0,4}(?:<\/untrusted_context>\s{0,4})?$/;
const TAIL_CHARACTERS = 4_000;

/** Takes off what hosts write around a command's output, so that its own form can be seen. */
export function opened(text: string): Opened {
  const json = codexJson(text);
  if (json) return json;
  const start = text.slice(0, 8_000);
  const head = (CODEX_HEAD.exec(start) ?? CLAUDE_HEAD.exec(start) ?? GEMINI_HEAD.exec(start))?.[0] ?? '';
  const end = text.slice(Math.max(head.length, text.length - TAIL_CHARACTERS));
  const tail = GEMINI_HEAD.test(head) ? (GEMINI_TAIL.exec(end)?.[0] ?? '') : '';
  return {
    body: text.slice(head.length, text.length - tail.length),
    close: (body) => `${head}${body}${tail}`,
  };
}

/** Codex' `shell` gives its output as a string inside of JSON. */
function codexJson(text: string): Opened | undefined {
  if (!text.startsWith('{"output":') || !text.slice(-400).includes('"metadata":')) return undefined;
  let parsed: { output?: unknown };
  try {
    parsed = JSON.parse(text) as { output?: unknown };
  } catch {
    return undefined;
  }
  if (typeof parsed.output !== 'string') return undefined;
  return { body: parsed.output, close: (body) => JSON.stringify({ ...parsed, output: body }) };
}

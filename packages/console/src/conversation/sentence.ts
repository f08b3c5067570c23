/** What went wrong, in the server's own words where it said some. */
export function sentenceOf(error: unknown): string {
  // What `fetch` throws where nobody answers; browsers word it differently.
  if (error instanceof TypeError) return 'The server does not answer. Is “infold serve” still running?';
  const message = error instanceof Error ? error.message : String(error);
  const answer = POSTED.exec(message)?.[1];
  return answer === undefined ? message : (saidIn(answer) ?? message);
}

/** Whether the server heard the call and said no: errors of JSON-RPC have negative codes, and others none. */
export function isRefusal(error: unknown): boolean {
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'number' && code < 0;
}

/** How the MCP client tells of an answer that is none of the protocol: with its body. */
const POSTED = /^Error POSTing to endpoint[^:]*: ([\s\S]*)$/;
/** Of what is no message. */
const SHOWN = 300;

/** The message in a refusal: most APIs say `{error: {message}}`, ours says `{error}`; else its beginning. */
export function saidIn(body: string): string | undefined {
  try {
    const { error } = JSON.parse(body) as { error?: { message?: unknown } | string };
    const message = typeof error === 'object' ? error?.message : error;
    if (typeof message === 'string' && message !== '') return message.slice(0, SHOWN);
  } catch {
    // Not JSON: its beginning tells more than nothing.
  }
  const line = body.replaceAll(/\s+/g, ' ').trim().slice(0, SHOWN);
  return line === '' ? undefined : line;
}

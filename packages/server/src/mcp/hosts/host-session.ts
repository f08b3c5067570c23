import { HOST_SESSION_ID, META } from '@infold/protocol';

/**
 * What a host says of its own session beside a call. No model is told it, so no model can pass it; where the host tells
 * us, its windows, restarts and hooks mean the same session. Which host tells what was seen with the real programs.
 */
export interface HostSession {
  id?: string;
  /** Why what it told was not used. */
  notice?: string;
}

const CALL_ID = /^[\w.:|-]{1,256}$/;

/** One that Infold's own clients may use. */
const HEADER = 'x-infold-session';

interface Told {
  /** The id of the conversation. */
  session?: unknown;
  /** Who of the agents that share the conversation calls. The main one has none. */
  agent?: unknown;
}

type Reader = (name: string) => unknown;

/** What is said beside one call, in `_meta` or in the headers of its request: the first that says something counts. */
const IN_META: ((read: Reader) => Told)[] = [
  (read) => ({ session: read(META.session) }),
  // Codex: subagents are threads of their own within one session.
  (read) => ({ session: read('threadId') ?? read('sessionId') }),
];
const IN_HEADERS: ((read: Reader) => Told)[] = [
  (read) => ({ session: read(HEADER) }),
  // Claude Code: subagents share the session's id.
  (read) => ({ session: read('x-claude-code-session-id'), agent: read('x-claude-code-agent-id') }),
  // Codex.
  (read) => ({ session: read('thread-id') ?? read('session-id') }),
  // OpenCode.
  (read) => ({ session: read('x-session-id') }),
];

/** What hosts put into the environment of a process that they start, and by which names their MCP clients go. */
const IN_ENVIRONMENT = [
  { variable: 'CLAUDE_CODE_SESSION_ID', client: /claude/i },
  { variable: 'QWEN_CODE_SESSION_ID', client: /qwen/i },
  { variable: 'GEMINI_SESSION_ID', client: /gemini/i },
] as const;
/** Hosts that set no such variable, and would pass on those of a host that they were started from. */
const OTHER_CLIENTS = /codex|opencode|cursor|vscode|visual studio|copilot|windsurf|zed|goose|cline/i;

export function hostSessionIn(
  meta: Record<string, unknown> | undefined,
  headers: Pick<Headers, 'get'> | undefined,
): HostSession {
  const inMeta = IN_META.map((told) => told((name) => meta?.[name]));
  const inHeaders = IN_HEADERS.map((told) => told((name) => headers?.get(name) ?? undefined));
  const told = [...inMeta, ...inHeaders].find(({ session }) => session !== undefined);
  return told ? nameOf(told) : {};
}

/** The id that the host's model gave the call: the result stands under it in the host's requests to that model. */
export function callIdIn(meta: Record<string, unknown> | undefined): string | undefined {
  const id = meta?.['claudecode/toolUseId'] ?? meta?.callId;
  return typeof id === 'string' && CALL_ID.test(id) ? id : undefined;
}

/** An environment is inherited: a host that was started from within another one's session has that one's variable too. */
export function hostSessionOf(
  environment: Readonly<Record<string, string | undefined>>,
  client: string | undefined,
): HostSession {
  const set = IN_ENVIRONMENT.filter(({ variable }) => environment[variable]);
  const own = client === undefined ? [] : set.filter((host) => host.client.test(client));
  const isOther =
    client !== undefined &&
    (OTHER_CLIENTS.test(client) || IN_ENVIRONMENT.some((host) => host.client.test(client)));
  const meant = own.length > 0 ? own : isOther ? [] : set;
  if (meant.length === 0) return {};
  if (meant.length === 1) return nameOf({ session: environment[meant[0]!.variable] });
  const names = meant.map(({ variable }) => variable).join(' and ');
  return { notice: `${names} are both set: neither was used as the session id; set it with --session` };
}

/** An agent that shares its host's session has a session of its own beside it. */
function nameOf({ session, agent }: Told): HostSession {
  const id = agent === undefined || agent === '' ? session : `${session}_${agent}`;
  if (typeof id === 'string' && HOST_SESSION_ID.test(id)) return { id };
  const shown = String(id).slice(0, 40);
  return {
    notice: `The host's session id "${shown}" was ignored: it must have 1 to 128 letters, digits, "-" or "_"`,
  };
}

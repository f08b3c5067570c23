export type WarningCode =
  | 'bad_observation'
  | 'bad_meta'
  | 'bad_summary'
  | 'bad_handle'
  | 'bad_hint'
  | 'duplicate_result'
  | 'foreign_handle'
  | 'ignored_signal'
  | 'bad_tool_name'
  | 'too_many_pairs'
  | 'unknown_message'
  | 'listener_failed'
  | 'policy_failed';

export interface Warning {
  code: WarningCode;
  message: string;
  /** Where it is about one result. */
  server?: string;
  callId?: string;
}

export type Warn = (code: WarningCode, message: string) => void;

/** Without a listener each kind of problem is told once: a hostile server must not be able to fill a log. */
export function consoleOnce(): (warning: Warning) => void {
  const told = new Set<WarningCode>();
  return ({ code, message, server }) => {
    if (told.has(code)) return;
    told.add(code);
    console.warn(
      `@infold/client: ${message}${server === undefined ? '' : ` (server ${JSON.stringify(server)})`}`,
    );
  };
}

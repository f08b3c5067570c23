/**
 * The words of the gateway's wire and how kinds are matched, without schemas: a client in a browser needs these and
 * not a validator.
 */
export const ENVELOPE_PROTOCOL = 'mcpp/v0.1';
export const GATEWAY_SENDER = 'system:gateway';

export const CLOSE_CODES = {
  goingAway: 1001,
  tokenRevoked: 4001,
  tooSlow: 4008,
  replaced: 4009,
} as const;

/** A pattern in which `*` stands for any text, also in the middle. Linear in the text, whatever the pattern. */
export function wildcard(pattern: string): (text: string) => boolean {
  const parts = pattern.split('*');
  if (parts.length === 1) return (text) => text === pattern;
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  const middle = parts.slice(1, -1).filter((part) => part !== '');
  return (text) => {
    if (text.length < first.length + last.length) return false;
    if (!text.startsWith(first) || !text.endsWith(last)) return false;
    let place = first.length;
    const end = text.length - last.length;
    for (const part of middle) {
      const found = text.indexOf(part, place);
      if (found === -1 || found + part.length > end) return false;
      place = found + part.length;
    }
    return place <= end;
  };
}

/** Kinds seen at once by one matcher; a sender that makes up new ones must not fill the memory. */
const REMEMBERED_KINDS = 256;

/**
 * SUB-07: what capabilities allow, compiled once. `!` forbids, whatever else allows it; a list that only forbids
 * allows the rest. An empty list allows nothing.
 */
export function compileCapabilities(capabilities: readonly string[]): (kind: string) => boolean {
  const allowed = capabilities.filter((capability) => !capability.startsWith('!')).map(wildcard);
  const denied = capabilities
    .filter((capability) => capability.startsWith('!'))
    .map((text) => wildcard(text.slice(1)));
  if (allowed.length === 0 && denied.length > 0) allowed.push(() => true);
  const known = new Map<string, boolean>();
  return (kind) => {
    const answer = known.get(kind);
    if (answer !== undefined) return answer;
    const verdict = allowed.some((matches) => matches(kind)) && !denied.some((matches) => matches(kind));
    if (known.size < REMEMBERED_KINDS) known.set(kind, verdict);
    return verdict;
  };
}

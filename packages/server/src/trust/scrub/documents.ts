import { looksChosen } from './chosen.ts';
import { isPlaceholder } from './placeholder.ts';
import { looksRandom } from './shape.ts';
import { type Finding, Rank } from './types.ts';

/** Secrets that take a look at the document around them. */

const REACH = 2000;
const JWK_MEMBER = /"(d|p|q|dp|dq|qi|k)"\s{0,4}:\s{0,4}"([A-Za-z0-9_-]{16,1400})"/g;

/** The private members of a JSON Web Key, whichever side of `kty` they stand on. */
export function jwkSecrets(text: string, at: number): Finding[] {
  const open = text.lastIndexOf('{', at);
  const close = text.indexOf('}', at);
  if (open === -1 || at - open > REACH || close === -1 || close - at > 4 * REACH) return [];
  const findings: Finding[] = [];
  for (const match of text.slice(open, close).matchAll(JWK_MEMBER)) {
    const value = match[2]!;
    if (!looksRandom(value.slice(0, 256), 16) || isPlaceholder(value)) continue;
    const end = open + match.index + match[0].length - 1;
    findings.push({ start: end - value.length, end, kind: 'jwk-private-key', rank: Rank.format });
  }
  return findings;
}

const DATA_LINE = /^(\s{1,12})(["']?)[\w.-]{1,100}\2:[ \t]{1,4}(["']?)([^\s"'#]{4,4000})\3[ \t]*$/;

/** Every value of a Kubernetes Secret's `data`, whatever it is called. */
export function kubernetesSecret(text: string, after: number): Finding[] {
  const findings: Finding[] = [];
  let cursor = text.indexOf('\n', after);
  if (cursor === -1 || cursor - after > 8) return findings;
  let inside = false;
  for (let line = 0; line < 60 && cursor !== -1 && cursor < after + 3 * REACH; line++) {
    const start = cursor + 1;
    cursor = text.indexOf('\n', start);
    const content = text.slice(start, Math.min(cursor === -1 ? text.length : cursor, start + 5000));
    if (content.startsWith('---')) break;
    if (/^(?:data|stringData):\s*$/.test(content)) inside = true;
    else if (/^\S/.test(content)) inside = false;
    else if (inside) {
      const match = DATA_LINE.exec(content);
      if (match === null || isPlaceholder(match[4]!)) continue;
      const end = start + match.index + match[0].trimEnd().length - match[3]!.length;
      findings.push({ start: end - match[4]!.length, end, kind: 'kubernetes-secret', rank: Rank.context });
    }
  }
  return findings;
}

const BEFORE_AT = /(?:^|[\s"'`=])[\w.%-]{1,64}:([^\s"'`]{3,128})$/;

/** Go's form of a database address: `user:password@tcp(host:3306)/name`. */
export function goPassword(text: string, at: number): Finding | undefined {
  const match = BEFORE_AT.exec(text.slice(Math.max(0, at - 200), at));
  if (match === null || match[1]!.startsWith('//') || !looksChosen(match[1]!)) return undefined;
  return { start: at - match[1]!.length, end: at, kind: 'url-password', rank: Rank.context };
}

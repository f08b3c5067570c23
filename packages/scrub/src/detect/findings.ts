import type { Finding } from './types.ts';

/** Overlapping findings become one that covers them all and is named after the surest of them. */
export function mergeFindings(findings: Finding[]): Finding[] {
  if (findings.length < 2) return findings;
  findings.sort((one, other) => one.start - other.start || other.end - one.end);
  const merged: Finding[] = [];
  let current = findings[0]!;
  for (const finding of findings) {
    if (finding.start >= current.end) {
      merged.push(current);
      current = finding;
      continue;
    }
    if (finding.rank > current.rank) {
      current.kind = finding.kind;
      current.rank = finding.rank;
    }
    if (finding.end > current.end) current.end = finding.end;
  }
  merged.push(current);
  return merged;
}

/** What a secret is replaced by. */
export const markerOf = (kind: string): string => `[REDACTED:${kind}]`;

export function replaceFindings(text: string, findings: readonly Finding[]): string {
  const parts: string[] = [];
  let position = 0;
  for (const finding of findings) {
    parts.push(text.slice(position, finding.start), markerOf(finding.kind));
    position = finding.end;
  }
  parts.push(text.slice(position));
  return parts.join('');
}

import { isAlphanumeric } from './characters.ts';

/**
 * Secrets inside base64: a prefix such as `ghp_` shows as one of three texts, depending on how many bytes
 * stand before it. Only the characters that the prefix fully determines are searched for.
 */

/** Beginnings worth looking for; their rule decides on the decoded text. */
export const ENCODED_PREFIXES = [
  '-----BEGIN ',
  'AKIA',
  'ASIA',
  'ghp_',
  'gho_',
  'ghs_',
  'github_pat_',
  'glpat-',
  'xoxb-',
  'xoxp-',
  'xapp-',
  'sk_live_',
  'sk_test_',
  'rk_live_',
  'sk-ant-',
  'sk-proj-',
  'AIza',
  'npm_',
  'pypi-',
  'hf_',
  'SG.',
  'dop_v1_',
  'shpat_',
  'GOCSPX-',
  'ya29.',
  '"auth":',
  '"auths"',
  'dapi',
  'hvs.',
  'glsa_',
  'lin_api_',
  'ntn_',
  'gsk_',
  'pplx-',
  'NRAK-',
  'dckr_pat_',
  'private_key',
  'AccountKey=',
  '_authToken=',
  'figd_',
  'PMAK-',
  'vcp_',
  'sntrys_',
  'rubygems_',
  'tskey-',
  'whsec_',
];

export interface EncodedPrefix {
  literal: string;
  /** How many base64 characters of the same group of four stand before the literal. */
  phase: number;
}

/** Shorter texts would be found by chance in any image. */
const LEAST_LITERAL = 4;

export function encodedPrefixes(prefix: string): EncodedPrefix[] {
  const found: EncodedPrefix[] = [];
  for (const before of [0, 1, 2]) {
    const encoded = Buffer.from(`${'\0'.repeat(before)}${prefix}`, 'latin1')
      .toString('base64')
      .replace(/=+$/, '');
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor(((before + prefix.length) * 8) / 6);
    if (to - from >= LEAST_LITERAL) found.push({ literal: encoded.slice(from, to), phase: from });
  }
  return found;
}

const isBase64 = (code: number): boolean =>
  isAlphanumeric(code) || code === 43 || code === 47 || code === 45 || code === 95;

const BACK = 8192;
const FORWARD = 32_768;

export interface Run {
  start: number;
  end: number;
  decoded: string;
}

/** The base64 text around a literal, decoded in step with it. */
export function decodeRun(text: string, literalStart: number, phase: number): Run | undefined {
  let start = literalStart;
  const first = Math.max(0, literalStart - BACK);
  while (start > first && isBase64(text.charCodeAt(start - 1))) start -= 1;
  const last = Math.min(text.length, literalStart + FORWARD);
  let end = literalStart;
  while (end < last && isBase64(text.charCodeAt(end))) end += 1;
  const group = literalStart - phase;
  if (group < start) return undefined;
  const aligned = group - 4 * Math.floor((group - start) / 4);
  const decoded = Buffer.from(text.slice(aligned, end), 'base64').toString('latin1');
  while (end < text.length && text.charCodeAt(end) === 61 && end - last < 2) end += 1;
  return { start, end, decoded };
}

import { estimateTokens } from '../collapse/tokens.ts';

const WHOLE = 2048;
const SAMPLE = 512;
const SAMPLES = 4;

/** Tokens of a text, by estimate. Of a long one only samples are looked at: a request holds megabytes, and somebody waits. */
export function weighText(text: string): number {
  if (text.length <= WHOLE) return estimateTokens(text);
  const gap = (text.length - SAMPLE) / (SAMPLES - 1);
  let tokens = 0;
  for (let sample = 0; sample < SAMPLES; sample++) {
    const from = Math.floor(sample * gap);
    tokens += estimateTokens(text.slice(from, from + SAMPLE));
  }
  return Math.ceil((tokens * text.length) / (SAMPLE * SAMPLES));
}

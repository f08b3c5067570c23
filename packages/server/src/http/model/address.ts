import type { Dialect } from '@infold/client/window';
import type { Family } from '../../kernel/window-config.ts';

export const MODEL_PREFIX = '/model/';

/** Where a request wants to go. */
export interface ModelAddress {
  /** As the address names it; perhaps nobody knows it. */
  upstream: string;
  /** Ours. It stands in the address because the header is the provider's. */
  token: string | undefined;
  /** Of the provider's API, as it was sent. */
  path: string;
  /** With its question mark, or empty. */
  query: string;
}

/** `/model/<upstream>/[~TOKEN/]<path>`: what follows is not normalised, so that it arrives as it was sent. */
export function parseAddress(url: string): ModelAddress {
  const end = url.indexOf('?');
  const whole = end === -1 ? url : url.slice(0, end);
  const [upstream = '', ...segments] = whole.slice(MODEL_PREFIX.length).split('/');
  const token = segments[0]?.startsWith('~') ? segments.shift()!.slice(1) : undefined;
  return { upstream, token, path: `/${segments.join('/')}`, query: end === -1 ? '' : url.slice(end) };
}

/** An upstream with a path of its own is not left by way of its parents. */
export function leavesUpstream(path: string): boolean {
  return path.split('/').some((segment) => /^(\.|%2e){2}$/i.test(segment));
}

/** The target of the request to the upstream. */
export function targetOf(base: URL, { path, query }: ModelAddress): string {
  return `${base.pathname.replace(/\/+$/, '')}${path}${query}`;
}

/** The dialect that a body is written in, by the address that it is sent to; undefined where it is no conversation. */
export function dialectOf(family: Family, path: string): Dialect | undefined {
  switch (family) {
    case 'anthropic':
      return path.endsWith('/messages') ? 'anthropic' : undefined;
    case 'openai':
      if (path.endsWith('/chat/completions')) return 'openai-chat';
      return path.endsWith('/responses') ? 'openai-responses' : undefined;
    case 'gemini':
      return /:(streamGenerateContent|generateContent)$/.test(path) ? 'gemini' : undefined;
  }
}

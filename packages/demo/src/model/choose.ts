import type { TokenCounter } from '@infold/client';
import { DemoError } from '../errors.ts';
import { anthropicMessages } from './anthropic.ts';
import type { ApiName, ModelApi } from './api.ts';
import { openaiChat } from './openai.ts';
import type { Endpoint } from './post.ts';

const OPENAI = 'https://api.openai.com/v1';
const ANTHROPIC = 'https://api.anthropic.com';

/** Which API speaks for a model: the one that is named, else the one that is set up, else the one that it sounds like. */
export function chooseApi(
  model: string,
  named: ApiName | undefined,
  environment: NodeJS.ProcessEnv,
  count: TokenCounter,
): ModelApi {
  const name = named ?? guess(model, environment);
  if (name === 'anthropic')
    return anthropicMessages(anthropicEndpoint(environment), model, count) as ModelApi;
  return openaiChat(openaiEndpoint(environment), model, count) as ModelApi;
}

function guess(model: string, environment: NodeJS.ProcessEnv): ApiName {
  const openai = isSet(environment.OPENAI_API_KEY) || isSet(environment.OPENAI_BASE_URL);
  const anthropic = isSet(environment.ANTHROPIC_API_KEY);
  if (!openai && !anthropic) {
    throw new DemoError(
      'invalid_arguments',
      '--model needs a model API: set OPENAI_API_KEY (and OPENAI_BASE_URL for a server other than api.openai.com), or ANTHROPIC_API_KEY',
    );
  }
  if (openai && anthropic) return /claude/i.test(model) ? 'anthropic' : 'openai';
  return anthropic ? 'anthropic' : 'openai';
}

/** Servers of one's own often want no key, so an address alone is enough. */
function openaiEndpoint({ OPENAI_API_KEY: key, OPENAI_BASE_URL: base }: NodeJS.ProcessEnv): Endpoint {
  if (!isSet(key) && !isSet(base)) {
    throw new DemoError('invalid_arguments', 'Set OPENAI_API_KEY, or OPENAI_BASE_URL for your own server');
  }
  return {
    url: address(base, OPENAI, 'OPENAI_BASE_URL', '/chat/completions'),
    headers: isSet(key) ? { authorization: `Bearer ${key}` } : {},
    key,
    keyName: 'OPENAI_API_KEY',
  };
}

function anthropicEndpoint({
  ANTHROPIC_API_KEY: key,
  ANTHROPIC_BASE_URL: base,
}: NodeJS.ProcessEnv): Endpoint {
  if (!isSet(key)) throw new DemoError('invalid_arguments', 'Set ANTHROPIC_API_KEY');
  return {
    url: address(base, ANTHROPIC, 'ANTHROPIC_BASE_URL', '/v1/messages'),
    headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01' },
    key,
    keyName: 'ANTHROPIC_API_KEY',
  };
}

function address(given: string | undefined, usual: string, name: string, path: string): string {
  const base = (isSet(given) ? given : usual).replace(/\/+$/, '');
  const url = URL.canParse(base) ? new URL(base) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new DemoError('invalid_arguments', `${name} is not an http or https address: ${base}`);
  }
  return `${base}${path}`;
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

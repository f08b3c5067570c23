import type { Api } from '@infold/client/api';
import type { Scope } from '@infold/protocol';

/** What each scope opens. In the order in which they are offered. */
export const SCOPES: Record<Scope, string> = {
  read: 'See what its projects hold',
  write: 'Call tools, remember, fold, send to models',
  review: 'Approve and publish drafts of the library',
  admin: 'Tokens, configuration, figures, verification',
};

/** Durations that are offered; the empty one is none. */
export const LIFETIMES = [
  { value: '1d', label: 'One day' },
  { value: '7d', label: 'A week' },
  { value: '30d', label: '30 days' },
  { value: '90d', label: '90 days' },
  { value: '365d', label: 'A year' },
  { value: '', label: 'Never' },
];

export interface TokenForm {
  name: string;
  scopes: readonly Scope[];
  /** Ids; empty: all that the maker has. */
  projects: readonly string[];
  /** Kinds of messages in pods, by commas or spaces; empty: all that the maker has. */
  capabilities: string;
  expires: string;
}

type Given = Parameters<Api['createToken']>[0];
export type FormProblems = { [field in keyof TokenForm]?: string };

const MOST_NAME = 64;
const MOST_CAPABILITIES = 100;

/** What the server is asked for, or what is wrong with the form. */
export function readForm(form: TokenForm): { given: Given } | { problems: FormProblems } {
  const name = form.name.trim();
  const capabilities = [...new Set(form.capabilities.split(/[\s,]+/).filter(Boolean))];
  const problems: FormProblems = {
    ...(name === '' && { name: 'Say who will hold it' }),
    ...(name.length > MOST_NAME && { name: `At most ${MOST_NAME} characters` }),
    ...(form.scopes.length === 0 && { scopes: 'Choose at least one' }),
    ...(capabilities.length > MOST_CAPABILITIES && { capabilities: `At most ${MOST_CAPABILITIES}` }),
  };
  if (Object.keys(problems).length > 0) return { problems };
  return {
    given: {
      name,
      scopes: [...form.scopes],
      ...(form.projects.length > 0 && { projects: [...form.projects] }),
      ...(capabilities.length > 0 && { capabilities }),
      ...(form.expires !== '' && { expires: form.expires }),
    },
  };
}

/** The first token is for who makes it, who could not administer anything from here otherwise. */
export function blankForm(isFirst: boolean, mine: readonly Scope[]): TokenForm {
  const usual: Scope[] = isFirst ? ['read', 'write', 'review', 'admin'] : ['read', 'write'];
  return {
    name: '',
    scopes: usual.filter((scope) => mine.includes(scope)),
    projects: [],
    capabilities: '',
    expires: isFirst ? '' : '90d',
  };
}

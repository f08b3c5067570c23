import type { Api } from '@infold/client/api';
import type { Scope } from '@infold/protocol';

/** What each scope opens. In the order in which they are offered. */
export const SCOPES: Record<Scope, string> = {
  read: 'See what is in its projects',
  write: 'Call tools, save memories, fold, send requests to models',
  review: 'Approve and publish drafts in the library',
  admin: 'Manage tokens; see configuration and figures; verify the journal',
};

/** Durations that are offered; the empty one is none. */
export const LIFETIMES = [
  { value: '1d', label: 'One day' },
  { value: '7d', label: 'One week' },
  { value: '30d', label: '30 days' },
  { value: '90d', label: '90 days' },
  { value: '365d', label: 'One year' },
  { value: '', label: 'Never' },
];

export interface TokenForm {
  name: string;
  scopes: readonly Scope[];
  /** Ids; empty: all that the maker has. */
  projects: readonly string[];
  /** Kinds of messages in pods, separated by commas or spaces; empty: all that the maker has. */
  capabilities: string;
  expires: string;
}

type Given = Parameters<Api['createToken']>[0];
export type FormProblems = { [field in keyof TokenForm]?: string };

const MOST_NAME = 64;
const MOST_CAPABILITIES = 100;
/** What kinds are made of, with `*` for any text and `!` before what is forbidden. */
const CAPABILITY = /^!?[\w.:/*-]{1,255}$/;

/** What the server is asked for, or what is wrong with the form. */
export function readForm(form: TokenForm): { given: Given } | { problems: FormProblems } {
  const name = form.name.trim();
  const capabilities = [...new Set(form.capabilities.split(/[\s,]+/).filter(Boolean))];
  const problems: FormProblems = {
    ...(name === '' && { name: 'Enter the name of whoever will use it' }),
    ...(name.length > MOST_NAME && { name: `At most ${MOST_NAME} characters` }),
    ...(form.scopes.length === 0 && { scopes: 'Choose at least one' }),
    ...capabilityProblem(capabilities),
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

function capabilityProblem(capabilities: readonly string[]): FormProblems {
  const odd = capabilities.find((one) => !CAPABILITY.test(one));
  if (odd !== undefined) {
    return {
      capabilities: `“${odd.slice(0, 40)}” cannot be a kind of message. Use letters, digits and . : / - _, with * for any text and ! to forbid, such as mcp/request:tools/*`,
    };
  }
  return capabilities.length > MOST_CAPABILITIES ? { capabilities: `At most ${MOST_CAPABILITIES}` } : {};
}

/** The first token is for who makes it, who could not administer anything from here otherwise. */
export function blankForm(isFirst: boolean, mine: readonly Scope[]): TokenForm {
  const usual: Scope[] = isFirst ? ['read', 'write', 'review', 'admin'] : ['read', 'write'];
  return {
    name: '',
    scopes: usual.filter((scope) => mine.includes(scope)),
    projects: [],
    capabilities: '',
    expires: '90d',
  };
}

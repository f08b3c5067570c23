/** Where a provider is reached through this server. */
export interface Model {
  upstream: string;
  address: string;
}

/** The variables that hosts read. OpenAI’s own address ends with its version. */
const VARIABLES: Readonly<Record<string, { name: string; path?: string }>> = {
  anthropic: { name: 'ANTHROPIC_BASE_URL' },
  openai: { name: 'OPENAI_BASE_URL', path: '/v1' },
  gemini: { name: 'GOOGLE_GEMINI_BASE_URL' },
};

/** What a host is given as the base address of its provider. */
export const baseUrlOf = ({ upstream, address }: Model): string =>
  `${address}${Object.hasOwn(VARIABLES, upstream) ? (VARIABLES[upstream]!.path ?? '') : ''}`;

/** Lines to copy: those that a variable is known for first. */
export function baseUrls(models: readonly Model[]): string[] {
  const known = models.filter(({ upstream }) => Object.hasOwn(VARIABLES, upstream));
  const others = models.filter((model) => !known.includes(model));
  return [
    ...known.map((model) => `export ${VARIABLES[model.upstream]!.name}=${baseUrlOf(model)}`),
    ...others.map(baseUrlOf),
  ];
}

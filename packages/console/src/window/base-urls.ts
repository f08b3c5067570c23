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

/** Lines to copy: those that a variable is known for first. */
export function baseUrls(models: readonly Model[]): string[] {
  const known = models.filter(({ upstream }) => Object.hasOwn(VARIABLES, upstream));
  const others = models.filter((model) => !known.includes(model));
  return [
    ...known.map(({ upstream, address }) => {
      const { name, path = '' } = VARIABLES[upstream]!;
      return `export ${name}=${address}${path}`;
    }),
    ...others.map(({ address }) => address),
  ];
}

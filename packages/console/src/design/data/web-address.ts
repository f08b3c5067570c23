/** An address of the web as it was given, or undefined: no other scheme is ever made a link, nor an address of this page. */
export function webAddress(given: string | undefined): string | undefined {
  if (given === undefined || !URL.canParse(given)) return undefined;
  const { protocol } = new URL(given);
  return protocol === 'http:' || protocol === 'https:' ? given : undefined;
}

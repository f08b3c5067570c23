/**
 * An expression for any of these words and phrases, in any language at once, as words of their own. They are parted by white space;
 * a hyphen stands for the space within a phrase.
 */
export function signs(list: string): RegExp {
  const words = list.trim().split(/\s+/).join('|').replaceAll('-', ' +');
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`, 'iu');
}

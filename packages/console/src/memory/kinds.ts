/** The kinds that packs treat specially; any other lower-case word is a kind, too. */
export const KINDS = [
  ...['episode', 'session', 'note', 'decision', 'plan', 'idea', 'claim', 'artifact', 'document', 'procedure'],
  ...['pattern', 'rule', 'error_pattern', 'task', 'epic', 'project', 'domain', 'topic', 'guide', 'template'],
  ...['tool', 'source', 'config_file', 'event', 'preference', 'test'],
] as const;

export const INTENTS = [
  'build',
  'plan',
  'ideate',
  'research',
  'debug',
  'decide',
  'learn',
  'general',
] as const;
export const LAYERS = ['wake', 'recall', 'deep_search'] as const;

export const RELATIONS = [
  'supersedes',
  'contradicts',
  'requires',
  'supports',
  'decides',
  'relates_to',
] as const;

/** A name of the protocol as people write it. */
export const inWords = (name: string): string => name.replaceAll('_', ' ');

/** Who speaks in a conversation with an assistant. A fact of an item: nobody is called so. */
export type Role = 'person' | 'assistant';

const ROLES: Readonly<Record<string, Role>> = {
  user: 'person',
  human: 'person',
  me: 'person',
  person: 'person',
  assistant: 'assistant',
  ai: 'assistant',
  bot: 'assistant',
  model: 'assistant',
  system: 'assistant',
  tool: 'assistant',
};

/** As it was said, else as the author's name gives it away: exports of conversations call their speakers so. */
export function roleOf({ role, author }: { role?: string; author?: string }): Role | undefined {
  const name = (role ?? author ?? '').trim().toLowerCase();
  return Object.hasOwn(ROLES, name) ? ROLES[name] : undefined;
}

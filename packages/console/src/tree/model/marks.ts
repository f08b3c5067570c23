import type { EventMap, EventType } from '@infold/protocol/events';
import type { Mark, MarkKind } from './tree.ts';

type Tellers = { [Type in EventType]?: (data: EventMap[Type]) => [what: MarkKind, text: string] };

const some = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

/** What is shown of the events that no figure depends on. */
const TELLERS: Tellers = {
  'session.started': () => ['session', 'The session began'],
  'session.named': ({ host_id }) => ['session', `Its host’s session id is ${host_id}`],
  'session.bound': ({ host, folder }) => ['session', `${host} works on it in ${folder}`],
  'session.told': ({ tokens }) => ['session', `A hook gave its model ${tokens} tokens of text`],
  'session.left': () => ['session', 'Its host closed it'],
  'session.compacting': () => ['session', 'Its host compacts the conversation'],
  'session.expired': () => ['session', 'The session ended'],
  'attest.setup': () => ['rules', 'Read the meta prompt of the library'],
  'attest.discover': ({ result_count }) => ['rules', `Looked for rules: ${result_count} found`],
  'attest.load': ({ items }) => ['rules', `Loaded ${items.map(({ path }) => path).join(', ')}`],
  'attest.instructions': ({ file, path }) => [
    'rules',
    path === null ? `Its host loaded ${file}` : `Its host loaded ${path}, as ${file}`,
  ],
  'attest.refer': ({ refs }) => [
    'rules',
    `Applied ${refs.map(({ constraint_name }) => constraint_name).join(', ')}`,
  ],
  'attest.agent_report': ({ summary }) => ['report', summary],
  'attest.reject': ({ reason }) => ['report', `Rejected${reason === null ? '' : `: ${reason}`}`],
  'pack.compiled': ({ result_count, intent }) => [
    'pack',
    `Received a pack of ${some(result_count, 'item')} to ${intent}`,
  ],
  'finding.stored': ({ findings }) => [
    'finding',
    `Noted ${some(findings.length, 'finding')}${findings[0] ? `: ${findings[0].finding}` : ''}`,
  ],
  'finding.cleared': ({ ids }) => ['finding', `Dropped ${some(ids.length, 'finding')}`],
  'branch.rolled_back': ({ discarded, operations_count }) => [
    'rollback',
    `Rolled back: ${some(discarded.length, 'branch', 'branches')}${
      operations_count > 0 ? ` and ${some(operations_count, 'operation')}` : ''
    } discarded`,
  ],
};

export function markOf(
  type: EventType,
  data: unknown,
  where: { seq: number; place: number; at: number },
): Mark | undefined {
  const told = TELLERS[type]?.(data as never);
  return told && { kind: 'mark', ...where, what: told[0], text: told[1] };
}

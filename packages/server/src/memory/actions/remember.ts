import { memoryApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { digestHex, entryIdForKey, randomId } from '../../kernel/ids.ts';
import { ensureProject, resolveProject } from '../../trust/identity/projects.ts';
import { consumedMeta } from '../../trust/sources.ts';
import { memoryStream } from '../../trust/streams.ts';
import { remember as rememberItem } from '../commands.ts';
import { keyReused } from '../errors.ts';
import { noteUse } from '../use/note.ts';
import { ITEM_NAMES, itemFrom, placeFor, writeState } from '../write.ts';

export const remember = defineAction(memoryApi.remember, {
  identifiers: ITEM_NAMES,
  rate: { of: 'remembers' },
  async run(input, context) {
    const { journal, caller, connection, secrets } = context;
    const { project: spec, scope, agent_id: agentId, relations = [], idempotency_key: key } = input;
    const wanted = spec ?? (scope === undefined || scope === 'project' ? connection.project : undefined);
    const project = wanted === undefined ? undefined : resolveProject(journal.database, caller, wanted);
    const place = placeFor(caller, { scope, projectId: project?.id ?? null, agentId });
    const item = itemFrom(randomId('mem'), 'remember', input);
    if (project) await ensureProject(journal, caller, project);
    // Only a key can bring back the answer to another request.
    const request =
      key === undefined ? '' : digestHex(32, JSON.stringify([place, { ...item, id: '' }, relations]));
    const { answer, replayed } = await journal.commit({
      stream: memoryStream(caller.org),
      actor: caller.actor,
      ...(key === undefined ? {} : { id: entryIdForKey('remember', caller.org, caller.principal, key) }),
      decide: (database) => {
        const state = writeState(database, { caller, place, item, relations, named: false });
        const decision = rememberItem(state, item);
        return { events: decision.events, answer: { ...decision.answer, request } };
      },
    });
    if (answer.request !== request) throw keyReused();
    const named = relations.map(({ id }) => id);
    if (!replayed && named.length > 0) await noteUse(context, named, 'relation');
    const used = await context.sources(input.sources);
    if (secrets.count > 0) {
      context.notices.push(`${secrets.count} secrets were replaced (${secrets.kinds.join(', ')})`);
    }
    const { id, created, conflicts } = answer;
    return {
      structured: { id, created, conflicts },
      isNew: created,
      ...(used && { meta: consumedMeta(replayed ? [] : used) }),
    };
  },
});

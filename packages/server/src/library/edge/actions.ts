import { hubApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { isoTime } from '../../kernel/clock.ts';
import { isLocalOwner } from '../../trust/identity/caller.ts';
import { edgesOf } from '../queries/hub.ts';

/** The token is kept in a file of its own, and never in the journal. */
export const joinHub = defineAction(hubApi.joinHub, {
  scrubsItself: true,
  async run({ url, token, project, to }, { parts }) {
    return { structured: await parts.edge.join({ url, token, project, to }) };
  },
});

export const leaveHub = defineAction(hubApi.leaveHub, {
  async run(_input, { parts }) {
    return { structured: await parts.edge.leave() };
  },
});

export const syncHub = defineAction(hubApi.syncHub, {
  async run(_input, { parts }) {
    return { structured: await parts.edge.sync() };
  },
});

/** Whose folder it is sees its hub; administrators see every edge of their organisation, others their own. */
export const readHubStatus = defineAction(hubApi.readHubStatus, {
  async run(_input, { parts, caller, database }) {
    const isAdmin = caller.scopes.includes('admin') && caller.projects === null;
    const edges = edgesOf(database, caller.org, isAdmin ? null : caller.principal).map((edge) => ({
      ...{
        id: edge.id,
        principal: edge.principal,
        position: edge.seq,
        entries: edge.entries,
        events: edge.events,
      },
      ...{ first_at: isoTime(edge.first_at), last_at: isoTime(edge.last_at), skew_ms: edge.skew },
      refused:
        edge.refused_reason === null
          ? null
          : { reason: edge.refused_reason, seq: edge.refused_seq!, at: isoTime(edge.refused_at!) },
    }));
    const edge = isLocalOwner(caller) || isAdmin ? await parts.edge.status() : null;
    return { structured: { edge, edges } };
  },
});

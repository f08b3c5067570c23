import { entriesOfPrincipal, type Forgetter } from '../trust/forget.ts';
import type { GatewayEvent } from './events.ts';
import { summaryText } from './text.ts';

const FORGOTTEN_TEXT = '[forgotten]';

/** What a principal said goes, with the metadata of its contexts; that it was said, and where, stays. */
export const gatewayForgetter: Forgetter = {
  entriesOf(database, target) {
    if (target.kind !== 'principal') return undefined;
    const entries = entriesOfPrincipal(database, target);
    return entries.length > 0 ? entries : undefined;
  },
  redact(event, target) {
    const { type, data } = event as GatewayEvent;
    if (target.kind !== 'principal' || (type !== 'envelope.accepted' && type !== 'envelope.submitted')) {
      return undefined;
    }
    const { protocol, id, ts, from, to, kind, correlation_id, context, payload } = data.envelope;
    const { metadata: _metadata, ...plain } = context ?? {};
    const envelope = {
      ...{ protocol, id, ts, from, kind },
      ...(to === undefined ? {} : { to }),
      ...(correlation_id === undefined ? {} : { correlation_id }),
      ...(context === undefined ? {} : { context: plain }),
      ...(summaryText(payload) === null ? {} : { payload: FORGOTTEN_TEXT }),
    };
    return { type, data: { ...data, envelope } };
  },
};

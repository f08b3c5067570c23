import { Observable } from '../../design/hooks/observable.ts';
import { EMPTY_DRAFT, type MessageDraft } from './draft.ts';

const kept = new WeakMap<object, Map<string, Observable<MessageDraft>>>();

/** What somebody is about to say in a pod: it stays while they look elsewhere, and goes when they sign out. */
export function draftIn(who: object, pod: string): Observable<MessageDraft> {
  const drafts = kept.get(who) ?? new Map<string, Observable<MessageDraft>>();
  kept.set(who, drafts);
  const draft = drafts.get(pod) ?? new Observable(EMPTY_DRAFT);
  drafts.set(pod, draft);
  return draft;
}

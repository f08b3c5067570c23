import { useAccount } from '../api/account.tsx';
import type { Session } from '../api/session.ts';
import { Observable, useObservable } from '../design/hooks/observable.ts';

export type ChatDialect = 'anthropic' | 'openai';
export const isChatDialect = (name: string): name is ChatDialect => name === 'anthropic' || name === 'openai';

/** The model that the Conversation view talks to. */
export interface ChatModel {
  /** The server's name for the provider: requests go through its window door. */
  upstream: string;
  dialect: ChatDialect;
  name: string;
  /** The provider's key. Held in memory alone: a reload forgets it, and so does signing out. */
  key: string;
}

const NONE: ChatModel = { upstream: '', dialect: 'anthropic', name: '', key: '' };
const models = new WeakMap<Session, Observable<ChatModel>>();

function modelOf(session: Session): Observable<ChatModel> {
  const model = models.get(session) ?? new Observable(NONE);
  models.set(session, model);
  return model;
}

export function useChatModel(): [model: ChatModel, change: (change: Partial<ChatModel>) => void] {
  const model = modelOf(useAccount().session);
  return [useObservable(model), (change) => model.change((now) => ({ ...now, ...change }))];
}

/** Whether there is somebody to talk to. Servers of one's own often want no key. */
export const isSetUp = ({ upstream, name }: ChatModel): boolean => upstream !== '' && name.trim() !== '';

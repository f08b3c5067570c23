import type { Visibility } from '../call/visible.ts';
import { conversationOfStream, isOwn } from './queries.ts';

/** A conversation is its principal's: what a host sent belongs to no project. */
export const visibleOfWindow: Visibility = ({ stream, events }, caller, database) => {
  const conversation = conversationOfStream(database, stream);
  return { events: conversation && isOwn(caller, conversation) ? events : [] };
};

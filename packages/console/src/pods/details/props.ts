import type { ContextNode } from '@infold/protocol';
import type { PodLink } from '../feed/connection.ts';
import type { PodMessage } from '../feed/feed.ts';
import type { PodPolicy } from '../queries.ts';
import type { PodsSearch } from '../search.ts';
import type { MessageDraft } from '../send/draft.ts';

export interface DetailsProps {
  pod: string;
  node: string | undefined;
  search: PodsSearch;
  link: PodLink;
  policy: PodPolicy | undefined;
  contexts: ReadonlyMap<string, ContextNode>;
  messages: readonly PodMessage[];
  isBeside: boolean;
  /** Prepares what is to be sent; undefined where one may not send. */
  onDraft: ((more: Partial<MessageDraft>) => void) | undefined;
  onClose: () => void;
}

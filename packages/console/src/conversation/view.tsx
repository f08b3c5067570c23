import { Page } from '../design/page.tsx';
import { Loading } from '../design/states.tsx';

export function ConversationView() {
  return (
    <Page title="Conversation">
      <Loading what="the conversation" />
    </Page>
  );
}

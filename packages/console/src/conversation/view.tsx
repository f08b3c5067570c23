import { useSearch } from '@tanstack/react-router';
import { MessagesSquare, Plus } from 'lucide-react';
import { useAccount } from '../api/account.tsx';
import { Button } from '../design/controls/button.tsx';
import { useObservable } from '../design/hooks/observable.ts';
import { Page } from '../design/layout/page.tsx';
import { Panel } from '../design/layout/panel.tsx';
import { Empty } from '../design/layout/placeholders.tsx';
import { Composer } from './chat/composer.tsx';
import { DemoBar } from './demo-bar.tsx';
import { useReconnect, useStores } from './queries.ts';
import { TokensPanel } from './tokens/panel.tsx';
import { ToolsPanel } from './tools/panel.tsx';
import { Transcript } from './transcript/transcript.tsx';
import styles from './view.module.css';

/** A real MCP client in the page, with the client library's collapser. */
export function ConversationView() {
  const search = useSearch({ from: '/conversation' });
  useReconnect();
  const { may } = useAccount();
  const { conversation, demo, chat } = useStores();
  const { entries, turns, asked } = useObservable(conversation.state);
  const { status } = useObservable(demo.state);
  const { isBusy } = useObservable(chat.state);
  const isDemoOn = status !== 'idle' && status !== 'done';
  const tokens = <TokensPanel key="tokens" turns={turns} />;
  const tools = <ToolsPanel key="tools" search={search} isTaken={isDemoOn || isBusy} />;
  return (
    <Page
      title="Conversation"
      about="Call tools as an agent does, and watch results collapse once they are used."
      actions={
        entries.length > 0 && (
          <Button
            icon={<Plus aria-hidden />}
            onClick={() => conversation.clear()}
            disabled={isDemoOn || isBusy}
          >
            New conversation
          </Button>
        )
      }
    >
      <div className={styles.layout}>
        <Panel isFlush className={styles.main}>
          <div className={styles.demo}>
            <DemoBar />
          </div>
          {entries.length > 0 ? (
            <Transcript entries={entries} asked={asked} />
          ) : (
            <Empty icon={<MessagesSquare aria-hidden />} title="No tool has been called yet">
              <p>
                {may('write')
                  ? 'Run the demo to see nine pages of records leave the prompt one after the other, or choose a tool and call it yourself.'
                  : 'Choose a tool that reads, and call it yourself.'}
              </p>
            </Empty>
          )}
          <Composer project={search.project} isTaken={isDemoOn} />
        </Panel>
        {/* Who has chosen a tool wants its form at hand. */}
        <div className={styles.side}>{search.tool === undefined ? [tokens, tools] : [tools, tokens]}</div>
      </div>
    </Page>
  );
}

import { useNavigate } from '@tanstack/react-router';
import { AppWindow } from 'lucide-react';
import { useAccount } from '../../api/account.tsx';
import { LoadSamples } from '../../app/samples.tsx';
import { Page } from '../../design/layout/page.tsx';
import { Panel } from '../../design/layout/panel.tsx';
import { Empty } from '../../design/layout/placeholders.tsx';
import type { MeteredView } from './conversations.ts';
import { MeteredTable } from './metered.tsx';
import styles from './start.module.css';
import TurnOn from './turn-on.tsx';

/** Nobody has asked a model through here yet. */
export default function Start({ sessions }: { sessions: readonly MeteredView[] }) {
  const navigate = useNavigate();
  const { may } = useAccount();
  return (
    <Page
      title="Window"
      about="What a model holds in mind: each prompt, what it is made of, and what left it."
    >
      <Empty
        icon={<AppWindow aria-hidden />}
        title="No conversation goes through the window yet"
        actions={
          <LoadSamples
            onLoaded={({ conversation }) => {
              if (conversation !== null)
                void navigate({ to: '/window/$conversation', params: { conversation } });
            }}
          />
        }
      >
        <p>
          Start a host so that its requests go through Infold. This page then shows what its model holds in
          mind, turn by turn: what left, why, and what that saved.
        </p>
        {may('write') && <p>Nothing at hand? The sample data has a conversation with a simulated model.</p>}
      </Empty>
      <Panel title="Send a host’s requests through the window" className={styles.panel}>
        <TurnOn />
      </Panel>
      {sessions.length > 0 && (
        <Panel title="Sessions, as the server counts them" isFlush className={styles.panel}>
          <MeteredTable sessions={sessions} />
        </Panel>
      )}
    </Page>
  );
}

import { AppWindow } from 'lucide-react';
import { Page } from '../design/page.tsx';
import { Panel } from '../design/panel.tsx';
import { Empty } from '../design/states.tsx';
import type { MeteredView } from './conversations.ts';
import { MeteredTable } from './metered.tsx';
import { TurnOn } from './turn-on.tsx';

/** Nobody has asked a model through here yet. */
export function Start({ sessions }: { sessions: readonly MeteredView[] }) {
  return (
    <Page title="Window">
      <Empty icon={<AppWindow aria-hidden />} title="No conversation goes through the window yet">
        <p>
          Start a host with its requests going through Infold, and this page shows what its model holds in
          mind: turn by turn, what left, why, and what it cost.
        </p>
        <TurnOn />
      </Empty>
      {sessions.length > 0 && (
        <Panel title="Sessions, as the server counts them" isFlush>
          <MeteredTable sessions={sessions} />
        </Panel>
      )}
    </Page>
  );
}

import type { WindowView } from '@infold/protocol';
import { useAccount } from '../../api/account.tsx';
import { Switch } from '../../design/controls/field.tsx';
import { Tooltip } from '../../design/controls/tooltip.tsx';
import { Badge } from '../../design/data/badge.tsx';
import { Problem } from '../../design/layout/placeholders.tsx';
import { useSwitchWindow } from '../queries.ts';

/** Whether anything more leaves this conversation. */
export function WindowSwitch({ view }: { view: WindowView }) {
  const { may } = useAccount();
  const { turn, isBusy, error } = useSwitchWindow(view.id);
  if (!may('write')) {
    return (
      <Tooltip text="Your token may read this, but not change it.">
        <span>
          <Badge tone={view.enabled ? 'good' : 'warn'}>{view.enabled ? 'window on' : 'window off'}</Badge>
        </span>
      </Tooltip>
    );
  }
  return (
    <>
      {error !== undefined && <Problem what="It could not be switched" error={error} />}
      <Tooltip
        text={
          view.enabled
            ? 'Off: nothing more leaves. What was decided before stays, because undoing it would lose the cache.'
            : 'Nothing more leaves this conversation until it is on again.'
        }
      >
        <span>
          <Switch label="Window" isOn={view.enabled} onChange={(isOn) => void turn(isOn)} disabled={isBusy} />
        </span>
      </Tooltip>
    </>
  );
}

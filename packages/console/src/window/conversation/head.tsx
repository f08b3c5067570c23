import type { WindowTurnView, WindowView } from '@infold/protocol';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../design/controls/button.tsx';
import { Estimate, type Figure, Figures } from '../../design/data/figures.tsx';
import { compact, count, money, plural, share } from '../../design/data/format.ts';
import { Meter } from '../../design/data/meter.tsx';
import { promptOf } from '../live/reduce.ts';
import { cachedShare, leftOf } from '../turns/bars.ts';
import { HEALTH, healthOf } from './health.ts';

const ReceiptSheet = lazy(() => import('./receipt.tsx'));

interface HeadProps {
  view: WindowView;
  turns: readonly WindowTurnView[];
  /** Tokens that the model takes, where that is known. */
  limit: number | null;
}

/** What somebody wants to know first. */
export function Head({ view, turns, limit }: HeadProps) {
  const [isOpen, setOpen] = useState(false);
  const last = turns.at(-1);
  if (!last) return null;
  return (
    <>
      <Figures
        label="The window now"
        figures={[
          promptFigure(last, limit),
          leftFigure(last),
          cacheFigure(turns),
          ...moneyFigures(view, () => setOpen(true)),
        ]}
      />
      {isOpen && (
        <Suspense>
          <ReceiptSheet id={view.id} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

function promptFigure({ tokens, answer }: WindowTurnView, limit: number | null): Figure {
  const told = answer?.usage ? promptOf(answer.usage) : undefined;
  const prompt = told ?? tokens.sent;
  const usage = limit === null ? undefined : prompt / limit;
  const health = usage === undefined ? undefined : healthOf(usage);
  return {
    name: 'Prompt now, tokens',
    value: told === undefined ? <Estimate>{count(prompt)}</Estimate> : count(prompt),
    note:
      usage === undefined || health === undefined ? (
        'The size of this model’s window is unknown'
      ) : (
        <>
          <Meter
            value={usage}
            tone={HEALTH[health].tone}
            label={`Share of the ${count(limit!)} tokens that the model accepts`}
          />
          {share(usage)} of {compact(limit!)}
          <br />
          {HEALTH[health].words}
        </>
      ),
    ...(health && health !== 'none' && { tone: HEALTH[health].tone }),
  };
}

function leftFigure(last: WindowTurnView): Figure {
  const left = leftOf(last);
  return {
    name: 'Left out, tokens',
    value: left === 0 ? '0' : <Estimate>{count(left)}</Estimate>,
    note: left === 0 ? 'Sent as the host asked' : `${share(left / last.tokens.asked)} of what the host asked`,
  };
}

/** Of the last answer that told something. */
function cacheFigure(turns: readonly WindowTurnView[]): Figure {
  const told = turns.findLast((turn) => cachedShare(turn) !== undefined);
  if (!told) return { name: 'Read from cache', value: '–', note: 'No answer has reported its usage' };
  return {
    name: 'Read from cache',
    value: share(cachedShare(told)!),
    note: `of the prompt of turn ${told.turn}`,
  };
}

function moneyFigures({ totals, model }: WindowView, onReceipt: () => void): Figure[] {
  const { money: sums, requests, usage } = totals;
  const receipt = (
    <Button size="small" look="plain" onClick={onReceipt}>
      Receipt
    </Button>
  );
  if (!sums) {
    const why =
      usage.requests === 0 ? 'No answer has reported its usage' : `${model ?? 'The model'} has no price`;
    return [
      { name: 'Cost', value: '–', note: why },
      { name: 'Saved', value: receipt, note: 'Nothing is claimed' },
    ];
  }
  const isMore = sums.saved < 0;
  return [
    {
      name: 'Cost',
      value: money(sums.actual),
      note:
        sums.requests === requests
          ? plural(requests, 'request')
          : `${sums.requests} of ${plural(requests, 'request')}`,
    },
    {
      name: isMore ? 'Cost more' : 'Saved',
      value: <Estimate>{money(Math.abs(sums.saved))}</Estimate>,
      note: receipt,
      ...(isMore ? { tone: 'bad' as const } : sums.saved > 0 && { tone: 'good' as const }),
    },
  ];
}

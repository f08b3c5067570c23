import { Check, CheckCheck, CircleAlert, Clock, Layers } from 'lucide-react';
import { memo } from 'react';
import { classes } from '../../design/classes.ts';
import { Twig } from '../../design/controls/twig.tsx';
import { Badge } from '../../design/data/badge.tsx';
import { compact, count, plural, timeOfDay } from '../../design/data/format.ts';
import { Unseen } from '../../design/layout/placeholders.tsx';
import type { ContextRow, MessageRow, OutgoingRow, PodRow } from '../model/rows.ts';
import { lineOf } from '../model/text.ts';
import type { Delivery } from '../send/outbox.ts';
import styles from './grid.module.css';
import { Who } from './who.tsx';

export const ROW_HEIGHT = 50;

interface RowProps {
  id: string;
  row: PodRow;
  index: number;
  me: string;
  delivery: Delivery | undefined;
  isActive: boolean;
  isChosen: boolean;
  isPast: boolean;
  onPress: (key: string) => void;
  onToggle: (key: string, isOpen: boolean) => void;
}

/** One that is focused stands for all: the grid says which row the keyboard is at. */
const ROW = { role: 'row' };
const CELL = { role: 'gridcell' };
/** Steps to the right after which deeper ones stand under each other. */
const DEEPEST = 8;

export const TreeRow = memo(function TreeRow(props: RowProps) {
  const { id, row, index, me, delivery, isActive, isChosen, isPast, onPress, onToggle } = props;
  const { key, level, isOpen } = row;
  const described = {
    ...ROW,
    ...{ 'aria-level': level, 'aria-rowindex': index + 1 },
    ...{ 'aria-expanded': isOpen, 'aria-selected': isChosen },
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys are the grid's, which is what has the focus
    // biome-ignore lint/a11y/noStaticElementInteractions: it is a row, as its attributes say
    <div
      id={id}
      {...described}
      tabIndex={-1}
      className={classes(styles.row, styles[row.kind], isActive && styles.active, isChosen && styles.chosen)}
      style={{ transform: `translateY(${index * ROW_HEIGHT}px)`, height: ROW_HEIGHT }}
      onClick={() => onPress(key)}
    >
      <div
        {...CELL}
        className={styles.cell}
        style={{ paddingInlineStart: `calc(${Math.min(level - 1, DEEPEST)} * var(--step))` }}
      >
        <Twig isOpen={isOpen} onToggle={(open) => onToggle(key, open)} />
        {row.kind === 'message' && <Message row={row} me={me} delivery={delivery} />}
        {row.kind === 'context' && <Context row={row} isPast={isPast} />}
        {row.kind === 'outgoing' && <Leaving row={row} me={me} />}
      </div>
    </div>
  );
});

function Message({ row, me, delivery }: { row: MessageRow; me: string; delivery: Delivery | undefined }) {
  const { from, to, kind, ts, correlation_id, context } = row.message.envelope;
  // Among messages in order of time: where it was said.
  const isElsewhere = context !== undefined && row.parent === undefined;
  return (
    <div className={styles.lines}>
      <div className={styles.first}>
        <Who name={from} isMe={from === me} />
        {to && to.length > 0 && (
          <span className={styles.to}>
            to <bdi>{to.join(', ')}</bdi>
          </span>
        )}
        <bdi className={styles.kind}>{kind}</bdi>
        {isElsewhere && (
          <span className={styles.to}>
            in <bdi>{context.type ?? context.id}</bdi>
          </span>
        )}
        {correlation_id !== undefined && (
          <span className={styles.to}>
            re <bdi>{correlation_id}</bdi>
          </span>
        )}
        <span className={styles.end}>
          {delivery && <Delivered delivery={delivery} />}
          <time dateTime={ts}>{timeOfDay(Date.parse(ts))}</time>
        </span>
      </div>
      <bdi className={styles.text}>{lineOf(row.message.envelope)}</bdi>
    </div>
  );
}

/** Whether what one said is stored, or was heard so far. */
function Delivered({ delivery }: { delivery: Delivery }) {
  const isDurable = delivery === 'durable';
  const Icon = isDurable ? CheckCheck : Check;
  return (
    <span className={classes(styles.delivered, isDurable && styles.durable)}>
      <Icon aria-hidden />
      {isDurable ? 'durable' : 'sent'}
    </span>
  );
}

function Context({ row, isPast }: { row: ContextRow; isPast: boolean }) {
  const { id, type, node, held } = row;
  const state = isPast ? undefined : node?.state;
  return (
    <>
      <Layers aria-hidden className={styles.icon} />
      <div className={styles.lines}>
        <div className={styles.first}>
          <bdi className={styles.type}>{type ?? 'context'}</bdi>
          <bdi className={styles.id}>{id}</bdi>
          {state === 'live' && <Badge tone="good">live</Badge>}
          {state === 'concluded' && <Badge>concluded</Badge>}
          <span className={styles.end}>
            {node && node.tokens > 0 && !isPast && (
              <span className={styles.extra}>{compact(node.tokens)} tokens ·</span>
            )}
            {plural(held, 'message')}
            {node && !isPast && node.messages > held && (
              <span className={styles.extra}>of {count(node.messages)}</span>
            )}
          </span>
        </div>
        {!isPast && node?.summary && <bdi className={styles.text}>{node.summary}</bdi>}
      </div>
    </>
  );
}

/** On its way, or refused and why. */
function Leaving({ row: { outgoing }, me }: { row: OutgoingRow; me: string }) {
  const { draft, refusal } = outgoing;
  return (
    <div className={styles.lines}>
      <div className={styles.first}>
        <Who name={me} isMe />
        <bdi className={styles.kind}>{draft.kind}</bdi>
        <span className={styles.end}>
          {refusal ? (
            <span className={styles.refused}>
              <CircleAlert aria-hidden /> refused: {refusal.code}
            </span>
          ) : (
            <span className={styles.delivered}>
              <Clock aria-hidden /> sending
            </span>
          )}
        </span>
      </div>
      <bdi className={styles.text}>
        {refusal ? (
          <>
            <span className={styles.refused}>{refusal.message}</span>
            <Unseen>. It said: </Unseen> {lineOf(draft)}
          </>
        ) : (
          lineOf(draft)
        )}
      </bdi>
    </div>
  );
}

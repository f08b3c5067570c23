import type { WindowTurnView } from '@infold/protocol';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from '../../design/controls/button.tsx';
import { Badge } from '../../design/data/badge.tsx';
import { Estimate } from '../../design/data/figures.tsx';
import { count, fullTime, milliseconds, money, plural } from '../../design/data/format.ts';
import { Panel } from '../../design/layout/panel.tsx';
import { wordsFor } from '../rules.ts';
import { type Series, stackOf } from './bars.ts';
import styles from './turn.module.css';

interface TurnDetailsProps {
  turn: WindowTurnView;
  turns: readonly WindowTurnView[];
  series: readonly Series[];
  onChoose: (turn: WindowTurnView, replace: boolean) => void;
}

/** One turn in figures. */
export function TurnDetails({ turn, turns, series, onChoose }: TurnDetailsProps) {
  const place = turns.indexOf(turn);
  const step = (by: number, label: string, icon: ReactNode) => (
    <IconButton
      label={label}
      disabled={!turns[place + by]}
      onClick={() => turns[place + by] && onChoose(turns[place + by]!, true)}
    >
      {icon}
    </IconButton>
  );
  return (
    <Panel
      title={`Turn ${turn.turn}${place === turns.length - 1 ? ', the last one' : ` of ${turns.at(-1)!.turn}`}`}
      aside={
        <span className={styles.steps}>
          {step(-1, 'The turn before', <ChevronLeft aria-hidden />)}
          {step(1, 'The next turn', <ChevronRight aria-hidden />)}
        </span>
      }
    >
      <div className={styles.parts}>
        <Held turn={turn} series={series} />
        <Gone turn={turn} />
        <Answer turn={turn} />
      </div>
    </Panel>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.part}>
      <h3>{title}</h3>
      <dl className={styles.lines}>{children}</dl>
    </section>
  );
}

/** Figures are kept whole; words may be broken, whatever they are. */
function Line({
  name,
  isWords = false,
  children,
}: {
  name: ReactNode;
  isWords?: boolean;
  children?: ReactNode;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={isWords ? styles.words : undefined}>{children}</dd>
    </div>
  );
}

function Held({ turn, series }: { turn: WindowTurnView; series: readonly Series[] }) {
  const stack = stackOf(turn, series);
  return (
    <Part title="Held">
      {series.map(
        ({ key, name, colour }, index) =>
          stack[index]! > 0 && (
            <Line
              key={key}
              name={
                <>
                  <span className={styles.swatch} style={{ background: `var(${colour})` }} />
                  {name}
                </>
              }
            >
              {count(stack[index]!)}
            </Line>
          ),
      )}
      <Line name="Sent, in all">
        <Estimate>{count(turn.tokens.sent)}</Estimate>
      </Line>
    </Part>
  );
}

function Gone({ turn: { gone, tokens, passed } }: { turn: WindowTurnView }) {
  const rest = tokens.asked - tokens.sent - gone.reduce((sum, { tokens: left }) => sum + left, 0);
  return (
    <Part title="Left out">
      {gone.map(({ rule, count: times, tokens: left }) => (
        <Line key={rule} name={`${wordsFor(rule).name}, ${plural(times, 'block')}`}>
          {count(left)}
        </Line>
      ))}
      {rest > 0 && (
        <Line name="Shortened first, then folded">
          <Estimate>{count(rest)}</Estimate>
        </Line>
      )}
      {gone.length === 0 && (
        <Line name="Nothing left this prompt: nothing in it was used up, outdated or repeated by enough to pay for the change." />
      )}
      {passed !== null && (
        <Line name="Sent as it came" isWords>
          {passed}
        </Line>
      )}
      <Line name="Without Infold">
        <Estimate>{count(tokens.asked)}</Estimate>
      </Line>
    </Part>
  );
}

function Answer({ turn: { answer, model, messages, is_cold, at } }: { turn: WindowTurnView }) {
  const usage = answer?.usage;
  return (
    <Part title="Answer">
      {!answer && <Line name="Waiting for it">…</Line>}
      {answer && answer.status !== 200 && (
        <Line name="Status">
          <Badge tone={answer.status >= 400 ? 'bad' : 'mute'}>{answer.status}</Badge>
        </Line>
      )}
      {answer && !usage && <Line name="The provider reported no usage." />}
      {usage && (
        <>
          <Line name="Read from cache">{count(usage.cache_read)}</Line>
          <Line name="Written to cache">{count(usage.cache_write)}</Line>
          <Line name="Neither">{count(usage.input)}</Line>
          <Line name="Output">{count(usage.output)}</Line>
        </>
      )}
      {answer?.money && (
        <Line name="Cost">
          {money(answer.money.actual)}, without Infold <Estimate>{money(answer.money.untouched)}</Estimate>
        </Line>
      )}
      {answer && (
        <Line name="Time to first byte, in all">
          {milliseconds(answer.milliseconds.first)}, {milliseconds(answer.milliseconds.all)}
        </Line>
      )}
      <Line name="Asked">{fullTime(Date.parse(at))}</Line>
      <Line name="Messages">{count(messages)}</Line>
      {model && (
        <Line name="Model" isWords>
          {model}
        </Line>
      )}
      {is_cold && <Line name="Cache">cold, by estimate</Line>}
    </Part>
  );
}

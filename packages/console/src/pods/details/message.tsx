import { Reply } from 'lucide-react';
import { Button } from '../../design/controls/button.tsx';
import { CodeBlock } from '../../design/data/code.tsx';
import { Fact, Facts } from '../../design/data/facts.tsx';
import { Time } from '../../design/data/figures.tsx';
import { Markdown } from '../../design/data/markdown.tsx';
import { Loading, Problem } from '../../design/layout/placeholders.tsx';
import { isSpokenWhole, spokenIn } from '../model/text.ts';
import { useMessage } from '../queries.ts';
import { Who } from '../rows/who.tsx';
import { MAIN, placeOfContext } from '../send/draft.ts';
import styles from './details.module.css';
import { ContextLink, Correlation } from './links.tsx';
import type { DetailsProps } from './props.ts';

/** Everything that a message says, as it was sent. */
export function MessageDetails(props: DetailsProps & { seq: number }) {
  const { pod, seq, messages, link, onDraft } = props;
  const held = messages.find((message) => message.seq === seq);
  const { data, error, refetch } = useMessage(pod, seq, held !== undefined);
  const message = held ?? data;
  if (error && !message)
    return <Problem what="The message could not be read" error={error} onRetry={() => void refetch()} />;
  if (message === null)
    return (
      <p className={styles.soft}>
        There is no message at this position: it was refused, or has been forgotten.
      </p>
    );
  if (!message) return <Loading what="the message" />;
  const { envelope, epoch } = message;
  const { id, from, to, kind, ts, context, correlation_id, payload } = envelope;
  const spoken = spokenIn(payload);
  const raw = JSON.stringify({ ...envelope, seq, epoch }, null, 2);
  const reply = () => onDraft?.({ correlation: id, place: context ? placeOfContext(context.id) : MAIN });
  return (
    <>
      <section className={styles.part}>
        {spoken !== undefined && <Markdown text={spoken} />}
        {!isSpokenWhole(payload) && (
          <CodeBlock label="Payload" text={JSON.stringify(payload, null, 2) ?? 'nothing'} />
        )}
        {onDraft && (
          <div className={styles.actions}>
            <Button size="small" icon={<Reply aria-hidden />} onClick={reply}>
              Answer it
            </Button>
          </div>
        )}
      </section>
      <section className={styles.part}>
        <Facts>
          <Fact name="From">
            <Who name={from} isMe={from === link.me?.id} />
          </Fact>
          <Fact name="To">
            <bdi>{to && to.length > 0 ? to.join(', ') : 'everyone'}</bdi>
          </Fact>
          <Fact name="Kind">
            <bdi className={styles.code}>{kind}</bdi>
          </Fact>
          <Fact name="When">
            <Time at={ts} />
          </Fact>
          <Fact name="Context">
            {context ? <ContextLink id={context.id} isBeside={props.isBeside} /> : 'main'}
          </Fact>
          {correlation_id !== undefined && (
            <Fact name="About">
              <Correlation id={correlation_id} pod={pod} />
            </Fact>
          )}
          <Fact name="Id">
            <bdi className={styles.code}>{id}</bdi>
          </Fact>
          <Fact name="Position">{seq}</Fact>
        </Facts>
      </section>
      <details className={styles.raw}>
        <summary>The whole envelope</summary>
        <CodeBlock label="Envelope" text={raw} />
      </details>
    </>
  );
}

import { newId } from '@infold/client/gateway';
import type { ContextNode } from '@infold/protocol';
import { SendHorizontal, SlidersHorizontal } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useMemo, useState } from 'react';
import { Button } from '../../design/controls/button.tsx';
import { TextArea } from '../../design/controls/field.tsx';
import { type Observable, useObservable } from '../../design/hooks/observable.ts';
import type { PodLink } from '../feed/connection.ts';
import type { PodMessage } from '../feed/feed.ts';
import { Permissions } from '../model/may.ts';
import type { PodPolicy } from '../queries.ts';
import { contextOf, EMPTY_DRAFT, MAIN, type MessageDraft, payloadOf, problemsOf } from './draft.ts';
import { DraftOptions } from './options.tsx';
import type { Outbox } from './outbox.ts';
import styles from './send.module.css';

interface ComposerProps {
  link: PodLink;
  policy: PodPolicy;
  contexts: ReadonlyMap<string, ContextNode>;
  messages: readonly PodMessage[];
  outbox: Outbox;
  draft: Observable<MessageDraft>;
}

/** Kinds and participants are those of the newest messages. */
const LOOKED_AT = 500;

/** Says something as who one is here. What one may not send is not offered. */
export function Composer({ link, policy, contexts, messages, outbox, draft: store }: ComposerProps) {
  const draft = useObservable(store);
  const [isShown, setShown] = useState(false);
  const [isTried, setTried] = useState(false);
  const { me, connection } = link;
  const permissions = useMemo(() => me && new Permissions(me, policy), [me, policy]);
  const recent = useMemo(() => messages.slice(-LOOKED_AT), [messages]);
  const change = (more: Partial<MessageDraft>) => store.change((before) => ({ ...before, ...more }));
  if (!me || !permissions) return null;
  const typeOf = (id: string) => contexts.get(id)?.type;
  const target = contextOf(draft, typeOf, () => 'new');
  const kinds = permissions.offered(new Set(recent.map(({ envelope }) => envelope.kind)), target, contexts);
  const refusal = draft.kind === '' ? undefined : permissions.refusal(draft.kind, target, contexts);
  const problems = { ...(refusal !== undefined && { kind: refusal }), ...problemsOf(draft) };
  const isSilent = kinds.length === 0 && !permissions.isOpen;
  if (isSilent && draft.place === MAIN && contexts.size === 0) {
    return <p className={styles.silent}>Your token allows no kind of message here.</p>;
  }
  const send = (event?: FormEvent) => {
    event?.preventDefault();
    setTried(true);
    if (Object.keys(problems).length > 0 || !connection) {
      if (problems.kind !== undefined || problems.correlation !== undefined) setShown(true);
      return;
    }
    const context = contextOf(draft, typeOf, () => `ctx_${newId()}`);
    const outgoing = {
      id: newId(),
      at: Date.now(),
      draft: {
        kind: draft.kind,
        payload: payloadOf(draft),
        ...(draft.to.length > 0 && { to: [...draft.to] }),
        ...(draft.correlation !== '' && { correlation_id: draft.correlation }),
        ...(context && { context }),
      },
    };
    void outbox.send(connection.send, outgoing, policy.history === 'durable');
    setTried(false);
    // What was begun with it goes on in the same context.
    const place = context ? `c:${context.id}` : draft.place;
    store.change(() => ({ ...EMPTY_DRAFT, kind: draft.kind, to: draft.to, isJson: draft.isJson, place }));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    if (draft.isJson && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    send();
  };
  return (
    <form className={styles.composer} aria-label="Send a message" onSubmit={send}>
      {isShown && (
        <DraftOptions
          {...{ draft, change, kinds, contexts, recent, policy, link }}
          isOpen={permissions.isOpen}
          problems={isTried || refusal !== undefined ? problems : {}}
        />
      )}
      <div className={styles.line}>
        <TextArea
          label={draft.isJson ? 'Payload, as JSON' : 'Message'}
          rows={draft.isJson ? 4 : 2}
          value={draft.text}
          spellCheck={!draft.isJson}
          className={draft.isJson ? styles.json : undefined}
          problem={isTried ? problems.text : undefined}
          placeholder={draft.isJson ? '{"text": "…"}' : 'Enter sends, Shift Enter begins a line'}
          onChange={(event) => change({ text: event.target.value })}
          onKeyDown={onKeyDown}
        />
        <div className={styles.buttons}>
          <Button
            look="main"
            type="submit"
            icon={<SendHorizontal aria-hidden />}
            disabled={refusal !== undefined}
          >
            Send
          </Button>
          <Button
            size="small"
            look="quiet"
            icon={<SlidersHorizontal aria-hidden />}
            aria-expanded={isShown}
            onClick={() => setShown(!isShown)}
          >
            Options
          </Button>
        </div>
      </div>
      <p className={styles.summary}>
        As <bdi>{me.id}</bdi>: <bdi className={styles.kind}>{draft.kind || 'no kind'}</bdi> to{' '}
        <bdi>{draft.to.length === 0 ? 'everyone' : draft.to.join(', ')}</bdi> in{' '}
        <Where draft={draft} typeOf={typeOf} />
        {draft.correlation !== '' && (
          <>
            , about <bdi className={styles.kind}>{draft.correlation}</bdi>
          </>
        )}
        {refusal !== undefined && !isShown && <span className={styles.refusal}> · {refusal}</span>}
      </p>
    </form>
  );
}

function Where({
  draft,
  typeOf,
}: {
  draft: MessageDraft;
  typeOf: (id: string) => string | null | undefined;
}) {
  const context = contextOf(draft, typeOf, () => '');
  if (!context) return 'the main context';
  if (context.id === '') return 'a new context';
  return (
    <>
      {context.type !== undefined && <bdi>{context.type} </bdi>}
      <bdi className={styles.kind}>{context.id}</bdi>
    </>
  );
}

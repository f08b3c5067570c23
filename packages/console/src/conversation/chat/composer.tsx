import { Link } from '@tanstack/react-router';
import { RotateCcw, SendHorizontal, Square } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import { Button } from '../../design/controls/button.tsx';
import { TextArea } from '../../design/controls/field.tsx';
import { useObservable } from '../../design/hooks/observable.ts';
import { Unseen } from '../../design/layout/placeholders.tsx';
import { isSetUp, useChatModel } from '../../settings/model.ts';
import { useStores } from '../queries.ts';
import { ask } from './ask.ts';
import type { Ask } from './chat.ts';
import styles from './composer.module.css';

/** Where one talks to the model, or how one would. */
export function Composer({ project, isTaken }: { project: string | undefined; isTaken: boolean }) {
  const [model] = useChatModel();
  const { session, may } = useAccount();
  const { chat, connect } = useStores();
  const { isBusy, isAnswered, problem } = useObservable(chat.state);
  const [text, setText] = useState('');
  if (!may('write')) return null;
  if (!isSetUp(model)) {
    return (
      <p className={styles.quiet}>
        To chat with a model here, choose one in <Link to="/settings">Settings, Model</Link>.
      </p>
    );
  }
  const askModel: Ask = (asked, options) => ask(session, model, asked, options);
  const connected = () => connect(project);
  const canSend = text.trim() !== '' && !isBusy && !isTaken;
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (!canSend) return;
    setText('');
    void chat.say(text.trim(), askModel, connected);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) send(event as never);
  };
  return (
    <form className={styles.composer} onSubmit={send}>
      {problem !== undefined && (
        <div role="alert" className={styles.problem}>
          <p>{problem}</p>
          <Button
            size="small"
            icon={<RotateCcw aria-hidden />}
            onClick={() => void chat.again(askModel, connected)}
          >
            Ask again
          </Button>
        </div>
      )}
      <div className={styles.line}>
        <TextArea
          label={`Message to ${model.name}`}
          className={styles.text}
          rows={1}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
        {isBusy ? (
          <Button icon={<Square aria-hidden />} onClick={() => chat.stop()}>
            Stop
          </Button>
        ) : (
          <Button look="main" type="submit" icon={<SendHorizontal aria-hidden />} disabled={!canSend}>
            Send
          </Button>
        )}
      </div>
      <span role="status" className={styles.status}>
        {isBusy && `${model.name} is answering.`}
        {isAnswered && <Unseen>{model.name} has answered.</Unseen>}
      </span>
    </form>
  );
}

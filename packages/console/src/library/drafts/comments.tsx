import { useMutation, useQueryClient } from '@tanstack/react-query';
import { MessageSquarePlus } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import { useAccount, useApi } from '../../api/account.tsx';
import { Button } from '../../design/controls/button.tsx';
import { Dialog } from '../../design/controls/dialog.tsx';
import { TextArea } from '../../design/controls/field.tsx';
import { Badge } from '../../design/data/badge.tsx';
import { Time } from '../../design/data/figures.tsx';
import { Markdown } from '../../design/data/markdown.tsx';
import { Panel } from '../../design/layout/panel.tsx';
import { Problem } from '../../design/layout/placeholders.tsx';
import type { DiffSide } from '../code/diff.tsx';
import { type LibraryDraft, renewLibrary } from '../queries.ts';
import styles from './comments.module.css';

interface CommentPlace {
  side: DiffSide;
  line: number;
}

interface CommentsProps {
  draft: LibraryDraft;
  onReveal: (place: CommentPlace) => void;
  onComment: () => void;
}

/** What people said of a draft, in order, each with the line that it is about. */
export function Comments({ draft: { comments }, onReveal, onComment }: CommentsProps) {
  const { may } = useAccount();
  return (
    <Panel
      title="Comments"
      aside={
        may('write') && (
          <Button size="small" icon={<MessageSquarePlus aria-hidden />} onClick={onComment}>
            Comment
          </Button>
        )
      }
    >
      {comments.length === 0 ? (
        <p className={styles.soft}>Nobody has said anything about it yet.</p>
      ) : (
        <ol className={styles.comments} aria-label="Comments">
          {comments.map(({ at, by, text, side, line, current }) => (
            <li key={`${at} ${by} ${line} ${text}`}>
              <p className={styles.who}>
                <bdi>{by}</bdi>
                <span className={styles.soft}>
                  <Time at={at} />
                </span>
                {side !== null && line !== null && (
                  <>
                    <Button
                      size="small"
                      look="quiet"
                      disabled={!current}
                      onClick={() => onReveal({ side, line })}
                    >
                      {placeWords({ side, line })}
                    </Button>
                    {!current && <Badge tone="warn">of an earlier version</Badge>}
                  </>
                )}
              </p>
              <Markdown text={text} />
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

const placeWords = ({ side, line }: CommentPlace) =>
  side === 'draft' ? `line ${line}` : `line ${line} of what is published`;

interface CommentDialogProps {
  draft: LibraryDraft;
  /** The whole draft without it. */
  place: CommentPlace | undefined;
  quoted: string | undefined;
  onClose: () => void;
}

export function CommentDialog({ draft, place, quoted, onClose }: CommentDialogProps) {
  const api = useApi();
  const client = useQueryClient();
  const form = useId();
  const [text, setText] = useState('');
  const [isEmpty, setEmpty] = useState(false);
  const comment = useMutation({
    mutationFn: () => api.commentDraft({ id: draft.id, text, ...place, ...hashOf(draft, place) }),
    onSuccess: () => {
      void renewLibrary(client);
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setEmpty(text.trim() === '');
    if (text.trim() !== '') comment.mutate();
  };
  return (
    <Dialog
      isOpen
      hasText={text.trim() !== ''}
      onClose={onClose}
      title={place ? `Comment on ${placeWords(place)}` : 'Comment on the draft'}
      actions={
        <>
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button look="main" type="submit" form={form} isBusy={comment.isPending}>
            Comment
          </Button>
        </>
      }
    >
      <form id={form} className={styles.form} onSubmit={submit}>
        {quoted !== undefined && quoted.trim() !== '' && (
          <blockquote className={styles.quoted}>
            <bdi>{quoted}</bdi>
          </blockquote>
        )}
        <TextArea
          label="Comment"
          hint="Its author, and the agent that drafted it, are told."
          rows={5}
          value={text}
          problem={isEmpty ? 'Write something first.' : undefined}
          onChange={(event) => setText(event.target.value)}
        />
        {comment.error && <Problem what="The comment was not saved" error={comment.error} />}
      </form>
    </Dialog>
  );
}

/** Of the version that the line is in; not known of what is published where the draft builds on another. */
function hashOf(draft: LibraryDraft, place: CommentPlace | undefined): { hash?: string } {
  const isKnown = place?.side === 'draft' || (place?.side === 'published' && draft.conflict === null);
  const hash = place?.side === 'draft' ? draft.hash : draft.base_hash;
  return isKnown && hash !== null ? { hash } : {};
}

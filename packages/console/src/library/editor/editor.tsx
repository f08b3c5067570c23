import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Save, TriangleAlert } from 'lucide-react';
import { lazy, Suspense, useDeferredValue, useId, useState } from 'react';
import { useAccount, useApi } from '../../api/account.tsx';
import { classes } from '../../design/classes.ts';
import { Button } from '../../design/controls/button.tsx';
import { Choice } from '../../design/controls/choice.tsx';
import { Select, TextField } from '../../design/controls/field.tsx';
import { Markdown } from '../../design/data/markdown.tsx';
import { useObservable } from '../../design/hooks/observable.ts';
import { useTitle } from '../../design/hooks/use-title.ts';
import { Panel } from '../../design/layout/panel.tsx';
import { Loading, Problem } from '../../design/layout/placeholders.tsx';
import { bodyOf } from '../files/front-matter.ts';
import { META_PROMPT } from '../files/rows.ts';
import { renewLibrary } from '../queries.ts';
import type { NewKind } from '../search.ts';
import styles from './editor.module.css';
import { Overtaken } from './overtaken.tsx';
import { OwnDraft } from './own-draft.tsx';
import { NEW_FILES } from './resource.ts';
import {
  dropUnsaved,
  keepUnsaved,
  type Resource,
  settleSaved,
  unsavedFor,
  unsavedTexts,
  whoIs,
} from './unsaved.ts';

const SourceEditor = lazy(() => import('../code/editor.tsx'));

export interface Beginning {
  resource: Resource;
  /** Where it is; of a new file, where it may be. */
  path: string;
  /** As it is published, or in the draft, now. */
  text: string;
  /** Of the file or the draft; undefined for a new file. */
  id: string | undefined;
  made?: NewKind;
  /** Of a draft. */
  status?: string;
}

interface EditorProps {
  project: string;
  /** As unsaved texts name it. */
  target: string;
  beginning: Beginning;
  /** What is edited is gone since: deleted, or no longer to be seen. */
  isGone?: boolean;
}

/** Text with its preview. What is written stays until it is saved or thrown away, wherever one goes meanwhile. */
export function Editor({ project, target, beginning, isGone = false }: EditorProps) {
  const { status } = useAccount();
  const api = useApi();
  const client = useQueryClient();
  const navigate = useNavigate();
  const titleId = useId();
  const [show, setShow] = useState<'write' | 'preview'>('write');
  const [isPathWrong, setPathWrong] = useState(false);
  const key = { who: whoIs(status), project, target };
  const kept = unsavedFor(useObservable(unsavedTexts), key);
  // What it was begun from: somebody may publish another meanwhile.
  const [begun, setBegun] = useState(kept?.base ?? beginning.text);
  const [first] = useState(kept?.text ?? beginning.text);
  const now = {
    text: kept?.text ?? begun,
    path: kept?.path ?? beginning.path,
    description: kept?.description ?? '',
  };
  const isNew = beginning.id === undefined;
  const isMeta = beginning.resource === 'mpf';
  const isOvertaken = !isNew && !isGone && beginning.text !== begun;
  const preview = useDeferredValue(now.text);
  useTitle(isNew ? 'New file' : `Edit ${beginning.path}`);
  const keep = (change: Partial<typeof now>) => {
    const next = { ...now, ...change };
    const isAsBegun = next.text === begun && next.path === beginning.path && next.description === '';
    if (isAsBegun) dropUnsaved(key);
    else keepUnsaved({ ...key, ...next, name: next.path, base: begun, resource: beginning.resource });
  };
  const save = useMutation({
    mutationFn: ({ text, path, description }: typeof now) => {
      const { resource, id } = beginning;
      const why = description.trim();
      const more = { body: text, ...(why !== '' && { description: why }) };
      const isCreated = id === undefined || isGone;
      const op = isCreated ? { create: { path: path.trim(), ...more } } : { update: { id, ...more } };
      return api.createDraft({ project, resource, op });
    },
    onSuccess: ({ draft }, { text }) => {
      const isAll = settleSaved(key, text, draft.id);
      if (!isAll) setBegun(text);
      void renewLibrary(client);
      void navigate({
        to: '/library/$page',
        params: { page: 'drafts' },
        search: { project, draft: draft.id, ...(!isAll && { edit: true }) },
      });
    },
  });
  const submit = () => {
    const isMissing = isNew && (now.path.trim() === '' || now.path.trim().endsWith('/'));
    setPathWrong(isMissing);
    if (!isMissing && !isOvertaken && now.text !== '' && !save.isPending) save.mutate(now);
  };
  const leave = () => {
    dropUnsaved(key);
    const search = beginning.status === undefined ? { item: beginning.id } : { draft: beginning.id };
    const page = beginning.status === undefined ? 'files' : 'drafts';
    void navigate({ to: '/library/$page', params: { page }, search: { project, ...search } });
  };
  return (
    <Panel
      title={
        <span id={titleId} className={styles.title}>
          {isNew ? 'New file' : <bdi>{beginning.path}</bdi>}
        </span>
      }
      aside={
        <div className={styles.buttons}>
          <span role="status" className={styles.state}>
            {kept ? 'Not saved' : isNew ? '' : 'Nothing changed'}
          </span>
          <Button look="quiet" onClick={leave}>
            {kept ? 'Throw it away' : 'Cancel'}
          </Button>
          <Button
            look="main"
            icon={<Save aria-hidden />}
            isBusy={save.isPending}
            disabled={isOvertaken || now.text === '' || (!isNew && !isGone && now.text === beginning.text)}
            onClick={submit}
          >
            {isGone ? 'Save as a new file' : 'Save as draft'}
          </Button>
        </div>
      }
    >
      <div className={styles.form}>
        {isNew && !isMeta && (
          <div className={styles.fields}>
            <KindField project={project} made={beginning.made!} />
            <TextField
              label="Path"
              hint="In the library; it ends in .md"
              value={now.path}
              problem={isPathWrong ? 'Give the file a name, such as rules/naming.md' : undefined}
              onChange={(event) => keep({ path: event.target.value })}
            />
          </div>
        )}
        {isNew && isMeta && (
          <p className={styles.hint}>
            The meta prompt is at <code>{META_PROMPT}</code>. Agents read it when they set up.
          </p>
        )}
        {(beginning.status === 'in_review' || beginning.status === 'approved') && (
          <p className={styles.hint}>
            This draft was submitted. Once you save a change it is a draft again, and needs a new review.
          </p>
        )}
        {isGone && (
          <p role="alert" className={styles.gone}>
            <TriangleAlert aria-hidden /> <bdi>{beginning.path}</bdi> is gone since you began: it was deleted
            or renamed, or you may no longer see it. Your text is kept, and can be saved as a draft of a new
            file.
          </p>
        )}
        {target.startsWith('item:') && !isGone && <OwnDraft project={project} id={beginning.id!} />}
        {isOvertaken && (
          <Overtaken before={begun} after={beginning.text} onTake={() => setBegun(beginning.text)} />
        )}
        {save.error && (
          <Problem what="The draft was not saved; your text is kept" error={save.error} onRetry={submit} />
        )}
        <div className={styles.choice}>
          <Choice
            label="Show"
            value={show}
            onChange={setShow}
            options={[
              { value: 'write', label: 'Write' },
              { value: 'preview', label: 'Preview' },
            ]}
          />
        </div>
        <div className={styles.sides}>
          <div className={classes(show !== 'write' && styles.other)}>
            <Suspense fallback={<Loading what="the editor" />}>
              <SourceEditor label="Text" text={first} onChange={(text) => keep({ text })} onSave={submit} />
            </Suspense>
          </div>
          <section
            aria-label="Preview"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
            tabIndex={0}
            className={classes(styles.preview, show !== 'preview' && styles.other)}
          >
            <Markdown text={bodyOf(preview)} />
          </section>
        </div>
        <TextField
          label="What changes, and why (optional)"
          hint="Whoever reviews it reads this first."
          value={now.description}
          onChange={(event) => keep({ description: event.target.value })}
        />
      </div>
    </Panel>
  );
}

/** Another kind begins with another path and text; what was written for this one stays with it. */
function KindField({ project, made }: { project: string; made: NewKind }) {
  const navigate = useNavigate();
  const kinds: NewKind[] = ['rule', 'workflow', 'context'];
  return (
    <Select
      label="Kind"
      value={made}
      options={kinds.map((kind) => ({ value: kind, label: NEW_FILES[kind].label }))}
      onChange={(kind) =>
        void navigate({
          to: '/library/$page',
          params: { page: 'files' },
          search: { project, make: kind as NewKind },
          replace: true,
        })
      }
    />
  );
}

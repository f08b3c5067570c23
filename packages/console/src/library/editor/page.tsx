import { ApiError } from '@infold/client/api';
import { useAccount } from '../../api/account.tsx';
import { useObservable } from '../../design/hooks/observable.ts';
import { Loading, Problem, Skeleton } from '../../design/layout/placeholders.tsx';
import { useDraft, useFile } from '../queries.ts';
import { useLibrarySearch } from '../use-search.ts';
import { type Beginning, Editor } from './editor.tsx';
import { NEW_FILES, resourceOf } from './resource.ts';
import { targetOf } from './target.ts';
import { unsavedFor, unsavedTexts, whoIs } from './unsaved.ts';

/** What is edited: a new file, a published one, or somebody's own draft. */
export default function EditorPage({ project }: { project: string }) {
  const search = useLibrarySearch();
  const { may, status } = useAccount();
  const { make, item, draft: draftId } = search;
  const file = useFile(project, make === undefined && draftId === undefined ? item : undefined);
  const draft = useDraft(make === undefined ? draftId : undefined);
  const target = targetOf(search)!;
  const kept = unsavedFor(useObservable(unsavedTexts), { who: whoIs(status), project, target });
  if (!may('write')) {
    return (
      <Problem
        what="Your token may read, but not write"
        error={new Error('Nothing can be drafted with it.')}
      />
    );
  }
  const error = file.error ?? draft.error;
  const isGone = error instanceof ApiError && error.status === 404;
  const hasText = kept !== undefined || (!isGone && (file.data ?? draft.data) !== undefined);
  if (error && !hasText) {
    const retry = () => void (file.error ? file : draft).refetch();
    return <Problem what="What is to be edited could not be read" error={error} onRetry={retry} />;
  }
  let beginning: Beginning | undefined;
  if (make !== undefined) {
    const { resource, path, text } = NEW_FILES[make];
    beginning = { resource, path, text, id: undefined, made: make };
  } else if (file.data) {
    const { id, path, content: text } = file.data;
    beginning = { resource: resourceOf(file.data), path, text, id };
  } else if (draft.data) {
    const { id, resource, draft_path: path, content, status: state } = draft.data;
    beginning = { resource, path, text: content ?? '', id, status: state };
  } else if (error && kept) {
    const { resource, path, base } = kept;
    beginning = { resource, path, text: base, id: draftId ?? item };
  }
  if (!beginning) {
    return (
      <Loading what="the text">
        <Skeleton lines={12} height="1.5rem" />
      </Loading>
    );
  }
  return <Editor key={target} {...{ project, target, beginning, isGone }} />;
}

/** What somebody fills in to remember something. */
export interface ItemDraft {
  title: string;
  content: string;
  kind: string;
  /** A project, or nobody else. */
  project: string;
  tags: string;
  source: string;
  valid_at: string;
}

export const blankDraft = (project: string | undefined): ItemDraft => ({
  ...{ title: '', content: '', kind: 'note', tags: '', source: '', valid_at: '' },
  project: project ?? '',
});

interface Known {
  title: string | null;
  content: string;
  kind: string;
  project_id: string | null;
  tags?: string[] | undefined;
  source: string | null;
}

/** A new version begins as the old one. */
export const draftOf = ({ title, content, kind, project_id, tags = [], source }: Known): ItemDraft => ({
  ...{ content, kind, valid_at: '' },
  title: title ?? '',
  project: project_id ?? '',
  tags: tags.join(', '),
  // Where a session came from is not where its next version comes from.
  source: source?.startsWith('infold://') ? '' : (source ?? ''),
});

/** A merge begins with all that its parts say, each once. */
export function mergedDraft(items: readonly Known[]): ItemDraft {
  const [first] = items;
  if (!first) return blankDraft(undefined);
  const said = [...new Set(items.map(({ content }) => content.trim()))];
  const places = new Set(items.map(({ project_id }) => project_id));
  return {
    ...draftOf(first),
    title: items.find(({ title }) => title !== null)?.title ?? '',
    content: said.join('\n\n'),
    project: places.size === 1 ? (first.project_id ?? '') : '',
    tags: [...new Set(items.flatMap(({ tags = [] }) => tags))].join(', '),
    source: '',
  };
}

/** What the server is given; nothing for what was left empty. */
export function givenOf({ title, content, kind, project, tags, source, valid_at }: ItemDraft) {
  const list = tags
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean);
  return {
    ...{ content, kind },
    ...(title.trim() !== '' && { title: title.trim() }),
    ...(project !== '' && { project }),
    ...(list.length > 0 && { tags: list }),
    ...(source.trim() !== '' && { source: source.trim() }),
    ...(valid_at !== '' && { valid_at }),
  };
}

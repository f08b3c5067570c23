import { type DraftResource, FILE_KINDS, type FileKind, META_PROMPT_PATH } from '@infold/protocol';
import { readFrontMatter } from './front-matter.ts';

export interface FileDescription {
  kind: FileKind;
  /** The logical group that the front matter names; the folder is the group otherwise. */
  group: string | null;
  description: string | null;
}

const MOST_DESCRIPTION = 1000;
const MOST_GROUP = 200;

/** What a file is, by its path and what its front matter says. */
export function describeFile(path: string, text: string): FileDescription {
  const { values } = readFrontMatter(text);
  return {
    kind: FILE_KINDS.find((kind) => kind === values.kind) ?? kindOfPath(path),
    group: shortText(values.group, MOST_GROUP),
    description: shortText(values.description, MOST_DESCRIPTION) ?? scopeText(values),
  };
}

/** What other tools' files say instead of a description: which files they are about. */
function scopeText(values: Record<string, unknown>): string | null {
  const globs = values.globs ?? values.applyTo;
  const text = Array.isArray(globs) ? globs.filter((glob) => typeof glob === 'string').join(', ') : globs;
  return typeof text === 'string' && text.trim() !== ''
    ? shortText(`Applies to ${text}`, MOST_DESCRIPTION)
    : null;
}

/** LIB-09: a workflow is drafted as `rule`. */
export function resourceOf(kind: FileKind): DraftResource {
  return kind === 'context' ? 'context' : 'rule';
}

export function kindOfPath(path: string): FileKind {
  if (path.startsWith('workflow/')) return 'workflow';
  return path.startsWith('context/') ? 'context' : 'rule';
}

function shortText(value: unknown, most: number): string | null {
  if (typeof value !== 'string') return null;
  const text = value.replaceAll(/\s+/g, ' ').trim().slice(0, most);
  return text === '' ? null : text;
}

/** "CODING" of `workflow/CODING.md`. */
export function nameOf(path: string): string {
  const base = path.slice(path.lastIndexOf('/') + 1);
  const dot = base.lastIndexOf('.');
  return dot > 0 ? base.slice(0, dot) : base;
}

/** The logical group, else the first folder; a file at the top has none. */
export function groupOf(path: string, group: string | null): string | undefined {
  return group ?? (path.includes('/') ? path.slice(0, path.indexOf('/')) : undefined);
}

/** Whether a file is in a group: by its logical group, or by a folder that it stands in. */
export function isInGroup(path: string, group: string | null, wanted: string): boolean {
  return group === wanted || path.startsWith(`${wanted}/`);
}

export function isMetaPrompt(path: string): boolean {
  return path === META_PROMPT_PATH;
}

/** Its path, or what the `draft` tool calls the resource. */
export function isMetaPromptName(id: string): boolean {
  return isMetaPrompt(id) || id.toLowerCase() === 'mpf';
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/;
const MOST_HEADINGS = 4000;

/** The headings, for searching. A quick look line by line: parsing every file of an import would take too long. */
export function headingsOf(text: string): string {
  if (!text.includes('#')) return '';
  const found: string[] = [];
  let length = 0;
  let fence: string | undefined;
  for (const line of readFrontMatter(text).body.split(/\r?\n|\r/)) {
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined && fence === undefined) fence = mark;
    else if (mark !== undefined && fence !== undefined && mark.startsWith(fence)) fence = undefined;
    if (fence !== undefined) continue;
    const title = HEADING.exec(line)?.[1];
    if (!title || length > MOST_HEADINGS) continue;
    found.push(title);
    length += title.length;
  }
  return found.join('\n');
}

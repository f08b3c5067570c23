import { isSafePath } from '../files/paths.ts';

/**
 * Rule files that other tools look for under a dotted name. The library has no dotted paths (LIB-15), so they are
 * taken in under a plain one and remember where they came from (LIB-16).
 */
const FILES = [
  '.aiassistant/guidelines.md',
  '.augment-guidelines',
  '.claude/CLAUDE.md',
  '.clinerules',
  '.continuerules',
  '.cursorrules',
  '.gemini/GEMINI.md',
  '.github/copilot-instructions.md',
  '.goosehints',
  '.junie/guidelines.md',
  '.roorules',
  '.rules',
  '.windsurfrules',
];

/** Every Markdown file in these, however deep. */
const FOLDERS = [
  '.aiassistant/rules',
  '.amazonq/rules',
  '.augment/rules',
  '.claude/rules',
  '.clinerules',
  '.continue/rules',
  '.cursor/rules',
  '.github/instructions',
  '.kiro/steering',
  '.roo/rules',
  '.trae/rules',
  '.windsurf/rules',
];

const MARKDOWN = /\.(?:md|mdc|markdown)$/i;

export function isMarkdown(path: string): boolean {
  return MARKDOWN.test(path);
}

/** From the first dotted segment on: a tool's files may stand in any folder of a repository. */
function dottedPart(path: string): string | undefined {
  const segments = path.split('/');
  const first = segments.findIndex((segment) => segment.startsWith('.'));
  return first === -1 ? undefined : segments.slice(first).join('/');
}

/** Where a well-known rule file is kept; undefined for every other dotted path. */
export function plainPath(path: string): string | undefined {
  const dotted = dottedPart(path);
  if (dotted === undefined || !isWellKnown(dotted)) return undefined;
  const plain = path
    .split('/')
    .map((segment) => segment.replace(/^\.+/, ''))
    .join('/');
  const target = isMarkdown(plain) ? plain : `${plain}.md`;
  return isSafePath(target) ? target : undefined;
}

function isWellKnown(dotted: string): boolean {
  if (FILES.includes(dotted)) return true;
  const folder = FOLDERS.find((known) => dotted.startsWith(`${known}/`));
  return folder !== undefined && isMarkdown(dotted) && !dotted.slice(folder.length).includes('/.');
}

/** Whether a dotted folder is one of those, or leads to one. */
export function mayHoldRules(path: string): boolean {
  const dotted = dottedPart(path);
  if (dotted === undefined) return true;
  return (
    [...FILES, ...FOLDERS].some((known) => known.startsWith(`${dotted}/`)) ||
    FOLDERS.some((known) => `${dotted}/`.startsWith(`${known}/`))
  );
}

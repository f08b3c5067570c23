import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';

export interface Linked {
  url: string;
  /** Of the text that was parsed, from 1. */
  line: number;
}

/** What a Markdown text links to and which anchors it has. */
export interface Outline {
  links: Linked[];
  anchors: Set<string>;
}

const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i;

export function outlineOf(markdown: string): Outline {
  const links: Linked[] = [];
  const anchors = new Set<string>();
  const visit = (node: Nodes) => {
    const line = node.position?.start.line ?? 1;
    if (node.type === 'link' || node.type === 'image' || node.type === 'definition') {
      links.push({ url: node.url, line });
    } else if (node.type === 'heading') anchors.add(freeSlug(slugOf(textOf(node)), anchors));
    else if (node.type === 'html') {
      for (const [, name] of node.value.matchAll(/\b(?:id|name)="([^"]+)"/g)) anchors.add(name!);
    }
    if ('children' in node) for (const child of node.children) visit(child);
  };
  visit(fromMarkdown(markdown));
  return { links, anchors };
}

/** As GitHub and most others make them. */
function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

function freeSlug(slug: string, taken: ReadonlySet<string>): string {
  if (!taken.has(slug)) return slug;
  for (let number = 1; ; number++) if (!taken.has(`${slug}-${number}`)) return `${slug}-${number}`;
}

function textOf(node: Nodes): string {
  if ('value' in node) return node.value;
  return 'children' in node ? node.children.map(textOf).join('') : '';
}

/** Why a link of a file leads nowhere; undefined where it leads somewhere, or out into the world. */
export function problemOfLink(
  url: string,
  {
    folder,
    source,
    outline,
  }: { folder: string; source: string; outline: (source: string) => Outline | undefined },
): string | undefined {
  if (url === '' || ELSEWHERE.test(url)) return undefined;
  const hash = url.indexOf('#');
  const anchor = hash < 0 ? '' : decoded(url.slice(hash + 1));
  const path = decoded((hash < 0 ? url : url.slice(0, hash)).replace(/\?.*$/, ''));
  if (anchor === undefined || path === undefined) return `"${url}" is not a valid link`;
  const target = path === '' ? source : path.startsWith('/') ? path.slice(1) : join(dirname(source), path);
  const whole = join(folder, target);
  const inside = relative(folder, whole);
  if (inside.startsWith('..'))
    return `"${url}" leads out of the folder, and the library holds only what is in it`;
  if (!existsSync(whole)) return `"${url}" leads to ${inside}, which does not exist`;
  if (anchor === '' || statSync(whole).isDirectory()) return undefined;
  const there = outline(inside);
  return !there || there.anchors.has(anchor) || there.anchors.has(anchor.toLowerCase())
    ? undefined
    : `"${url}" leads to a heading that ${path === '' ? 'this file' : inside} does not have`;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

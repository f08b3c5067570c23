import type { ContextFacet, ContextItem, ContextSection } from '@infold/protocol';
import { countTokens } from '../../kernel/tokens.ts';

export interface MarkdownPack {
  goal: string;
  intent: string;
  layer: string;
  domain: string | null;
  project: string | null;
  sections: readonly ContextSection[];
}

export interface Rendered {
  markdown: string;
  /** Items that are in it. */
  ids: Set<ContextItem>;
  leftOut: ContextItem[];
  /** Items that are in it with less than their content. */
  shortened: number;
}

const GOAL_CHARACTERS = 200;
const CONTENT_CHARACTERS = 1500;
const LEAST_CONTENT = 60;
const MOST_RELATED = 3;
const JOIN_TOKENS = 2;

function header({ goal, intent, layer, domain, project }: MarkdownPack): string {
  const about = [
    `Intent: ${intent}`,
    `Layer: ${layer}`,
    ...(project === null ? [] : [`Project: ${project}`]),
    ...(domain === null ? [] : [`Domain: ${domain}`]),
  ];
  return `# Context pack: ${cut(goal.replace(/\s+/g, ' ').trim(), GOAL_CHARACTERS)}\n\n${about.join(' · ')}`;
}

/** One item as a bullet: what it is called, when it was, and what it says, ready to be read by a model. */
export function renderItem(item: ContextItem, most = CONTENT_CHARACTERS): string {
  const { author, at, status } = item.metadata as { author?: string; at?: string; status?: string };
  const day = (at ?? item.quality.created_at ?? '').slice(0, 10);
  const kind = status === undefined ? item.type : `${item.type}, ${status}`;
  const facts = [kind, ...(author === undefined ? [] : [author]), ...(day === '' ? [] : [day])];
  const content = indent(cut(item.content.trim(), most));
  const own = isNamedByContent(item);
  const lines = [
    own
      ? `- ${facts.join(' · ')} \`${item.id}\``
      : `- **${oneLine(item.name)}** (${facts.join(' · ')}) \`${item.id}\``,
    `  ${content}`,
  ];
  const contradicted = item.metadata.contradicted_by;
  if (Array.isArray(contradicted)) lines.push(`  Contradicted by: ${contradicted.join(', ')}`);
  if (item.related.length > 0) {
    const related = item.related
      .slice(0, MOST_RELATED)
      .map(({ relationship, direction, name, type }) =>
        direction === 'outgoing'
          ? `${relationship} ${oneLine(name)} (${type})`
          : `${oneLine(name)} (${type}) ${relationship} this`,
      );
    lines.push(`  Related: ${related.join('; ')}`);
  }
  return lines.join('\n');
}

/** A name that was made from the content would only say it twice. */
function isNamedByContent(item: ContextItem): boolean {
  return item.content.trim().startsWith(item.name.replace(/…$/, '').trim());
}

/** All of the pack, or as much of it as the budget holds; the highest scores go first. */
export function renderPack(pack: MarkdownPack, budget: number | undefined): Rendered {
  const all = pack.sections.flatMap(({ items }) => items);
  if (budget === undefined) {
    const blocks = new Map(all.map((item) => [item, renderItem(item)]));
    return { markdown: assemble(pack, blocks, undefined), ids: new Set(all), leftOut: [], shortened: 0 };
  }
  const blocks = chooseBlocks(pack, all, budget);
  for (;;) {
    const leftOut = all.filter((item) => !blocks.chosen.has(item));
    const note =
      leftOut.length === 0 && blocks.shortened.size === 0
        ? undefined
        : noteFor(leftOut.length, blocks.shortened.size, budget);
    const markdown = assemble(pack, blocks.chosen, note);
    if (countTokens(markdown) <= budget || blocks.chosen.size === 0) {
      const fits = countTokens(markdown) <= budget;
      return {
        markdown: fits ? markdown : cutToTokens(markdown, budget),
        ids: new Set(blocks.chosen.keys()),
        leftOut,
        shortened: blocks.shortened.size,
      };
    }
    const lowest = [...blocks.chosen.keys()].sort((one, other) => one.score - other.score)[0]!;
    blocks.chosen.delete(lowest);
    blocks.shortened.delete(lowest);
  }
}

function chooseBlocks(pack: MarkdownPack, all: readonly ContextItem[], budget: number) {
  const chosen = new Map<ContextItem, string>();
  const shortened = new Set<ContextItem>();
  const titles = new Set<ContextFacet>();
  let used = countTokens(header(pack)) + countTokens(noteFor(50, 50, budget)) + JOIN_TOKENS;
  const byScore = [...all].sort((one, other) => other.score - one.score);
  for (const item of byScore) {
    const title = titles.has(item.facet)
      ? 0
      : countTokens(`\n\n## ${item.facet.replace('_', ' ')}\n`) + JOIN_TOKENS;
    const left = budget - used - title;
    if (left <= 0) break;
    let block = renderItem(item);
    let tokens = countTokens(block) + JOIN_TOKENS;
    if (tokens > left) {
      block = renderItem(item, Math.max(LEAST_CONTENT, Math.floor(left * 2)));
      tokens = countTokens(block) + JOIN_TOKENS;
      // Later, shorter items may still fit; one that says next to nothing helps nobody.
      if (tokens > left || (left < 40 && chosen.size > 0)) continue;
      shortened.add(item);
    }
    chosen.set(item, block);
    titles.add(item.facet);
    used += tokens + title;
  }
  return { chosen, shortened };
}

function assemble(
  pack: MarkdownPack,
  blocks: ReadonlyMap<ContextItem, string>,
  note: string | undefined,
): string {
  const parts = [header(pack)];
  for (const { title, items } of pack.sections) {
    const shown = items.flatMap((item) => blocks.get(item) ?? []);
    if (shown.length > 0) parts.push(`## ${title}\n\n${shown.join('\n')}`);
  }
  if (note !== undefined) parts.push(note);
  return `${parts.join('\n\n')}\n`;
}

function noteFor(leftOut: number, shortened: number, budget: number): string {
  const what = [
    ...(leftOut > 0 ? [`${leftOut} more items left out`] : []),
    ...(shortened > 0 ? [`${shortened} shortened`] : []),
  ];
  return `_Kept to ${budget} tokens: ${what.join(', ')}._`;
}

function cutToTokens(text: string, budget: number): string {
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (countTokens(text.slice(0, middle)) <= budget) low = middle;
    else high = middle - 1;
  }
  return text.slice(0, low);
}

export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const short = text.slice(0, most - 1);
  const space = short.lastIndexOf(' ');
  return `${(space > most * 0.6 ? short.slice(0, space) : short).trimEnd()}…`;
}

function indent(text: string): string {
  return text.replaceAll('\n', '\n  ');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('**', '');
}

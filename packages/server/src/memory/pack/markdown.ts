import type { ContextRelatedItem, ContextSection } from '@infold/protocol';
import { countTokens } from '../../kernel/tokens/count.ts';
import { cut } from './body.ts';
import type { Layout } from './budget.ts';
import type { PackItem } from './items.ts';

export interface MarkdownPack {
  goal: string;
  intent: string;
  layer: string;
  /** How wide the search was. */
  width?: string;
  domain: string | null;
  project: string | null;
  sections: readonly (Pick<ContextSection, 'title'> & { items: readonly PackItem[] })[];
  /** What stands below the items. */
  notices: readonly string[];
}

export const GOAL_CHARACTERS = 200;
const MOST_RELATED = 3;

/** A pack as it can be put into a prompt. Each body occurs once. */
export function renderPack(pack: MarkdownPack, rooms: Layout['rooms']): string {
  const { goal, intent, layer, width, domain, project, sections, notices } = pack;
  const about = [
    `Intent: ${intent}`,
    width === undefined ? `Layer: ${layer}` : `Layer: ${layer} (${width})`,
    ...(project === null ? [] : [`Project: ${project}`]),
    ...(domain === null ? [] : [`Domain: ${domain}`]),
  ];
  const shown = new Map([...rooms.keys()].map((item) => [item.view.id, item]));
  const parts = [`# Context pack: ${shortGoal(goal)}\n\n${about.join(' · ')}`];
  for (const { title, items } of sections) {
    const bullets = items.map((item) => renderItem(item, rooms.get(item)!, shown));
    parts.push(`## ${title}\n\n${bullets.join('\n')}`);
  }
  for (const notice of notices) parts.push(`_${notice}_`);
  return `${parts.join('\n\n')}\n`;
}

export function shortGoal(goal: string): string {
  return cut(goal.replace(/\s+/g, ' ').trim(), GOAL_CHARACTERS);
}

/** One item as a bullet: what it is called, when it was, and what it says, ready to be read by a model. */
function renderItem(item: PackItem, room: number, shown: ReadonlyMap<string, PackItem>): string {
  const { view } = item;
  const { author, at, status } = view.metadata as { author?: string; at?: string; status?: string };
  const day = (at ?? view.quality.created_at ?? '').slice(0, 10);
  const kind = status === undefined ? view.type : `${view.type}, ${status}`;
  const facts = [kind, ...(author === undefined ? [] : [author]), ...(day === '' ? [] : [day])].join(' · ');
  const lines = [
    isNamed(item) ? `- **${oneLine(view.name)}** (${facts}) \`${view.id}\`` : `- ${facts} \`${view.id}\``,
    `  ${item.body.text(room).replaceAll('\n', '\n  ')}`,
  ];
  const contradicted = view.metadata.contradicted_by;
  if (Array.isArray(contradicted)) lines.push(`  Contradicted by: ${contradicted.join(', ')}`);
  if (view.related.length > 0) {
    const related = view.related.slice(0, MOST_RELATED).map((each) => renderRelated(each, shown));
    lines.push(`  Related: ${related.join('; ')}`);
  }
  return lines.join('\n');
}

function renderRelated(related: ContextRelatedItem, shown: ReadonlyMap<string, PackItem>): string {
  const { id, relationship, direction, name, type, distance } = related;
  const known = shown.get(id);
  // What has no title of its own is called by what it says, which stands elsewhere in the pack already.
  const called = known && !known.titled ? `\`${id}\`` : `${oneLine(name)} (${type})`;
  const way = direction === 'outgoing' ? `${relationship} ${called}` : `${called} ${relationship} this`;
  return distance === 1 ? way : `${way.replace(/ this$/, ' a related item')} (${distance} steps away)`;
}

/** A title that the content begins with would only say it twice. */
function isNamed({ titled, view }: PackItem): boolean {
  return titled && !view.content.trim().startsWith(view.name);
}

export function cutToTokens(text: string, budget: number): string {
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (countTokens(text.slice(0, middle)) <= budget) low = middle;
    else high = middle - 1;
  }
  return text.slice(0, low);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('**', '');
}

import type { ContextItem, ContextOtherValue, ContextRelatedItem, ContextSection } from '@infold/protocol';
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
  /** The order within sections, where it is not by score. */
  order?: string;
  domain: string | null;
  project: string | null;
  sections: readonly (Pick<ContextSection, 'title'> & { items: readonly PackItem[] })[];
  /** What stands below the items. */
  notices: readonly string[];
  /** Room for what items say, and hardly for what is said about them. */
  isScant: boolean;
}

export const GOAL_CHARACTERS = 200;
const MOST_RELATED = 3;

/** A pack as it can be put into a prompt. Each body occurs once. */
export function renderPack(pack: MarkdownPack, rooms: Layout['rooms']): string {
  const { goal, intent, layer, width, order, domain, project, sections, notices } = pack;
  const about = [
    `Intent: ${intent}`,
    width === undefined ? `Layer: ${layer}` : `Layer: ${layer} (${width})`,
    ...(project === null ? [] : [`Project: ${project}`]),
    ...(domain === null ? [] : [`Domain: ${domain}`]),
    ...(order === undefined ? [] : [`Order: ${order}`]),
  ];
  const shown = new Map([...rooms.keys()].map((item) => [item.view.id, item]));
  const dayOf = order === undefined ? justDay : dayAmong([...rooms.keys()]);
  const parts = [`# Context pack: ${shortGoal(goal)}\n\n${about.join(' · ')}`];
  for (const { title, items } of sections) {
    const bullets = items.map((item) =>
      renderItem(item, rooms.get(item)!, { shown, day: dayOf(item), isScant: pack.isScant }),
    );
    parts.push(`## ${title}\n\n${bullets.join('\n')}`);
  }
  for (const notice of notices) parts.push(`_${notice}_`);
  return `${parts.join('\n\n')}\n`;
}

export function shortGoal(goal: string): string {
  return cut(goal.replace(/\s+/g, ' ').trim(), GOAL_CHARACTERS);
}

const timeOf = ({ view }: PackItem) =>
  (view.metadata.at as string | undefined) ?? view.quality.created_at ?? '';
const justDay = (item: PackItem) => timeOf(item).slice(0, 10);

/** With the minute, where several are of one day and their order is asked for. */
function dayAmong(items: readonly PackItem[]): (item: PackItem) => string {
  const days = items.map(justDay);
  return (item) => {
    const day = justDay(item);
    return days.indexOf(day) === days.lastIndexOf(day) ? day : timeOf(item).slice(0, 16).replace('T', ' ');
  };
}

interface Surroundings {
  /** What else is in the pack, by id. */
  shown: ReadonlyMap<string, PackItem>;
  day: string;
  isScant: boolean;
}

/** One item as a bullet: what it is called, when it was, and what it says, ready to be read by a model. */
function renderItem(item: PackItem, room: number, { shown, day, isScant }: Surroundings): string {
  const { view, project } = item;
  const { author, status } = view.metadata as { author?: string; status?: string };
  const kind = status === undefined ? view.type : `${view.type}, ${status}`;
  const named = project === undefined ? undefined : `project ${oneLine(project)}`;
  const facts = [kind, author, day === '' ? undefined : day, named].filter((fact) => fact !== undefined);
  const about = facts.join(' · ');
  const lines = [
    isNamed(item) ? `- **${oneLine(view.name)}** (${about}) \`${view.id}\`` : `- ${about} \`${view.id}\``,
    `  ${item.body.text(room).replaceAll('\n', '\n  ')}`,
    ...(isScant ? [] : renderRepeated(item)),
  ];
  const contradicted = view.metadata.contradicted_by;
  if (Array.isArray(contradicted)) lines.push(`  Contradicted by: ${contradicted.join(', ')}`);
  lines.push(...renderChanges(item, shown), ...(isScant ? [] : renderValues(item)));
  if (view.related.length > 0) {
    const related = view.related.slice(0, MOST_RELATED).map((each) => renderRelated(each, shown));
    lines.push(`  Related: ${related.join('; ')}`);
  }
  return lines.join('\n');
}

/** What says nearly the same is counted, not shown. */
function renderRepeated(item: PackItem): string[] {
  const { also } = item.view.metadata as { also?: { id: string; at: string }[] };
  if (!also) return [];
  const last = [timeOf(item), ...also.map(({ at }) => at)].sort().at(-1)!.slice(0, 10);
  const told = also.slice(0, MOST_RELATED).map(({ id, at }) => `\`${id}\` of ${at.slice(0, 10)}`);
  return [`  Said ${also.length + 1} times, last on ${last}; also ${told.join(', ')}`];
}

/** What somebody wanted otherwise at another time; what stands in the pack is not said again. */
function renderChanges({ view }: PackItem, shown: ReadonlyMap<string, PackItem>): string[] {
  return othersOf(view)
    .filter(({ change }) => change)
    .map((other) => {
      const said = shown.has(other.id) ? '' : `“${oneLine(other.says)}” `;
      return `  ${other.change === 'replaces' ? 'Replaces' : 'Replaced by'}: ${said}(${placeOf(other)})`;
    });
}

/** Values that do not go together, side by side with their days. */
function renderValues(item: PackItem): string[] {
  const own = timeOf(item);
  const told = othersOf(item.view)
    .filter(({ values }) => values)
    .slice(0, MOST_RELATED)
    .map(
      (other) => `${other.values!.join(', ')} (${other.at > own ? 'later' : 'earlier'}: ${placeOf(other)})`,
    );
  return told.length === 0 ? [] : [`  Other values: ${told.join('; ')}`];
}

const othersOf = ({ metadata }: ContextItem) =>
  (metadata.other_values as ContextOtherValue[] | undefined) ?? [];
const placeOf = ({ id, at }: ContextOtherValue) => `${at.slice(0, 10)}, \`${id}\``;

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

import type { ContextFormat, ContextItem, ContextPack, ContextSection } from '@infold/protocol';
import { InfoldError } from '../../kernel/errors.ts';
import { type GiveWay, goOn } from '../../kernel/give-way.ts';
import { countTokens } from '../../kernel/tokens/count.ts';
import type { ShownHalf } from '../../trust/clients/client.ts';
import { fitLayout, type Layout } from './budget.ts';
import type { Selection } from './compile.ts';
import { elsewhereNotices } from './elsewhere.ts';
import { FACET_TITLES, facetOrder } from './facets.ts';
import { inTime, orderInWords } from './in-time.ts';
import type { PackItem } from './items.ts';
import { cutToTokens, renderPack, shortGoal } from './markdown.ts';
import { nothingKnown } from './nothing.ts';

export const USAGE_HINT =
  'Work from this context; store new decisions, plans, ideas, claims, procedures and artifacts with remember.';

/** So few tokens are for an item, not for what is said about the pack. */
const SCANT = 250;

/** Who reads a pack, and how much of it. */
export interface PackPresentation {
  format: ContextFormat;
  /** The half that the model is shown. The budget holds for it. */
  half: ShownHalf;
  /** No budget: everything that was selected. */
  budget: number | undefined;
  /** Programs read the data whole where only the default kept the Markdown short. */
  keepsSections?: boolean;
  /** Notices that the answer carries besides those of the pack. */
  told?: readonly string[];
}

export interface LaidOut {
  pack: ContextPack;
  notices: string[];
  /** What the budget had no room for. */
  leftOut: readonly PackItem[];
}

/** PACK-13: the most of a selection that the budget holds, in the shape that the reader wants. */
export async function layOut(
  selection: Selection,
  reading: PackPresentation,
  giveWay: GiveWay = goOn,
): Promise<LaidOut> {
  const { budget } = reading;
  if (budget === undefined) return draw(selection, reading, everything(selection));
  const byPlace = [...selection.items].sort((one, other) => one.place - other.place);
  const layout = await fitLayout(byPlace, budget, async (each) => {
    await giveWay();
    return readOf(draw(selection, reading, each), reading);
  });
  if (layout) return draw(selection, reading, layout);
  if (isData(reading)) throw tooSmall(budget);
  const { pack, notices, leftOut } = draw(selection, reading, {
    rooms: new Map(),
    leftOut: selection.items,
    shortened: [],
  });
  // Data cannot be cut, but a line of text can; the one that says what is missing matters most.
  const left = Math.max(
    0,
    budget - countTokens(readOf({ pack: { ...pack, markdown: '' }, notices, leftOut }, reading)),
  );
  const markdown = cutToTokens(notices.length > 0 ? `_${notices.join(' ')}_\n` : pack.markdown, left);
  const told = notices.filter((notice) => markdown.includes(notice));
  return { pack: { ...pack, markdown }, notices: told, leftOut };
}

/** Compact data hold the Markdown, so that whoever reads either half keeps within the budget. */
const isData = ({ format, half }: PackPresentation) => format === 'compact' || half !== 'text';

function readOf({ pack, notices }: LaidOut, reading: PackPresentation): string {
  const told = reading.told ?? [];
  const all = [...told, ...notices];
  if (isData(reading)) return JSON.stringify(all.length === 0 ? pack : { ...pack, notices: all });
  return told.length === 0
    ? pack.markdown
    : `${pack.markdown}\n\n${told.map((notice) => `Notice: ${notice}`).join('\n')}`;
}

function everything({ items }: Selection): Layout {
  return {
    rooms: new Map(items.map((item) => [item, Number.POSITIVE_INFINITY])),
    leftOut: [],
    shortened: [],
  };
}

function draw(selection: Selection, reading: PackPresentation, layout: Layout): LaidOut {
  const { goal, intent, layer, domain, project, projectName, query } = selection;
  const { rooms } = layout;
  const isCompact = reading.format === 'compact';
  const isScant = reading.budget !== undefined && reading.budget < SCANT;
  const notices = noticesOf(selection, layout, reading.budget, isScant);
  const order = orderInWords(selection.change);
  const isCalled = projectName !== null && projectName !== project;
  const frame = { goal, intent, layer, domain, project: isCalled ? `${projectName} (${project})` : project };
  const markdown = renderPack(
    {
      ...frame,
      sections: sectionsOf(selection, rooms),
      notices: isScant ? notices : [...notices, USAGE_HINT],
      isScant,
      ...(isScant ? {} : { width: selection.width }),
      ...(isScant || order === undefined || selection.items.length === 0 ? {} : { order }),
    },
    rooms,
  );
  const shownItems = reading.keepsSections ? everything(selection).rooms : rooms;
  const pack: ContextPack = {
    goal: isCompact ? shortGoal(goal) : goal,
    intent,
    query: isCompact ? shortGoal(query) : query,
    domain,
    project,
    layer,
    sections: sectionsOf(selection, shownItems).map(
      ({ items, ...section }): ContextSection => ({
        ...section,
        items: items.map((item) => shown(item, shownItems.get(item)!, project, reading)),
      }),
    ),
    total_items: shownItems.size,
    usage_hint: USAGE_HINT,
    markdown,
    ...(notices.length > 0 ? { notices } : {}),
  };
  return { pack, notices, leftOut: layout.leftOut };
}

/** What somebody wants always stands before anything else; within a section, time orders where the goal asks for it. */
function sectionsOf({ intent, items: all, change }: Selection, rooms: Layout['rooms']) {
  const dated = inTime(all, change, (item) => item);
  const items =
    change === undefined ? dated : [...dated.filter(isWished), ...dated.filter((item) => !isWished(item))];
  const wished = new Set(items.filter(({ isWish }) => isWish).map(({ view }) => view.facet));
  const order = facetOrder(intent);
  return [...order.filter((facet) => wished.has(facet)), ...order.filter((facet) => !wished.has(facet))]
    .map((facet) => ({
      facet,
      title: FACET_TITLES[facet],
      items: items.filter((item) => item.view.facet === facet && rooms.has(item)),
    }))
    .filter((section) => section.items.length > 0);
}

const isWished = ({ isWish }: PackItem) => isWish;

/** An item of the data: as it is, or, where a model reads the data, with no more than there is room for. */
function shown(item: PackItem, room: number, project: string | null, reading: PackPresentation): ContextItem {
  if (reading.format === 'compact') return compact(item, project);
  return isData(reading) ? { ...item.view, content: item.body.text(room) } : item.view;
}

/** What stands elsewhere in the pack is not said again: the Markdown has the body, its day, its facts and relations. */
function compact({ view, titled }: PackItem, project: string | null): ContextItem {
  const { origin, url, created_at, updated_at, valid_at, project_id } = view.quality;
  const [created, updated, valid] = [created_at, updated_at, valid_at].map(
    (time) => time?.slice(0, 10) ?? null,
  );
  return {
    ...view,
    name: titled ? view.name : '',
    content: '',
    score: Math.round(view.score * 100) / 100,
    quality: {
      origin,
      source: null,
      url,
      created_at: null,
      updated_at: updated === created ? null : updated!,
      valid_at: valid!,
      project_id: project_id === project ? null : project_id,
    },
    metadata: {},
    related: [],
  };
}

/** That nothing is known, where else something is, and what the budget cost. */
function noticesOf(
  { goal, intent, domain, change, isKnown, elsewhere }: Selection,
  layout: Layout,
  budget: number | undefined,
  isScant: boolean,
): string[] {
  const told = isScant && isKnown ? [] : elsewhereNotices(elsewhere);
  const unknown = isKnown ? [] : [nothingKnown(goal, intent, domain, change)];
  return [...unknown, ...costOf(layout, budget, isScant), ...told];
}

/** PACK-13: what the budget cost. */
function costOf({ leftOut, shortened }: Layout, budget: number | undefined, isScant: boolean): string[] {
  if (budget === undefined || (leftOut.length === 0 && shortened.length === 0)) return [];
  const counts = new Map<string, number>();
  for (const { view } of leftOut) counts.set(view.facet, (counts.get(view.facet) ?? 0) + 1);
  const facets = isScant ? '' : ` (${[...counts].map(([facet, count]) => `${count} ${facet}`).join(', ')})`;
  const cost = [
    ...(leftOut.length > 0 ? [`left out ${leftOut.length} items${facets}`] : []),
    ...(shortened.length > 0 ? [`shortened ${shortened.length}`] : []),
  ];
  return [`The budget of ${budget} tokens ${cost.join(' and ')}; raise token_budget to read more`];
}

function tooSmall(budget: number): InfoldError {
  return new InfoldError(
    'invalid_arguments',
    `token_budget: ${budget} tokens do not hold even a pack without items; give more, or a shorter goal with format "compact"`,
  );
}

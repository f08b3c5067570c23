import type { ContextItem, SynthesisInput, SynthesisPlan } from '@infold/protocol';
import type { CallContext } from '../../call/context.ts';
import { digestHex } from '../../kernel/ids.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { auditPack } from '../pack/audit.ts';
import { selectItems } from '../pack/compile.ts';
import { elsewhereNotices } from '../pack/elsewhere.ts';
import { packItemOf } from '../pack/items.ts';
import { clampLimit } from '../pack/request.ts';
import { itemById, type Partition } from '../queries.ts';
import { favouredProject, searcherFor } from '../read-access.ts';
import { termsOf } from '../text/terms.ts';
import { OUTLINES, type OutlineSection } from './outlines.ts';

const MOST_SOURCES = 4;
const KIND = 4;
const REQUIRED = 4;
const WORD = 1;

interface Source {
  item: ContextItem;
  terms: Set<string>;
  required: boolean;
}

/**
 * PACK-08: an outline whose sections name what they rest on and what they lack. The items are those of a pack for the
 * same goal; where each goes follows from its kind and its words alone, so the same memory gives the same plan.
 */
export async function synthesisPlan(input: SynthesisInput, context: CallContext): Promise<SynthesisPlan> {
  const started = performance.now();
  const { goal, output_type, domain, sources: named = [] } = input;
  const { database, caller } = context;
  const reader = searcherFor(context, { project: input.project });
  const limit = clampLimit(input.limit, 1, 50);
  const { items, partitions, elsewhere } = await selectItems(database, {
    goal,
    intent: 'research',
    layer: 'deep_search',
    domain,
    limit,
    related_limit: 0,
    reader,
    now: context.clock(),
    giveWay: context.giveWay,
    findByMeaning: context.parts.meaning?.find,
    favouredProject: favouredProject(context),
    enough: 1,
  });
  context.notices.push(...elsewhereNotices(elsewhere));
  const required = named.flatMap((id) => requiredItem(database, partitions, id) ?? []);
  const missing = named.filter((id) => !required.some((item) => item.id === id));
  const requiredIds = new Set(required.map(({ id }) => id));
  const found = items
    .map(({ view }) => view)
    .filter(({ id, quality }) => !requiredIds.has(id) && quality.origin !== 'synthesis');
  const sources = [...required, ...found].map(
    (item): Source => ({
      item,
      terms: new Set(termsOf(`${item.name} ${item.content}`)),
      required: requiredIds.has(item.id),
    }),
  );
  const outline = OUTLINES[output_type].map((section) => planSection(section, sources));
  const used = new Set(outline.flatMap((section) => section.sources.map(({ id }) => id)));
  const gaps = gapsOf(missing, sources, used);
  const head = {
    run_id: `synthesis:${digestHex(16, JSON.stringify([goal, output_type, reader.projectId, domain ?? null, named, limit]))}`,
    goal,
    output_type,
  };
  const plan = { ...head, outline, gaps, markdown: render(head, outline, gaps) };
  await auditPack(context, {
    tool: 'synthesis_plan',
    goal_length: goal.length,
    intent: output_type,
    layer: 'deep_search',
    domain: domain ?? null,
    project_id: reader.projectId,
    agent_id: null,
    limit,
    related_limit: 0,
    include_related: false,
    result_count: used.size,
    section_count: outline.length,
    accessible_project_count: caller.projects?.length ?? null,
    ids: [...used],
    milliseconds: Math.round(performance.now() - started),
  });
  return plan;
}

function requiredItem(
  database: Database,
  partitions: readonly Partition[],
  id: string,
): ContextItem | undefined {
  const item = itemById(database, partitions, id);
  if (!item || item.superseded_by !== null) return undefined;
  const view = {
    item,
    partition: partitions.find(({ number }) => number === item.partition)!,
    passage: undefined,
    facet: 'recent_memory' as const,
    score: 1,
    reason: 'asked for by id',
    related: [],
    contradictedBy: [],
  };
  return packItemOf(database, view, new Set()).view;
}

type PlannedSection = SynthesisPlan['outline'][number];

function planSection(section: OutlineSection, sources: readonly Source[]): PlannedSection {
  const words = new Set(termsOf(`${section.title} ${section.words}`));
  const scored = sources
    .map((source) => {
      const shared = [...words].filter((word) => source.terms.has(word));
      const fits = section.kinds.includes(source.item.type);
      const score = (fits ? KIND : 0) + shared.length * WORD + (source.required ? REQUIRED : 0);
      return { source, shared, fits, score: score === 0 ? 0 : score + Math.min(1, source.item.score / 4) };
    })
    .filter(
      ({ fits, shared, source }) => fits || shared.length >= 2 || (source.required && shared.length > 0),
    )
    .sort((one, other) => other.score - one.score || (one.source.item.id < other.source.item.id ? -1 : 1))
    .slice(0, MOST_SOURCES);
  const gaps: string[] = [];
  if (scored.length === 0) gaps.push('no source supports this section');
  else if (!scored.some(({ fits }) => fits))
    gaps.push(`no ${section.kinds.slice(0, 3).join(', ')} among its sources`);
  for (const { source } of scored) {
    const contradicted = source.item.metadata.contradicted_by;
    if (Array.isArray(contradicted))
      gaps.push(`${source.item.id} is contradicted by ${contradicted.join(', ')}`);
  }
  if (scored.length === 1) gaps.push('rests on one source only');
  return {
    title: section.title,
    purpose: section.purpose,
    sources: scored.map(({ source, shared, fits }) => ({
      id: source.item.id,
      title: source.item.name,
      reason: [
        ...(source.required ? ['asked for'] : []),
        ...(fits ? [`a ${source.item.type} belongs here`] : []),
        ...(shared.length > 0 ? [`speaks of ${shared.slice(0, 4).join(', ')}`] : []),
        source.item.reason,
      ].join('; '),
    })),
    gaps,
  };
}

function gapsOf(missing: readonly string[], sources: readonly Source[], used: ReadonlySet<string>): string[] {
  const unused = sources.filter(({ item, required }) => required && !used.has(item.id));
  return [
    ...(sources.length === 0 ? ['nothing in memory speaks of this goal'] : []),
    ...missing.map((id) => `required source not found: ${id}`),
    ...unused.map(({ item }) => `required source fits no section: ${item.id}`),
  ];
}

function render(
  head: { goal: string; output_type: string },
  outline: readonly PlannedSection[],
  gaps: readonly string[],
): string {
  const goal = head.goal.replace(/\s+/g, ' ').trim().slice(0, 200);
  const parts = [`# Plan (${head.output_type.replaceAll('_', ' ')}): ${goal}`];
  for (const { title, purpose, sources, gaps: missing } of outline) {
    const lines = sources.map(({ id, title: name }) => `- ${name.replace(/\s+/g, ' ')} [${id}]`);
    parts.push(
      [`## ${title}`, '', `_${purpose}_`, '', ...lines, ...missing.map((gap) => `- Gap: ${gap}`)].join('\n'),
    );
  }
  if (gaps.length > 0) parts.push(['## Gaps', '', ...gaps.map((gap) => `- ${gap}`)].join('\n'));
  return `${parts.join('\n\n')}\n`;
}

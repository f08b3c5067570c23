import {
  clearFindingsInput,
  clearFindingsOutput,
  type RecalledFinding,
  recallFindingsInput,
  recallFindingsOutput,
  storeFindingsInput,
  storeFindingsOutput,
} from '@infold/protocol';
import { proseAnswer } from '../../call/answer.ts';
import type { CallContext } from '../../call/context.ts';
import { defineTool, type ToolDefinition } from '../../call/tool.ts';
import type { Decision } from '../../journal/journal.ts';
import { isoTime } from '../../kernel/clock.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { entryIdForKey, randomId } from '../../kernel/ids.ts';
import { fitting, roomFor } from '../../kernel/pages.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { projectEvents } from '../../trust/projects.ts';
import type { Scrubber } from '../../trust/scrub/index.ts';
import { sessionNotFound } from '../../trust/sessions/errors.ts';
import { isOpen, type Session } from '../../trust/sessions/queries.ts';
import { consumedMeta } from '../../trust/sources.ts';
import {
  checkAnalysisId,
  checkFindings,
  clearFindings,
  type NewFindings,
  type Owner,
  storeFindings,
} from '../commands.ts';
import type { FindingSource, StoredFinding } from '../events.ts';
import { pagesNamed } from '../named-records.ts';
import { idsOfAnalysis, recallFindings } from '../queries.ts';
import { scratchNotFound } from '../records/index.ts';
import type { Scratch } from '../records/scratch.ts';

const DEFAULT_RECALL = 50;
const MOST_RECALL = 200;

export function analysisTools(scratch: Scratch, scrubber: Scrubber): ToolDefinition[] {
  return [storeTool(scratch, scrubber), recallTool, clearTool];
}

function storeTool(scratch: Scratch, scrubber: Scrubber): ToolDefinition {
  return defineTool({
    name: 'store_analysis_memory',
    door: 'transient',
    title: 'Store findings',
    description: 'Store what you found in fetched records, so that the records can be dropped.',
    searchHint: 'save results of an analysis, note insights page by page',
    input: storeFindingsInput,
    output: storeFindingsOutput,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
    scope: 'write',
    identifiers: ['analysis_id', 'findings.*.category', 'sources', 'scratch_ref'],
    async run(input, context) {
      const { caller, config } = context;
      const handles = [...new Set(input.sources ?? [])];
      const looked = await lookUpSources(scratch, scrubber, handles, input.scratch_ref, context);
      // A retry is answered as its first try was, also when its sources have expired since.
      if (looked.problem && input.idempotency_key === undefined) throw looked.problem;
      const findings: NewFindings = {
        analysisId: input.analysis_id,
        findings: input.findings.map(({ finding, category, metadata }) => ({
          id: randomId('fnd'),
          finding,
          category: category ?? null,
          metadata: metadata ?? null,
        })),
        persistent: input.persistent ?? false,
        sources: looked.sources,
        secrets: context.secrets.count,
        limits: config.limits,
      };
      checkFindings(findings);
      const session = await context.sessionOrNew();
      const project = context.project(input.project);
      const { consumes, drawnFrom } = await usedUp(scratch, input, findings.findings, session.id, context);
      findings.sources.push(...scrubber.scrubValue(drawnFrom).value);
      const owner = ownerIn(context, project.id);
      const { answer, replayed } = await context.journal.commit({
        stream: session.stream,
        actor: caller.actor,
        ...(input.idempotency_key === undefined
          ? {}
          : {
              id: entryIdForKey('findings', caller.org, caller.principal, project.id, input.idempotency_key),
            }),
        decide: inSession(session, (database, now) => {
          if (looked.problem) throw looked.problem;
          const { events, answer } = storeFindings({ ...owner, session_id: session.id }, findings, now);
          return { events: [...projectEvents(database, caller, project), ...events], answer };
        }),
      });
      // TCP-04: the entry is durable; only now may a client drop what it was drawn from.
      return proseAnswer(
        storedText(answer, config.limits.findingLifetime),
        { ...answer, expires_at: answer.expires_at === null ? null : isoTime(answer.expires_at) },
        consumedMeta(replayed ? [] : consumes),
      );
    },
  });
}

const recallTool = defineTool({
  name: 'recall_analysis_memories',
  door: 'transient',
  title: 'Recall findings',
  description: 'Recall stored findings by analysis_id, category or query.',
  searchHint: 'read back insights and results of an analysis',
  input: recallFindingsInput,
  output: recallFindingsOutput,
  annotations: { readOnlyHint: true, idempotentHint: true },
  scope: 'read',
  run(input, context) {
    context.sessionIfAny();
    const project = context.project(input.project);
    const given = (text: string | undefined) => (text === undefined || text.trim() === '' ? undefined : text);
    const recall = {
      analysisId: given(input.analysis_id),
      category: given(input.category),
      query: given(input.query),
      limit: clampedLimit(input.limit ?? DEFAULT_RECALL, context),
      offset: Math.max(0, input.offset ?? 0),
    };
    if (!recall.analysisId && !recall.category && !recall.query) {
      throw new InfoldError('invalid_arguments', 'Please provide analysis_id, query or category');
    }
    const owner = ownerIn(context, project.id);
    const { findings: found, total } = recallFindings(context.database, owner, recall, context.clock());
    const findings = [...fitting(found, roomFor(context.config.limits.pageCharacters, {}))];
    const end = recall.offset + findings.length;
    const next = end < total && findings.length > 0 ? end : null;
    if (next !== null) {
      context.notices.push(
        `${total - next} more findings: go on with offset ${next}, or narrow the question`,
      );
    }
    // The data say all that the prose says: with the prose in them too, each finding would be read twice.
    return { structured: { findings, total, next }, text: recalledText(findings) };
  },
});

const clearTool = defineTool({
  name: 'clear_analysis_memories',
  door: 'transient',
  title: 'Clear findings',
  description: 'Remove all findings of an analysis.',
  searchHint: 'delete results, start an analysis afresh',
  input: clearFindingsInput,
  output: clearFindingsOutput,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  scope: 'write',
  identifiers: ['analysis_id'],
  async run(input, context) {
    checkAnalysisId(input.analysis_id);
    const project = context.project(input.project);
    const owner = ownerIn(context, project.id);
    const idsIn = (database: Database) => idsOfAnalysis(database, owner, input.analysis_id, context.clock());
    let cleared = 0;
    // Nothing to clear is no reason to begin a session.
    if (idsIn(context.database).length > 0) {
      const session = await context.sessionOrNew();
      const { answer } = await context.journal.commit({
        stream: session.stream,
        actor: context.caller.actor,
        decide: inSession(session, (database) =>
          clearFindings({ ...owner, session_id: session.id }, input.analysis_id, idsIn(database)),
        ),
      });
      cleared = answer;
    }
    return proseAnswer(`Cleared ${cleared} finding(s) for analysis "${input.analysis_id}".`, {
      analysis_id: input.analysis_id,
      cleared,
    });
  },
});

function ownerIn({ caller }: CallContext, projectId: string): Owner {
  return { org: caller.org, principal: caller.principal, project_id: projectId };
}

/** The session may have ended since it was looked up, by another process even. */
function inSession<Answer>(session: Session, decide: (database: Database, now: number) => Decision<Answer>) {
  return (database: Database, now: number): Decision<Answer> => {
    if (!isOpen(database, session.id)) throw sessionNotFound(session.id);
    return decide(database, now);
  };
}

/**
 * What a call has used up: the sources that it names and what was read from its scratch_ref. One that names none has used
 * the pages which hold the records that its findings name. Where they name none and there are pages, nobody can say.
 */
async function usedUp(
  scratch: Scratch,
  { sources, scratch_ref: ref }: { sources?: string[] | undefined; scratch_ref?: string | undefined },
  findings: readonly StoredFinding[],
  sessionId: string,
  { caller }: CallContext,
): Promise<{ consumes: string[] | undefined; drawnFrom: FindingSource[] }> {
  if (sources !== undefined || ref !== undefined) {
    const read = ref === undefined ? [] : [ref, ...(await scratch.readFrom(caller, ref))];
    return { consumes: [...new Set([...(sources ?? []), ...read])], drawnFrom: [] };
  }
  const pages = await scratch.unused(caller, sessionId);
  const consumes = pages.length === 0 ? [] : pagesNamed(findings, pages);
  const drawnFrom = pages.filter((page) => consumes?.includes(page.ref));
  return { consumes, drawnFrom: drawnFrom.map(({ ref: page, summary }) => ({ ref: page, summary })) };
}

/** What the findings were drawn from, by its summary; ids in it come from outside, so they are scrubbed too. */
async function lookUpSources(
  scratch: Scratch,
  scrubber: Scrubber,
  handles: readonly string[],
  scratchRef: string | undefined,
  { caller }: CallContext,
): Promise<{ sources: FindingSource[]; problem?: InfoldError }> {
  const sources: FindingSource[] = [];
  const unknown: string[] = [];
  for (const ref of handles) {
    const kept = await scratch.find(caller, ref);
    if (kept) sources.push({ ref, summary: kept.summary });
    else unknown.push(ref.slice(0, 100));
  }
  if (unknown.length > 0) {
    const problem = `sources not found: ${unknown.slice(0, 5).join(', ')} (unknown, expired, or not yours); nothing was stored`;
    return { sources: [], problem: new InfoldError('not_found', problem) };
  }
  if (scratchRef !== undefined) {
    const kept = await scratch.find(caller, scratchRef);
    if (kept?.kind !== 'scratch') return { sources: [], problem: scratchNotFound(scratchRef) };
    sources.push({ ref: scratchRef, summary: kept.summary });
  }
  return { sources: scrubber.scrubValue(sources).value };
}

function clampedLimit(wanted: number, context: CallContext): number {
  const limit = Math.min(MOST_RECALL, Math.max(1, wanted));
  if (limit !== wanted) context.notices.push(`limit was set to ${limit} (1 to ${MOST_RECALL})`);
  return limit;
}

function storedText(
  {
    stored,
    analysis_id,
    categories,
    ids,
    persistent,
  }: { stored: number; analysis_id: string; categories: string[]; ids: string[]; persistent: boolean },
  lifetime: number,
): string {
  const life = persistent
    ? 'persistent'
    : `ephemeral (as long as the session, at least ${duration(lifetime)})`;
  return [
    `Stored ${stored} analysis finding(s) (${life}).`,
    `Analysis: ${analysis_id}`,
    ...(categories.length > 0 ? [`Categories: ${categories.join(', ')}`] : []),
    `IDs: ${ids.join(', ')}`,
  ].join('\n');
}

function duration(milliseconds: number): string {
  const hours = milliseconds / 3_600_000;
  if (Number.isInteger(hours)) return hours === 1 ? '1 hour' : `${hours} hours`;
  return `${Math.max(1, Math.round(milliseconds / 60_000))} minutes`;
}

/** `## category (n)`, then a line for each finding. */
function recalledText(findings: readonly RecalledFinding[]): string {
  if (findings.length === 0) return 'No findings.';
  const groups = new Map<string, RecalledFinding[]>();
  for (const finding of findings) {
    const category = finding.category ?? 'uncategorized';
    groups.set(category, [...(groups.get(category) ?? []), finding]);
  }
  return [...groups]
    .map(([category, group]) => [`## ${category} (${group.length})`, ...group.map(findingLine)].join('\n'))
    .join('\n\n');
}

function findingLine({ finding, metadata, match }: RecalledFinding): string {
  const data = metadata === null ? '' : ` | ${JSON.stringify(metadata)}`;
  const share = match === undefined ? '' : ` [${(match * 100).toFixed(1)}% match]`;
  return `- ${finding.replaceAll(/\s*\n\s*/g, ' ')}${data}${share}`;
}

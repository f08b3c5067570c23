import { transientApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import { proseAnswer } from '../../call/answer.ts';
import type { CallContext } from '../../call/context.ts';
import { isoTime } from '../../kernel/clock.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { entryIdForKey, randomId } from '../../kernel/ids.ts';
import { projectEvents } from '../../trust/identity/projects.ts';
import { consumedMeta } from '../../trust/sources.ts';
import { checkFindings, type NewFindings, storeFindings as storeNew } from '../commands.ts';
import type { FindingSource, StoredFinding } from '../events.ts';
import { pagesNamed } from '../named-records.ts';
import { scratchNotFound } from '../records/index.ts';
import { inSession, ownerIn } from './findings-of-call.ts';

export const storeFindings = defineAction(transientApi.storeAnalysisMemory, {
  identifiers: ['analysis_id', 'findings.*.category', 'sources', 'scratch_ref'],
  async run(input, context) {
    const { caller, config } = context;
    const handles = [...new Set(input.sources ?? [])];
    const looked = await lookUpSources(handles, input.scratch_ref, context);
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
    const { consumes, drawnFrom } = await usedUp(input, findings.findings, session.id, context);
    findings.sources.push(...context.scrubber.scrubValue(drawnFrom).value);
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
        const { events, answer } = storeNew({ ...owner, session_id: session.id }, findings, now);
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

/**
 * What a call has used up: the sources that it names and what was read from its scratch_ref. One that names none has used
 * the pages which hold the records that its findings name. Where they name none and there are pages, nobody can say.
 */
async function usedUp(
  { sources, scratch_ref: ref }: { sources?: string[] | undefined; scratch_ref?: string | undefined },
  findings: readonly StoredFinding[],
  sessionId: string,
  { caller, parts }: CallContext,
): Promise<{ consumes: string[] | undefined; drawnFrom: FindingSource[] }> {
  const { scratch } = parts.records;
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
  handles: readonly string[],
  scratchRef: string | undefined,
  { caller, scrubber, parts }: CallContext,
): Promise<{ sources: FindingSource[]; problem?: InfoldError }> {
  const { scratch } = parts.records;
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

import { type RecalledFinding, transientApi } from '@infold/protocol';
import { defineAction } from '../../call/action.ts';
import type { CallContext } from '../../call/context.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { fitting, roomFor } from '../../kernel/pages.ts';
import { recallFindings as findingsOf } from '../queries.ts';
import { ownerIn } from './findings-of-call.ts';

const DEFAULT_RECALL = 50;
const MOST_RECALL = 200;

export const recallFindings = defineAction(transientApi.recallAnalysisMemories, {
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
    const { findings: found, total } = findingsOf(context.database, owner, recall, context.clock());
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

function clampedLimit(wanted: number, context: CallContext): number {
  const limit = Math.min(MOST_RECALL, Math.max(1, wanted));
  if (limit !== wanted) context.notices.push(`limit was set to ${limit} (1 to ${MOST_RECALL})`);
  return limit;
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

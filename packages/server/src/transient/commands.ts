import type { Limits } from '@infold/protocol';
import type { Decision } from '../journal/journal.ts';
import { InfoldError } from '../kernel/errors.ts';
import type {
  FindingSource,
  FindingsCleared,
  FindingsStored,
  StoredFinding,
  TransientEvent,
} from './events.ts';

type TransientDecision<Answer> = Decision<Answer> & { events: TransientEvent[] };

/** Whose findings: a principal's, in a project. */
export interface Owner {
  org: string;
  principal: string;
  project_id: string;
}

export interface NewFindings {
  analysisId: string;
  findings: StoredFinding[];
  persistent: boolean;
  sources: FindingSource[];
  secrets: number;
  limits: Pick<Limits, 'findingCharacters' | 'findingMetadataBytes' | 'findingLifetime'>;
}

export interface StoredAnswer {
  analysis_id: string;
  stored: number;
  ids: string[];
  categories: string[];
  persistent: boolean;
  expires_at: number | null;
}

/** Refuses what should not be kept, before a session is begun for it. */
export function checkFindings({ analysisId, findings, limits }: NewFindings): void {
  const { findingCharacters, findingMetadataBytes } = limits;
  checkAnalysisId(analysisId);
  for (const [index, { finding, category, metadata }] of findings.entries()) {
    const field = `findings.${index}`;
    if (finding.trim() === '') throw invalid(`${field}.finding must not be empty`);
    if (finding.length > findingCharacters) {
      throw invalid(
        `${field}.finding holds ${finding.length} characters; at most ${findingCharacters} are accepted`,
      );
    }
    if (category !== null && category.trim() === '') throw invalid(`${field}.category must not be empty`);
    const bytes = metadata === null ? 0 : Buffer.byteLength(JSON.stringify(metadata));
    if (bytes > findingMetadataBytes) {
      throw invalid(`${field}.metadata holds ${bytes} bytes; at most ${findingMetadataBytes} are accepted`);
    }
  }
}

export function checkAnalysisId(analysisId: string): void {
  if (analysisId.trim() === '') throw invalid('analysis_id must not be empty');
}

/** All findings in one event: none is stored without the others. */
export function storeFindings(
  owner: Owner & { session_id: string },
  input: NewFindings,
  now: number,
): TransientDecision<StoredAnswer> {
  checkFindings(input);
  const { analysisId, findings, persistent, sources, secrets, limits } = input;
  const ids = findings.map(({ id }) => id);
  const expires_at = persistent ? null : now + limits.findingLifetime;
  const { org, principal, project_id, session_id } = owner;
  const data: FindingsStored = {
    session_id,
    org,
    principal,
    project_id,
    analysis_id: analysisId,
    ids,
    findings,
    persistent,
    expires_at,
    sources,
    secrets,
  };
  const categories = [...new Set(findings.flatMap(({ category }) => (category === null ? [] : [category])))];
  return {
    events: [{ type: 'finding.stored', data }],
    answer: { analysis_id: analysisId, stored: ids.length, ids, categories, persistent, expires_at },
  };
}

export function clearFindings(
  owner: Owner & { session_id: string },
  analysisId: string,
  ids: string[],
): TransientDecision<number> {
  if (ids.length === 0) return { events: [], answer: 0 };
  const { org, principal, project_id, session_id } = owner;
  const data: FindingsCleared = { session_id, org, principal, project_id, analysis_id: analysisId, ids };
  return { events: [{ type: 'finding.cleared', data }], answer: ids.length };
}

function invalid(message: string): InfoldError {
  return new InfoldError('invalid_arguments', message);
}

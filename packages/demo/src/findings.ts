import type { Client } from '@modelcontextprotocol/client';
import type { Job } from './script/job.ts';
import { movesIn } from './ways.ts';

/** What the server holds afterwards: the same in each way, or one of them did not do its work. */
export async function storedFindings(
  client: Client,
  { workflow }: Job,
): Promise<{ findings: number; moved: Record<string, string> }> {
  const { structuredContent } = await client.callTool({
    name: 'recall_analysis_memories',
    arguments: { analysis_id: workflow, limit: 200 },
  });
  const { findings } = structuredContent as { findings: { finding: string }[] };
  const moves = findings.flatMap(({ finding }) => movesIn(finding)).sort(([one], [other]) => one - other);
  return { findings: findings.length, moved: Object.fromEntries(moves) };
}

import { createCollapser, type TokenCounter } from '@infold/client';
import { projectAnthropic } from '@infold/client/anthropic';
import { observed } from '@infold/client/mcp';
import type { Client } from '@modelcontextprotocol/client';
import { drawChart, grouped } from './chart.ts';
import { type Connections, startConnections } from './connect.ts';
import { storedFindings } from './findings.ts';
import { type Live, liveLine } from './live.ts';
import type { DemoProgram } from './program.ts';
import { figuresTable, lastOf, ratio, sumOf } from './report.ts';
import { type Answer, Conversation, type Job, type Message, taskOf } from './script/index.ts';
import { prepareSvg } from './svg-file.ts';
import { steadyCounter } from './tokens.ts';
import { WAYS, type Way, type Work } from './ways.ts';

export interface DemoFlags {
  svg?: string;
}

interface WayReport extends Work {
  name: string;
  label: string;
  prompts: number[];
  /** Where each misfiled activity belongs, by the findings that the server holds. */
  moved: Record<string, string>;
  findings: number;
  last_prompt: readonly Message[];
}

const TITLE = 'Prompt tokens per turn: 132 activities, 9 pages of 15';

/** The reclassify workflow, done by a scripted agent in four ways on the real server and the real client. */
export async function scriptedDemo(program: DemoProgram, { svg }: DemoFlags): Promise<void> {
  const { output, job } = program;
  const file = prepareSvg(svg);
  const live = liveLine(output.json);
  live.show('starting a server');
  const server = await startConnections(
    program,
    WAYS.map(({ name }) => name),
  );
  const countTokens = steadyCounter(program.countTokens);
  const ways: WayReport[] = [];
  try {
    for (const way of WAYS) ways.push(await runWay(way, { server, job, countTokens, live }));
  } finally {
    live.done();
    await server.close();
  }
  file?.write(drawChart(TITLE, ways));
  const base = ways[0]!.prompts;
  const figures = ways.map(({ prompts, ...rest }) => ({
    ...rest,
    turns: prompts.length,
    prompts,
    last: lastOf(prompts),
    sum: sumOf(prompts),
    last_ratio: ratio(lastOf(prompts), lastOf(base)),
    sum_ratio: ratio(sumOf(prompts), sumOf(base)),
  }));
  output.answer(
    { unit: 'o200k tokens of conversation messages', svg: file?.path ?? null, ways: figures },
    () =>
      [
        'Tokens of each prompt (o200k; messages only, without system prompt and tool definitions):',
        '',
        figuresTable(ways),
        ...(file ? ['', `The chart is in ${file.path}`] : []),
      ].join('\n'),
  );
}

interface Surroundings {
  server: Connections;
  job: Job;
  countTokens: TokenCounter;
  live: Live;
}

async function runWay(way: Way, { server, job, countTokens, live }: Surroundings): Promise<WayReport> {
  const client = await server.connect(way.name);
  const collapser = createCollapser({
    countTokens,
    onCollapse: ({ results }) => {
      for (const { text, tokens, textTokens } of results) {
        live.line(`  ${text.split('\n')[0]}: ${grouped(tokens)} → ${textTokens} tokens`);
      }
    },
  });
  const conversation = new Conversation({
    task: taskOf(job),
    countTokens,
    // The other ways have none: nothing tells them that a result was used.
    tools: way.collapses
      ? observed(client, { collapser, server: 'infold' })
      : { callTool: ({ name, arguments: input }) => callTool(client, name, input) },
    ...(way.collapses && { project: (history) => projectAnthropic(collapser, history) as Message[] }),
    onTurn: (turn, tokens) => live.show(`${way.label}: turn ${turn}, ${grouped(tokens)} tokens`),
  });
  const done = await way.run(conversation, job, way.name);
  const { prompts, lastPrompt } = conversation;
  live.line(
    `${way.label}: ${done.activities} activities, ${prompts.length} turns, ${grouped(lastOf(prompts))} tokens at the last one`,
  );
  return {
    name: way.name,
    label: way.label,
    ...done,
    ...(await storedFindings(client, job)),
    prompts,
    last_prompt: lastPrompt,
  };
}

function callTool(client: Client, name: string, input: Record<string, unknown> = {}): Promise<Answer> {
  return client.callTool({ name, arguments: input });
}

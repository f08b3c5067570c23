import { drawChart, grouped } from '../chart.ts';
import { startConnections } from '../connect.ts';
import { storedFindings } from '../findings.ts';
import { liveLine } from '../live.ts';
import type { DemoProgram } from '../program.ts';
import { figuresTable, lastOf, ratio, sumOf } from '../report.ts';
import { taskOf } from '../script/job.ts';
import { prepareSvg } from '../svg-file.ts';
import { steadyCounter } from '../tokens.ts';
import type { ApiName } from './api.ts';
import { chooseApi } from './choose.ts';
import { type Drive, drive } from './drive.ts';

export interface ModelFlags {
  model: string;
  api?: ApiName;
  turns?: number;
  svg?: string;
}

const PROJECT = 'model';
const DEFAULT_TURNS = 60;

const ENDINGS: Record<Drive['ended'], (turns: number) => string> = {
  answered: () => 'The model says it is done.',
  turn_limit: (turns) => `Stopped after ${turns} turns, the most that --turns allows.`,
  cut: () => 'The model wrote an answer that was too long, and was stopped.',
};

/** The same workflow with a real model. Answers whether the model came to an end by itself. */
export async function modelDemo(program: DemoProgram, flags: ModelFlags): Promise<boolean> {
  const { output, job } = program;
  const countTokens = steadyCounter(program.countTokens);
  const api = chooseApi(flags.model, flags.api, process.env, countTokens);
  const file = prepareSvg(flags.svg);
  const turns = flags.turns ?? DEFAULT_TURNS;
  const live = liveLine(output.json);
  live.show('starting a server');
  const server = await startConnections(program, [PROJECT]);
  let result: Drive;
  let findings: Awaited<ReturnType<typeof storedFindings>>;
  try {
    const client = await server.connect(PROJECT);
    result = await drive({
      api,
      client,
      task: taskOf(job),
      turns,
      countTokens,
      onTurn: (turn, tokens) => live.show(`${flags.model}: turn ${turn}, ${grouped(tokens)} tokens`),
      onCollapse: (text, tokens, textTokens) =>
        live.line(`  ${text.split('\n')[0]}: ${grouped(tokens)} → ${textTokens} tokens`),
    });
    findings = await storedFindings(client, job);
  } finally {
    live.done();
    await server.close();
  }
  const { sent, uncollapsed } = result;
  const series = [
    { label: 'no collapsing', prompts: uncollapsed },
    { label: 'as sent', prompts: sent },
  ];
  file?.write(drawChart(`Prompt tokens per turn with ${flags.model}`, series));
  const answer = {
    model: flags.model,
    api: api.name,
    ...result,
    findings: findings.findings,
    moved: findings.moved,
    last_ratio: ratio(lastOf(sent), lastOf(uncollapsed)),
    sum_ratio: ratio(sumOf(sent), sumOf(uncollapsed)),
    svg: file?.path ?? null,
  };
  const told = result.reported.some((tokens) => tokens !== null);
  output.answer(answer, () =>
    [
      ENDINGS[result.ended](turns),
      `${result.calls} calls (${result.failed_calls} failed), ${result.collapsed} results collapsed, ${findings.findings} findings stored.`,
      '',
      'Tokens of each prompt (o200k; messages only):',
      '',
      figuresTable(series),
      ...(told
        ? ['', `Input tokens as the provider counted them, all turns: ${grouped(sumReported(result))}`]
        : []),
      ...(result.answer.trim() === '' ? [] : ['', result.answer.trim()]),
      ...(file ? ['', `The chart is in ${file.path}`] : []),
    ].join('\n'),
  );
  return result.ended === 'answered';
}

function sumReported({ reported }: Drive): number {
  return reported.reduce<number>((sum, tokens) => sum + (tokens ?? 0), 0);
}

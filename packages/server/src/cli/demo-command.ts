import { InvalidArgumentError, Option } from 'commander';
import { InfoldError } from '../kernel/errors.ts';
import type { CommandLine } from './command-line.ts';

interface Flags {
  svg?: string;
  model?: string;
  api?: 'openai' | 'anthropic';
  turns?: number;
}

/** What it saves, shown. */
export function addDemo(line: CommandLine): void {
  line.program
    .command('demo')
    .description('Run a workflow over 132 records in four ways and compare the prompts')
    .option('--svg <file>', 'draw the curves into this file')
    .option(
      '--model <name>',
      'let a real model drive it (OPENAI_API_KEY and OPENAI_BASE_URL, or ANTHROPIC_API_KEY)',
    )
    .addOption(
      new Option('--api <name>', 'which API the model is asked by (default: the one that is set up)').choices(
        ['openai', 'anthropic'],
      ),
    )
    .option('--turns <number>', 'the maximum number of turns for the model (default: 60)', parseTurns)
    .action(
      line.action<Flags>(async ({ output, logLevel }, { model, api, turns, svg }) => {
        const level = logLevel === 'info' ? 'warn' : logLevel;
        const given = { ...(svg !== undefined && { svg }), ...(api && { api }), ...(turns && { turns }) };
        if (model !== undefined) {
          return (await import('./demo/model/index.ts')).modelDemo(output, level, { model, ...given });
        }
        if (api || turns) throw new InfoldError('invalid_arguments', '--api and --turns need --model');
        return (await import('./demo/index.ts')).demo(output, level, given);
      }),
    );
}

function parseTurns(text: string): number {
  const turns = Number(text);
  if (Number.isInteger(turns) && turns >= 1 && turns <= 1000) return turns;
  throw new InvalidArgumentError('Turns are a whole number from 1 to 1000.');
}

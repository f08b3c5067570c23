import type { DemoProgram } from '@infold/demo';
import { InvalidArgumentError, Option } from 'commander';
import { InfoldError, messageOf } from '../../kernel/errors.ts';
import type { LogLevel } from '../../kernel/log.ts';
import { VERSION } from '../../kernel/version.ts';
import type { CommandLine } from '../command-line.ts';
import { EXIT, type Output } from '../output.ts';

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
    .option('--svg <file>', 'write a chart of the prompts to this file, as SVG')
    .option(
      '--model <name>',
      'run it with a real model (OPENAI_API_KEY and OPENAI_BASE_URL, or ANTHROPIC_API_KEY)',
    )
    .addOption(
      new Option('--api <name>', 'the API to call the model with (default: the one that is set up)').choices([
        'openai',
        'anthropic',
      ]),
    )
    .option('--turns <number>', 'the maximum number of turns for the model (default: 60)', parseTurns)
    .action(
      line.action<Flags>(async ({ output, logLevel }, { model, api, turns, svg }) => {
        if (model === undefined && (api || turns)) {
          throw new InfoldError('invalid_arguments', '--api and --turns need --model');
        }
        const { modelDemo, scriptedDemo } = await loadDemo();
        const program = await programFor(output, logLevel === 'info' ? 'warn' : logLevel);
        const given = { ...(svg !== undefined && { svg }), ...(api && { api }), ...(turns && { turns }) };
        if (model === undefined) return scriptedDemo(program, given);
        return (await modelDemo(program, { model, ...given })) ? EXIT.done : EXIT.partly;
      }),
    );
}

function parseTurns(text: string): number {
  const turns = Number(text);
  if (Number.isInteger(turns) && turns >= 1 && turns <= 1000) return turns;
  throw new InvalidArgumentError('Turns are a whole number from 1 to 1000.');
}

/** The demo is an agent with an MCP client of its own, which a server has no use for: it is a package to add. */
async function loadDemo(): Promise<typeof import('@infold/demo')> {
  try {
    return await import('@infold/demo');
  } catch (error) {
    const isMissing = (error as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND';
    if (!isMissing || !messageOf(error).includes("'@infold/demo'")) throw error;
    throw new InfoldError(
      'unsupported',
      'The demo needs a package that is not installed: npm install @infold/demo',
    );
  }
}

async function programFor(output: Output, logLevel: LogLevel): Promise<DemoProgram> {
  const [{ countTokens }, { JOB }, { startTemporaryServer }] = await Promise.all([
    import('../../kernel/tokens/count.ts'),
    import('../samples/material.ts'),
    import('./temporary-server.ts'),
  ]);
  const startServer = (projects: readonly string[]) => startTemporaryServer(projects, logLevel);
  return { version: VERSION, output, job: JOB, countTokens, startServer };
}

import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { problemsOf, withoutMarks } from '../../../packages/client/src/window/validators.suite.ts';
import { verifies } from '../../requirements.ts';
import {
  callTool,
  connectStdio,
  environment,
  PROGRAM,
  runJson,
  temporaryFolder,
} from '../support/program.ts';
import { SAMPLE_CONFIG } from '../support/sample-calls.ts';
import { DIALECTS } from './dialects.ts';
import { installed, removeInstalled } from './installed.ts';
import { branchAndRecords, END, type Spelling, SUMMARY } from './script.ts';
import { type Asked, type Step, startScriptedModel } from './scripted-model.ts';

const bundle = (name: string) =>
  pathToFileURL(fileURLToPath(new URL(`../../../packages/server/dist/plugins/${name}.mjs`, import.meta.url)))
    .href;

interface Around {
  model: string;
  data: string;
  config: string;
}

/** How a host is set up with our plugin, and nothing else of ours between it and its model. */
interface Tried {
  args: string[];
  env: Record<string, string>;
  spelling: Spelling;
  settings(around: Around): Record<string, string>;
}

const TRIED: Record<'opencode' | 'pi', Tried> = {
  opencode: {
    args: ['run', '-m', 'anthropic/claude-sonnet-4-5', 'Go on.'],
    env: {
      ANTHROPIC_API_KEY: 'not-a-key',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
    },
    spelling: {
      ours: (name) => `infold_${name}`,
      read: (file) => ({ tool: 'read', input: { filePath: file } }),
    },
    settings: ({ model, data, config }) => ({
      '.config/opencode/opencode.json': JSON.stringify({
        permission: { '*': 'allow' },
        plugin: [[bundle('opencode'), { data }]],
        mcp: {
          infold: {
            type: 'local',
            enabled: true,
            command: [process.execPath, PROGRAM, 'stdio', '--data', data, '--config', config],
          },
        },
        provider: { anthropic: { options: { baseURL: `${model}/v1`, apiKey: 'not-a-key' } } },
      }),
    }),
  },
  pi: {
    args: ['-p', '--provider', 'scripted', '--model', 'scripted-1', 'Go on.'],
    env: {},
    spelling: {
      ours: (name) => `infold_${name}`,
      read: (file) => ({ tool: 'read', input: { path: file } }),
    },
    settings: ({ model, data, config }) => ({
      '.pi/agent/models.json': JSON.stringify({
        providers: {
          scripted: {
            baseUrl: `${model}/v1`,
            api: 'openai-completions',
            apiKey: 'not-a-key',
            models: [{ id: 'scripted-1', contextWindow: 200_000, maxTokens: 8192 }],
          },
        },
      }),
      '.pi/agent/extensions/infold.js': `import { infold } from ${JSON.stringify(bundle('pi'))};
process.env.INFOLD_CONFIG = ${JSON.stringify(config)};
export default infold(${JSON.stringify({ data, command: [process.execPath, PROGRAM] })});
`,
    }),
  },
};

const wanted = process.env.INFOLD_TEST_HOSTS;

/** On demand, as the other tests with real hosts. */
describe.skipIf(!wanted)('plugins in the real hosts (INFOLD_TEST_HOSTS=1)', () => {
  afterAll(removeInstalled);

  test.each(['opencode', 'pi'] as const)(
    '%s folds and collapses by itself, and goes on with the same bytes',
    { timeout: 300_000 },
    async (name) => {
      verifies('WIN-02');
      verifies('WIN-04');
      const { asked: all, data } = await play(name);
      const [again, asked] = [all.at(-1)!, all.slice(0, -1)];
      const [before, after] = [asked.at(-1)!, again].map((one) => conversationOf(one).map(withoutMarks));
      expect(after!.slice(0, before!.length)).toEqual(before);
      const last = conversationOf(asked.at(-1)!);
      expect(JSON.stringify(last)).toContain(SUMMARY);
      // The branch's own work has left: what is left is the person's words, the branch and its summary.
      expect(JSON.stringify(last)).not.toContain('Note 300 says nothing new');
      const most = Math.max(...asked.map((one) => JSON.stringify(conversationOf(one)).length));
      const share = JSON.stringify(last).length / most;
      console.log(`${name}: ${share.toFixed(3)} of the largest prompt is left`);
      expect(share).toBeLessThan(0.3);
      // What left can be brought back.
      const handle = /win_[a-z0-9]{20}/.exec(JSON.stringify(last))![0];
      const { client } = await connectStdio('2025', data);
      const texts: string[] = [];
      for (let page = 1, pages = 1; page <= pages; page++) {
        const { structuredContent } = await callTool(client, 'context_expand', {
          handle,
          page,
          per_page: 50,
        });
        pages = Number(structuredContent.total_pages);
        texts.push(...(structuredContent.items as { text: string }[]).map(({ text }) => text));
      }
      expect(texts.join('').includes('Note 300 says nothing new')).toBe(true);
      // The host's session and that of its server are one.
      const { sessions } = await runJson<{ sessions: { folded_total: number; host_id: string | null }[] }>(
        data,
        'sessions',
      );
      const folded = sessions.filter(({ folded_total }) => folded_total > 0);
      expect(folded.map(({ host_id }) => typeof host_id)).toEqual(['string']);
      // Each of its calls was heard of, and the beginning of the session.
      const heard = readFileSync(join(data, 'hooks-heard.json'), 'utf8');
      for (const event of [
        'SessionStart',
        'SessionEnd',
        'UserPromptSubmit',
        'PostToolUse',
        'WindowOriginals',
      ]) {
        expect(heard).toContain(event);
      }
    },
  );
});

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** What each host itself says to the folder. */
describe.skipIf(!wanted)('the plugin folder in the real hosts (INFOLD_TEST_HOSTS=1)', () => {
  afterAll(removeInstalled);

  async function ask(name: 'claude-code' | 'codex' | 'gemini', ...commands: string[][]) {
    const { bin, program } = installed(name);
    const home = temporaryFolder();
    const env = environment({ PATH: [bin, process.env.PATH].join(':'), HOME: home });
    const said: string[] = [];
    for (const args of commands) {
      const { code, output } = await runHost(join(bin, program), args, { cwd: home, env });
      expect(code, output).toBe(0);
      said.push(output);
    }
    return said;
  }

  test.each([root, join(root, 'plugin')])(
    'Claude Code validates %s',
    { timeout: 300_000 },
    async (folder) => {
      const [said] = await ask('claude-code', ['plugin', 'validate', folder]);
      expect(said).toContain('Validation passed');
    },
  );

  test('Gemini CLI validates the extension', { timeout: 300_000 }, async () => {
    const [said] = await ask('gemini', ['extensions', 'validate', join(root, 'plugin')]);
    expect(said).toContain('successfully validated');
  });

  test('Codex installs the plugin, and its server is one of its own then', { timeout: 300_000 }, async () => {
    const [, , servers] = await ask(
      'codex',
      ['plugin', 'marketplace', 'add', root],
      ['plugin', 'add', 'infold@infold'],
      ['mcp', 'list'],
    );
    expect(servers).toMatch(/infold\s+npx\s+-y infold stdio/);
  });
});

const conversationOf = ({ dialect, body }: Asked) => DIALECTS[dialect].conversation(body);

async function play(name: 'opencode' | 'pi') {
  const { args, env, spelling, settings } = TRIED[name];
  const { bin, program } = installed(name);
  const folder = temporaryFolder();
  const place = (path: string) => join(folder, path);
  for (const path of ['home', 'project', 'data']) mkdirSync(place(path));
  const file = place('project/notes.md');
  writeFileSync(file, Array.from({ length: 600 }, (_, line) => `Note ${line} says nothing new.`).join('\n'));
  const records = join(dirname(SAMPLE_CONFIG), 'activities.jsonl');
  const config = place('infold.config.json');
  writeFileSync(
    config,
    JSON.stringify({ sources: { activity: { type: 'jsonl', path: records, id: 'id' } } }),
  );
  const data = place('data');
  // The last words are said in a process of their own.
  const script: Step[] = [...branchAndRecords(spelling, file), () => ({ text: END })];
  const model = await startScriptedModel(script);
  for (const [path, text] of Object.entries(settings({ model: model.url, data, config }))) {
    mkdirSync(dirname(place(`home/${path}`)), { recursive: true });
    writeFileSync(place(`home/${path}`), text);
  }
  const options = {
    cwd: place('project'),
    env: environment({ PATH: [bin, process.env.PATH].join(':'), HOME: place('home'), ...env }),
  };
  for (const more of [[], ['--continue']]) {
    const ended = await runHost(join(bin, program), [...args, ...more], options);
    expect(ended.code, ended.output).toBe(0);
    expect(ended.output).toContain(END);
  }
  await model.close();
  const { asked } = model;
  expect(asked).toHaveLength(script.length);
  for (const [index, { body, dialect }] of asked.entries()) {
    expect(problemsOf(dialect, body), `request ${index}`).toEqual([]);
  }
  expect(readdirSync(join(data, 'plugins', name))).toHaveLength(1);
  return { asked, data };
}

function runHost(
  program: string,
  args: readonly string[],
  options: { cwd: string; env: Record<string, string> },
) {
  return new Promise<{ code: number | null; output: string }>((resolve) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (text) => {
      output += text;
    });
    child.stderr.on('data', (text) => {
      output += text;
    });
    child.on('close', (code) => resolve({ code, output }));
  });
}

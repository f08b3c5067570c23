import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { problemsOf } from '../../../packages/client/src/window/validators.suite.ts';
import { verifies } from '../../requirements.ts';
import { PROGRAM, run, runJson, temporaryFolder } from '../support/program.ts';
import { SAMPLE_CONFIG } from '../support/sample-calls.ts';
import { DIALECTS, type Dialect } from './dialects.ts';
import { type HostName, installed, removeInstalled } from './installed.ts';
import { branchAndRecords, END, SUMMARY } from './script.ts';
import { type Step, startScriptedModel } from './scripted-model.ts';
import { tapInto } from './tap.ts';
import { HOSTS } from './tried.ts';

/** A home, a project, a data folder and a configuration whose upstreams are the scripted model. */
function prepare(model: string) {
  const folder = temporaryFolder();
  const place = (path: string) => join(folder, path);
  for (const path of ['bin', 'home', 'project']) mkdirSync(place(path));
  const file = place('project/notes.md');
  writeFileSync(file, Array.from({ length: 600 }, (_, line) => `Note ${line} says nothing new.`).join('\n'));
  const records = join(dirname(SAMPLE_CONFIG), 'activities.jsonl');
  const upstreams = Object.fromEntries(
    ['anthropic', 'openai', 'gemini'].map((name) => [name, { url: model }]),
  );
  const config = place('infold.config.json');
  const sources = { activity: { type: 'jsonl', path: records, id: 'id' } };
  writeFileSync(config, JSON.stringify({ port: 1, sources, window: { upstreams } }));
  return { folder, place, file, data: place('data'), config };
}

const parse = (bytes: Buffer) => JSON.parse(bytes.toString()) as Record<string, unknown>;

/** Characters of what was said since the first prompt. Definitions of tools that were searched for are not counted. */
function conversationPart(
  dialect: Dialect,
  first: Record<string, unknown>,
  last: Record<string, unknown>,
): number {
  const size = (body: Record<string, unknown>) =>
    JSON.stringify(dialect.conversation(body).filter(({ type }) => !String(type).startsWith('tool_search')))
      .length;
  return size(last) - size(first);
}

const wanted = process.env.INFOLD_TEST_HOSTS;
const names = Object.keys(HOSTS) as HostName[];

/** On demand: they are large, some are not free software, and none of them is needed for anything else. */
describe.skipIf(!wanted)('infold run with the real hosts (INFOLD_TEST_HOSTS=1)', () => {
  afterAll(removeInstalled);

  const cases = names.flatMap((name) => [[name, 'without tokens'] as const, [name, 'with a token'] as const]);
  test.each(cases)('%s, %s', { timeout: 300_000 }, async (name, access) => {
    verifies('WIN-08');
    const { spelling, most } = HOSTS[name];
    const { asked, sent, dialect } = await play(name, {
      script: (file) => branchAndRecords(spelling, file),
      needsToken: access === 'with a token',
    });
    // Before anything was used up there is nothing to take out.
    for (let index = 0; index < (spelling.search ? 4 : 3); index++) {
      expect(asked[index]!.bytes.equals(sent[index]!.bytes), `request ${index}`).toBe(true);
    }
    expect(asked.at(-1)!.bytes.toString()).toContain(SUMMARY);
    const part = (bodies: readonly { bytes: Buffer }[]) =>
      conversationPart(dialect, parse(bodies[0]!.bytes), parse(bodies.at(-1)!.bytes));
    const share = part(asked) / part(sent);
    console.log(
      `${name}, ${access}: ${part(asked)} of ${part(sent)} characters are left (${share.toFixed(3)})`,
    );
    expect(share).toBeLessThanOrEqual(most);
  });

  // What a script called cannot be told from the request: it goes as it came.
  test('codex, with a model that calls tools from scripts', { timeout: 300_000 }, async () => {
    const call = "await tools.mcp__infold__search_records({ model: 'activity', per_page: 33 })";
    const step = () => ({ tool: 'exec', input: { script: `text(JSON.stringify(${call}));` } });
    const { asked, sent } = await play('codex', {
      args: ['exec', '--skip-git-repo-check', '-s', 'danger-full-access', 'Go on.'],
      script: () => [step, step, () => ({ text: END })],
    });
    expect(asked.at(-1)!.newest).toContain('pagination');
    for (const [index, { bytes }] of asked.entries()) expect(bytes.equals(sent[index]!.bytes)).toBe(true);
  });
});

interface Played {
  args?: readonly string[];
  script(file: string): Step[];
  needsToken?: boolean;
}

/** Runs a host to the end of a script. Whatever it is, every request that arrives is valid and no longer than it was sent. */
async function play(name: HostName, { args = HOSTS[name].args, script, needsToken = false }: Played) {
  const { env, settings } = HOSTS[name];
  const { bin, program } = installed(name);
  // The address of the model is part of the configuration, and the file that is read part of the script.
  const steps: Step[] = [];
  const model = await startScriptedModel(steps);
  const { place, data, config, file } = prepare(model.url);
  steps.push(...script(file));
  const tapped = tapInto(place('bin'), program, join(bin, program));
  const ours = [PROGRAM, 'stdio', '--data', data, '--config', config];
  const files = settings?.({ command: process.execPath, args: ours, trust: true }) ?? {};
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(place(`home/${path}`)), { recursive: true });
    writeFileSync(place(`home/${path}`), JSON.stringify(content));
  }
  if (needsToken) await runJson(data, 'token', 'create', '--name', 'somebody');
  const receiptFile = place('receipt.json');
  const ended = await run(
    ['--data', data, '--config', config, 'run', '--receipt', receiptFile, name, '--', ...args],
    {
      env: { PATH: [place('bin'), bin, process.env.PATH].join(':'), HOME: place('home'), ...env },
      cwd: place('project'),
    },
  );
  await model.close();
  expect(ended.code, ended.stderr).toBe(0);
  expect(ended.stdout + ended.stderr).toContain(END);
  const { asked } = model;
  expect(asked).toHaveLength(steps.length);
  const dialect = DIALECTS[asked[0]!.dialect];
  const sent = tapped().filter(
    ({ path, bytes }) => dialect.matches.test(path.split('?')[0]!) && dialect.offersTools(parse(bytes)),
  );
  expect(sent).toHaveLength(asked.length);
  for (const [index, { bytes, body, dialect: spoken }] of asked.entries()) {
    expect(problemsOf(spoken, body, parse(sent[index]!.bytes)), `request ${index}`).toEqual([]);
    expect(bytes.length).toBeLessThanOrEqual(sent[index]!.bytes.length);
  }
  const receipt = JSON.parse(readFileSync(receiptFile, 'utf8'));
  expect(receipt).toMatchObject({ exit_code: 0, unread: [] });
  expect(receipt.requests).toBeGreaterThanOrEqual(asked.length);
  return { asked, sent, dialect };
}

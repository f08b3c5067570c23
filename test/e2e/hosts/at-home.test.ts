import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { type Ended, run, runJson, startServer, temporaryFolder } from '../support/program.ts';
import { SAMPLE_CONFIG } from '../support/sample-calls.ts';
import type { Said } from './dialects.ts';
import { HOMES, type HomeName } from './homes.ts';
import { installed, removeInstalled } from './installed.ts';
import { type ScriptedModel, type Step, startScriptedModel } from './scripted-model.ts';
import { HOSTS } from './tried.ts';

const DECISION = 'Releases go out on Tuesdays, after the nightly run.';
const TASK = 'Go through the log and find out why the pump stops.';
const SUMMARY = 'The pump stops at line 2718, see pump.log.';
/** Less than the log and a page of records have. */
const TOKENS = 4000;

interface Operation {
  type: string;
  tool?: string;
  output?: string;
  tokens: number;
}

/** On demand, as `infold run` with the real hosts is. */
describe.skipIf(!process.env.INFOLD_TEST_HOSTS)('infold install in real hosts (INFOLD_TEST_HOSTS=1)', () => {
  afterAll(removeInstalled);
  const names = Object.keys(HOMES) as HomeName[];

  test.each(names)('%s', { timeout: 300_000 }, async (name) => {
    verifies('HOST-01', 'HOST-03', 'HOST-04', 'HOST-05', 'HOST-06');
    const home = HOMES[name];
    const { spelling } = HOSTS[name];
    const steps: Step[] = [];
    const { model, place, infold, host } = await movedIn(name, steps);
    const before = place.files();

    await runJson(place.data, 'memory', 'import', place.memories, '--project', place.project);
    const installing = await infold('install', name);
    expect(installing.code, installing.stderr).toBe(0);
    const settled = place.files();
    expect(settled).not.toEqual(before);
    expect((await infold('install', name)).code).toBe(0);
    expect(place.files()).toEqual(settled);

    if (home.isHasty) await startServer({ data: place.data });

    // A branch with tools of the host and one of ours, and a summary of the host in the middle of it.
    const project_path = place.project;
    const say = (said: Said) => steps.push(() => said);
    if (spelling.search) steps.push(spelling.search);
    say({
      tool: spelling.ours('context_branch'),
      input: { project_path, description: 'The pump', prompt: TASK },
    });
    say(home.shell('sh watch.sh'));
    say(spelling.read(place.log) as Said);
    say({ tool: spelling.ours('search_records'), input: { model: 'activity', per_page: 33 } });
    say({ ...home.shell('echo half way'), ...(home.compactsAt > 0 && { used: home.compactsAt }) });
    say({ text: 'Half of it is done.' });
    await host(home.begin('Why does the pump stop?'));
    expect(model.asked).toHaveLength(steps.length);
    expect(isSaid(model, 0, DECISION), 'woken').toBe(true);
    if (home.compactsAt > 0) expectRegained(model, home.takesInstructions);

    // The same conversation goes on in other processes. Gemini CLI makes its summary before one of these prompts.
    for (const word of ['Soon.', 'Very soon.']) {
      say({ text: word });
      await host(home.resume('How far are you?'));
    }
    say({ tool: spelling.ours('context_return'), input: { project_path, message: SUMMARY } });
    say({ text: 'It stops at line 2718.' });
    await host(home.resume('And now?'));
    expect(model.asked).toHaveLength(steps.length);
    expect(model.compactions.length).toBeGreaterThan(0);
    expect(isSaid(model, steps.length - 2, TASK), 'told what the summary lost').toBe(true);

    const shell = model.asked[spelling.search ? 3 : 2]!.newest;
    expect(shell.includes('context_expand')).toBe(home.shortens);

    const { sessions, branch } = await journal(place.data);
    expect(sessions).toHaveLength(1);
    const operations = branch.items.filter(({ type }) => type === 'operation');
    // Whoever reported them.
    expect(operations.map(({ tool }) => tool)).toEqual(home.tools);
    expect(branch.summary).toBe(SUMMARY);
    const whole = operations.reduce((sum, { tokens }) => sum + tokens, 0);
    expect(model.asked.at(-1)!.newest).toMatch(new RegExp(`tokens_folded\\\\*":\\s*${branch.tokens}\\b`));
    expect(branch.tokens).toBeGreaterThanOrEqual(whole);
    expect(whole).toBeGreaterThan(TOKENS);

    const lived = place.files();
    const uninstalling = await infold('uninstall', name);
    expect(uninstalling.code, uninstalling.stderr).toBe(0);
    const after = place.files();
    for (const path of Object.keys(before)) {
      if (home.rewritten?.includes(path)) expect(JSON.parse(after[path]!)).toEqual(withoutOurs(lived[path]!));
      else expect(after[path], path).toBe(before[path]);
    }
    expect(Object.keys(settled).filter((path) => !(path in before) && path in after)).toEqual([]);
    await model.close();
  });

  const withAgents = names.filter((name) => HOMES[name].agent);
  test.each(withAgents)('%s, with an agent that its model starts', { timeout: 300_000 }, async (name) => {
    verifies('HOST-05');
    const home = HOMES[name];
    const words = 'The pump is not here.';
    const ofAgent: Step[] = [() => home.shell('echo from the agent'), () => ({ text: words })];
    const steps: Step[] = [
      ...home.agent!,
      () => home.shell('echo from its parent'),
      () => ({ text: 'Done.' }),
    ];
    const { model, place, infold, host } = await movedIn(name, steps, ofAgent);
    expect((await infold('install', name)).code).toBe(0);
    await host(home.begin('Where is the pump?'));
    await model.close();
    const { sessions, branches, branch } = await journal(place.data);
    expect([sessions, branches].map(({ length }) => length)).toEqual([1, 1]);
    expect(branch).toMatchObject({ status: 'folded', summary: words });
    const outputs = branch.items.filter(({ type }) => type === 'operation').map(({ output }) => output);
    expect(outputs).toEqual([expect.stringContaining('from the agent')]);
  });
});

/** A home, a model, and how one acts in them. */
async function movedIn(name: HomeName, steps: readonly Step[], ofAgents: readonly Step[] = []) {
  const model = await startScriptedModel(steps, ofAgents);
  const home = HOMES[name];
  const place = prepare(home.own(model.url));
  return {
    model,
    place,
    infold: (...args: string[]) => run(['--data', place.data, '--config', place.config, ...args], place),
    host: (args: readonly string[]) => start(name, args, home.environment(model.url), place),
  };
}

/** What a host's file holds besides us. */
function withoutOurs(text: string): unknown {
  const { mcpServers, ...rest } = JSON.parse(text) as { mcpServers: Record<string, unknown> };
  const { infold, ...others } = mcpServers;
  expect(infold).toBeDefined();
  return Object.keys(others).length > 0 ? { ...rest, mcpServers: others } : rest;
}

/** The first prompt after the summary says what was lost with the history. */
function expectRegained(model: ScriptedModel, takesInstructions: boolean): void {
  expect(model.compactions).toHaveLength(1);
  const [{ body: summarised, at }] = model.compactions as [ScriptedModel['compactions'][number]];
  expect(isSaid(model, at, TASK), 'told at once what the summary lost').toBe(true);
  expect(/br_\w+/.test(lastOf(summarised))).toBe(takesInstructions);
}

/** Prompts are long: what they do not hold is said in a word. */
const isSaid = ({ asked }: ScriptedModel, index: number, text: string) => asked[index]!.bytes.includes(text);

/** What a request ends with. */
function lastOf(body: Record<string, unknown>): string {
  const list = (body.messages ?? body.input) as { role?: string }[];
  return JSON.stringify(list.findLast(({ role }) => role === 'user') ?? '');
}

/** A home with the person's own files, a project and a data folder. */
function prepare(own: Record<string, string>) {
  const folder = temporaryFolder();
  const path = (name: string) => join(folder, name);
  const home = path('home');
  const project = path('project');
  for (const made of [home, project]) mkdirSync(made);
  for (const [name, text] of Object.entries(own)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  const log = join(project, 'pump.log');
  writeFileSync(log, Array.from({ length: 300 }, (_, line) => `${line}: the pump runs`).join('\n'));
  writeFileSync(
    join(project, 'watch.sh'),
    'for i in $(seq 100 260); do echo "2026-11-16T10:00:00Z INFO pump $i runs"; done\n',
  );
  const memories = path('memories.jsonl');
  writeFileSync(
    memories,
    `${JSON.stringify({ title: 'Release day', content: DECISION, kind: 'decision' })}\n`,
  );
  const config = path('infold.config.json');
  const records = join(dirname(SAMPLE_CONFIG), 'activities.jsonl');
  const sources = { activity: { type: 'jsonl', path: records, id: 'id' } };
  writeFileSync(config, JSON.stringify({ port: 1, sources }));
  return {
    // Hosts give hooks to a shell.
    data: path("Ada's $data"),
    config,
    log,
    memories,
    project,
    cwd: project,
    env: { HOME: home },
    /** The settings of hosts, and what else is in their folders that may be ours. */
    files: () =>
      Object.fromEntries(textsIn(home).map((file) => [relative(home, file), readFileSync(file, 'utf8')])),
  };
}

/** Settings, hooks and skills: what a host keeps of its own work is not looked at. */
function textsIn(folder: string, depth = 0): string[] {
  if (!existsSync(folder) || depth > 4) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return OF_HOSTS.test(entry.name) ? [] : textsIn(path, depth + 1);
    return /^(config\.toml|hooks\.json|settings\.json|\.claude\.json|SKILL\.md)$/.test(entry.name)
      ? [path]
      : [];
  });
}
const OF_HOSTS = /^(\.system|\.tmp|tmp|sessions|projects|history|cache|backups|shell[-_]snapshots)$/;

/** Runs the host to its end, as a person would. */
async function start(
  name: HomeName,
  args: readonly string[],
  environment: Record<string, string>,
  { cwd, env }: { cwd: string; env: { HOME: string } },
): Promise<Ended> {
  const { bin, program } = installed(name);
  const child = spawn(join(bin, program), args, {
    cwd,
    env: { PATH: `${bin}:${process.env.PATH}`, HOME: env.HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].on('data', (chunk: Buffer) => {
      texts[stream] += chunk.toString();
    });
  }
  const code = await new Promise<number | null>((resolve) => {
    child.on('close', resolve);
  });
  expect(code, texts.stderr).toBe(0);
  return { code, ...texts };
}

/** What has been kept of it. */
async function journal(data: string) {
  const server = await startServer({ data });
  const ask = async <Answer>(path: string) => (await (await fetch(server.url + path)).json()) as Answer;
  const { sessions } = await ask<{ sessions: { id: string }[] }>('/api/sessions');
  const { branches } = await ask<{ branches: { id: string }[] }>(`/api/sessions/${sessions[0]!.id}/branches`);
  const branch = await ask<{ status: string; tokens: number; summary: string; items: Operation[] }>(
    `/api/branches/${branches[0]!.id}`,
  );
  await server.stop();
  return { sessions, branches, branch };
}

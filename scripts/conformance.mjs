import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { judgeChecks, staleEntries } from './conformance-judge.mjs';
import { build, installTools, newerNode, root, tools } from './tools.mjs';

/**
 * `npm run conformance`: the public MCP conformance suite for both protocol eras, against the built program and
 * against a server of the same layers that has the tools, resources and prompts which the suite calls by name.
 */
const REVISIONS = ['2025-11-25', '2026-07-28'];
const LONGEST_RUN = 300_000;

installTools();
build();

const requireTool = createRequire(join(tools, 'package.json'));
const expected = requireTool('yaml').parse(readFileSync(join(tools, 'conformance-expected.yml'), 'utf8'));
const suite = join(tools, 'node_modules/@modelcontextprotocol/conformance');
const { version } = JSON.parse(readFileSync(join(suite, 'package.json'), 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'infold-conformance-'));
const data = (/** @type {string} */ name) => join(folder, `${name}-data`);
const PROGRAM = ['packages/server/bin/infold.mjs', 'serve', '--port', '0', '--log-level', 'warn', '--data'];
const SERVERS = {
  program: [...PROGRAM, data('program')],
  fixtures: ['test/conformance/server.mjs', data('fixtures')],
};

try {
  process.stdout.write(`@modelcontextprotocol/conformance ${version}\n`);
  let unexpected = 0;
  /** @type {Set<string>} */
  const seen = new Set();
  for (const [name, command] of Object.entries(SERVERS)) {
    await withServer(command, async (url) => {
      for (const revision of REVISIONS) {
        const scenarios = await runSuite(`${url}/mcp`, revision, join(folder, `${name}-${revision}`));
        for (const { scenario } of scenarios) seen.add(scenario);
        const { lines, problems } = judgeChecks(scenarios, { revision, server: name }, expected);
        process.stdout.write(`\n${name}, ${revision}\n${lines.map((text) => `  ${text}\n`).join('')}`);
        unexpected += report(problems);
      }
    });
  }
  unexpected += report(staleEntries(seen, expected));
  process.exitCode = unexpected > 0 ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** @param {string[]} problems */
function report(problems) {
  for (const problem of problems) process.stdout.write(`  UNEXPECTED ${problem}\n`);
  return problems.length;
}

/**
 * @param {string[]} command
 * @param {(url: string) => Promise<void>} use
 */
async function withServer([script, ...rest], use) {
  const server = spawn(process.execPath, [join(root, script ?? ''), ...rest], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = await Promise.race([once(server.stdout, 'data'), once(server, 'exit')]);
    const url = /http:\/\/\S+/.exec(String(line))?.[0];
    if (!url) throw new Error(`The server did not say where it listens: ${line}`);
    await use(url);
  } finally {
    if (server.exitCode === null) {
      server.kill('SIGTERM');
      await once(server, 'exit');
    }
  }
}

/**
 * The suite's own exit code is not used: it does not judge scenarios outside a revision's frozen list, header
 * validation and session life among them, and it counts as passed what never was exercised.
 *
 * @param {string} url
 * @param {string} revision
 * @param {string} output
 */
async function runSuite(url, revision, output) {
  const run = ['server', '--url', url, '--requirements', revision, '-o', output];
  const child = spawn(newerNode, [join(suite, 'dist/index.js'), ...run], {
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: LONGEST_RUN,
  });
  await once(child, 'exit');
  if (!existsSync(output)) return [];
  // Folders are named `server-SCENARIO-TIME`.
  return readdirSync(output).map((name) => ({
    scenario: name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, ''),
    checks: JSON.parse(readFileSync(join(output, name, 'checks.json'), 'utf8')),
  }));
}

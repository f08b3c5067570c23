import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { judgeChecks } from './conformance-judge.mjs';
import { build, installTools, newerNode, root, tools } from './tools.mjs';

/** `npm run conformance`: the public MCP conformance suite against the built server, for both protocol eras. */
const REVISIONS = ['2025-11-25', '2026-07-28'];

installTools();
build();

const requireTool = createRequire(join(tools, 'package.json'));
const expected = requireTool('yaml').parse(readFileSync(join(tools, 'conformance-expected.yml'), 'utf8'));
const folder = mkdtempSync(join(tmpdir(), 'infold-conformance-'));
const server = spawn(
  process.execPath,
  [
    join(root, 'packages/server/bin/infold.mjs'),
    'serve',
    ...['--port', '0', '--data', join(folder, 'data'), '--log-level', 'warn'],
  ],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);

try {
  const [line] = await once(server.stdout, 'data');
  const url = /http:\/\/\S+/.exec(String(line))?.[0];
  if (!url) throw new Error(`The server did not say where it listens: ${line}`);
  let unexpected = 0;
  for (const revision of REVISIONS) {
    const scenarios = await runSuite(`${url}/mcp`, revision);
    const { lines, problems } = judgeChecks(scenarios, revision, expected);
    process.stdout.write(`\n${revision}\n${lines.map((text) => `  ${text}\n`).join('')}`);
    unexpected += problems.length;
    for (const problem of problems) process.stdout.write(`  UNEXPECTED ${problem}\n`);
  }
  process.exitCode = unexpected > 0 ? 1 : 0;
} finally {
  if (server.exitCode === null) {
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
}

/**
 * The suite's own exit code is not used: it does not judge scenarios outside a revision's frozen list, header
 * validation and session life among them, and it counts as passed what never was exercised.
 *
 * @param {string} url
 * @param {string} revision
 */
async function runSuite(url, revision) {
  const output = join(folder, revision);
  const suite = join(tools, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  const child = spawn(newerNode, [suite, 'server', '--url', url, '--requirements', revision, '-o', output], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await once(child, 'exit');
  // Folders are named `server-SCENARIO-TIME`.
  return readdirSync(output).map((name) => ({
    scenario: name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, ''),
    checks: JSON.parse(readFileSync(join(output, name, 'checks.json'), 'utf8')),
  }));
}

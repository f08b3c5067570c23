import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { analyse, nextSession } from './analyst.mjs';
import { checkAll } from './checks.mjs';
import { gatherByCommand, gatherFacts } from './facts.mjs';
import { command, LIBRARY, rest, serve, temporaryFolder, until } from './infold.mjs';
import { checkLines, costLines, narrator } from './narration.mjs';
import { replayAsPerson } from './person.mjs';
import { joinReviewer } from './reviewer.mjs';

const USAGE = `node examples/team/run.mjs [--json]      plays the scenario and checks it
node examples/team/run.mjs --check FILE  checks a run again that was written with --json
`;
const PROJECT = 'support-desk';
const SESSION = 'week-10';
const NEXT_SESSION = 'week-11';

/** A project that shows its branches in its pod, a library, and a token for each of the three. */
async function prepare(data, tell) {
  const { id: pod } = await command(data, 'project', 'add', '--name', PROJECT);
  const token = async (name, ...more) =>
    (await command(data, 'token', 'create', '--name', name, '--project', PROJECT, ...more)).token;
  const [, { read }, analyst, reviewer, person] = await Promise.all([
    command(data, 'project', 'set', PROJECT, '--mirror', 'on'),
    command(data, 'library', 'import', LIBRARY, '--publish', '--project', PROJECT),
    token('analyst', '--scope', 'read,write'),
    token('reviewer', '--scope', 'read,write', '--capability', 'review/answer'),
    token('person', '--scope', 'read'),
  ]);
  tell('you', `make the project ${PROJECT}, publish ${read} files, give out three tokens`);
  return { pod, tokens: { analyst, reviewer, person } };
}

/** Two agents work; when all is over, a person reads. */
async function play({ url, pod, tokens, tell }) {
  const reviewing = await joinReviewer({ url, pod, token: tokens.reviewer, tell });
  tell('reviewer', 'joins and wants to hear conclusions only');
  const analyst = await analyse({ url, token: tokens.analyst, project: PROJECT, sessionId: SESSION, tell });
  const reviewer = await reviewing.leave();
  await concluded({ url, pod, token: tokens.person, id: analyst.reasoning.id });
  const person = await replayAsPerson({ url, pod, token: tokens.person, tell });
  return { analyst, reviewer, person };
}

/** A context concludes by itself when nobody uses it any more; then what it came to becomes memory. */
async function concluded({ url, pod, token, id }) {
  const get = rest(url, token);
  const isOver = async () => (await get(`/api/pods/${pod}/contexts/${id}`)).state === 'concluded';
  await until(isOver, `the conclusion of ${id}`);
}

async function run(data, tell) {
  const { pod, tokens } = await prepare(data, tell);
  const first = await serve(data);
  const played = await play({ url: first.url, pod, tokens, tell });
  const { analyst } = played;
  const branches = analyst.branches.map(({ id }) => id);
  const where = { data, tokens, pod, project: PROJECT, sessionId: SESSION };
  const gather = (url) =>
    gatherFacts({ ...where, url, branches, contexts: [...branches, analyst.reasoning.id] });
  const ask = (url) =>
    nextSession({
      ...{ url, tell, token: tokens.analyst, project: PROJECT, sessionId: NEXT_SESSION },
      knownHash: analyst.mpf,
      goal: `What causes ${analyst.error}, and which tickets show it?`,
    });
  const before = await ask(first.url);
  const now = await gather(first.url);
  const byCommand = await gatherByCommand(where);
  await first.stop();

  const verified = await command(data, 'verify');
  const rebuild = await command(data, 'rebuild');
  tell('you', `stop the server, verify ${verified.entries} entries, make all tables anew, start again`);
  const second = await serve(data);
  const rebuilt = await gather(second.url);
  const after = await ask(second.url);
  await second.stop();
  const verifiedAtTheEnd = await command(data, 'verify');
  return {
    ...played,
    next: { before, after },
    now,
    byCommand,
    rebuilt,
    journal: { verified, rebuild, verifiedAtTheEnd },
  };
}

function readFlags() {
  try {
    const options = { json: { type: 'boolean', default: false }, check: { type: 'string' } };
    return parseArgs({ options }).values;
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${USAGE}`);
    return process.exit(2);
  }
}

const flags = readFlags();
const started = performance.now();
const facts = flags.check
  ? JSON.parse(readFileSync(flags.check, 'utf8')).facts
  : await run(temporaryFolder(), narrator(flags.json));
const checks = checkAll(facts);
const failed = checks.filter(({ ok }) => !ok).length;
const seconds = Math.round((performance.now() - started) / 100) / 10;
if (flags.json) {
  process.stdout.write(`${JSON.stringify({ ok: failed === 0, seconds, checks, facts }, null, 2)}\n`);
} else {
  const verdict = failed === 0 ? `All ${checks.length} agree` : `${failed} of ${checks.length} do not agree`;
  const lines = [...costLines(facts.analyst.figures), ...checkLines(checks), `${verdict} (${seconds} s).`];
  process.stdout.write(`${lines.join('\n')}\n`);
}
process.exitCode = failed === 0 ? 0 : 1;

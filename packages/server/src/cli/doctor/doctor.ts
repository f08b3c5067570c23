import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type WindowTraffic, windowApi } from '@infold/protocol';
import { createScrubber } from '@infold/scrub';
import { parseGatewaySettings } from '../../gateway/settings.ts';
import { isLoopback } from '../../http/access/guard.ts';
import { holderOf, infoldAt, servesFolder, urlOf } from '../../http/connections/port-holder.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { ConfigReport } from '../../kernel/config.ts';
import { messageOf } from '../../kernel/errors.ts';
import { openToOthers } from '../../kernel/private-files.ts';
import type { Database } from '../../kernel/sqlite.ts';
import { toolListCost } from '../../mcp/tools/list-cost.ts';
import { clientUses } from '../../trust/clients/last-seen.ts';
import { listTokens } from '../../trust/identity/queries.ts';
import { WindowArchive } from '../../window/originals/archive.ts';
import { passedSince } from '../../window/queries.ts';
import { EXIT, type Output } from '../output.ts';
import { openLocalJournal } from '../services/journal.ts';
import { createRegistry } from '../services/registry.ts';
import type { Check } from './check.ts';
import { checkHub } from './edges.ts';
import { checkHosts } from './hosts.ts';
import { checkMeaning } from './meaning.ts';
import { checkWebhooks } from './webhooks.ts';

const LOW_DISK = 512 * 1024 * 1024;

/** Looks at everything that commonly goes wrong, and says what to do about it. Exit code 1 on a problem. */
export async function doctor(report: ConfigReport, output: Output): Promise<number> {
  const { config, file } = report;
  const checks: Check[] = [checkNode(), { name: 'configuration', state: 'ok', detail: file ?? 'defaults' }];
  const journal = await checkJournal(config);
  checks.push(checkDisk(config.data), ...journal.checks);
  if (config.nats.url !== undefined) {
    checks.push(...(await (await import('./cluster.ts')).checkCluster(config.nats)));
  }
  checks.push(await checkPort(config), checkTools(config), checkGateway(config));
  checks.push(...(await checkHosts(report, journal.connected)));
  output.answer({ checks }, () => {
    const mark = { ok: 'ok      ', warning: 'warning ', problem: 'PROBLEM ' };
    return checks
      .map(
        ({ name, state, detail, advice }) =>
          `${mark[state]} ${name}: ${detail}${advice ? `\n         ${advice}` : ''}`,
      )
      .join('\n');
  });
  return checks.some(({ state }) => state === 'problem') ? EXIT.failed : EXIT.done;
}

function checkNode(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const supported = major > 20 || (major === 20 && minor >= 19);
  return {
    name: 'node',
    state: supported ? 'ok' : 'problem',
    detail: `v${process.versions.node}`,
    ...(supported ? {} : { advice: 'Install Node 20.19 or later' }),
  };
}

function checkGateway({ gateway }: ConfigReport['config']): Check {
  const name = 'gateway';
  try {
    const { policy } = parseGatewaySettings(gateway);
    const [notice] = policy.notices;
    return notice === undefined
      ? { name, state: 'ok', detail: policy.described }
      : {
          name,
          state: 'warning',
          detail: policy.notices.join('; '),
          advice: 'Change one of the two in the configuration',
        };
  } catch (error) {
    return { name, state: 'problem', detail: messageOf(error) };
  }
}

function checkDisk(folder: string): Check {
  let existing = folder;
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  const { bavail, bsize } = statfsSync(existing);
  const free = Number(bavail) * Number(bsize);
  const low = free < LOW_DISK;
  return {
    name: 'free disk',
    state: low ? 'warning' : 'ok',
    detail: `${(free / 1024 ** 3).toFixed(1)} GiB at ${existing}`,
    ...(low
      ? { advice: 'Writes are refused when the disk is full; free some space or move the folder with --data' }
      : {}),
  };
}

/** Also which hosts have connected, and when. */
async function checkJournal(
  config: ConfigReport['config'],
): Promise<{ checks: Check[]; connected: Map<string, number> }> {
  const nobody = new Map<string, number>();
  if (!existsSync(config.data)) {
    const detail = `${config.data} does not exist yet`;
    const advice = 'The first server or import creates it';
    return { checks: [{ name: 'data folder', state: 'warning', detail, advice }], connected: nobody };
  }
  try {
    const journal = await openLocalJournal(config);
    try {
      const sqlite = journal.database.get<{ version: string }>('SELECT sqlite_version() AS version')!.version;
      const { seq } = journal.head();
      const checks: Check[] = [
        { name: 'sqlite', state: 'ok', detail: sqlite },
        { name: 'data folder', state: 'ok', detail: `${config.data} (${seq} entries)` },
        checkPermissions(config.data),
        checkAccess(config.host, listTokens(journal.database)),
        await checkWindow(config, journal.database),
        await checkMeaning(config, journal.database),
        ...(await checkHub(config, journal)),
        ...checkWebhooks(config, journal),
      ];
      return { checks, connected: clientUses(journal.database) };
    } finally {
      await journal.close();
    }
  } catch (error) {
    const advice = 'Choose another with --data';
    return {
      checks: [{ name: 'data folder', state: 'problem', detail: messageOf(error), advice }],
      connected: nobody,
    };
  }
}

const DAY = 24 * 60 * 60 * 1000;

/** Whether it is on, what it keeps, and which requests went as they came because nothing else could be done. */
async function checkWindow(config: ConfigReport['config'], database: Database): Promise<Check> {
  const { window, data } = config;
  const archive = new WindowArchive(data, systemClock, createScrubber(), { days: window.archiveDays });
  const { originals, bytes, on_disk } = await archive.size().finally(() => archive.close());
  const { requests, passed } = passedSince(database, systemClock() - DAY);
  const kept = `${originals} originals of ${megabytes(bytes)} (${megabytes(on_disk)} on disk), each for ${window.archiveDays} days`;
  const traffic = await trafficAt(config);
  const reasons = [
    ...passed.map(({ reason, count }) => `${count} × ${reason} in the last day`),
    ...(traffic?.unread ?? []).map(({ why, count }) => `${count} × unread (${why})`),
    ...(traffic?.failed_open ?? []).map(({ what, count, last }) => `${count} × ${what} (${last})`),
  ];
  return {
    name: 'window',
    state: reasons.length > 0 ? 'warning' : 'ok',
    detail: `${window.enabled ? 'on' : 'off'}; ${requests} requests in the last day; keeps ${kept}`,
    ...(reasons.length > 0 ? { advice: `Sent as they came: ${reasons.join(', ')}` } : {}),
  };
}

/** What a server that runs at the configured port has counted, where it tells the owner without a token. */
async function trafficAt({ host, port }: ConfigReport['config']): Promise<WindowTraffic | undefined> {
  if (port === 0 || !isLoopback(host)) return undefined;
  try {
    const signal = AbortSignal.timeout(1500);
    const response = await fetch(
      `http://${host.includes(':') ? `[${host}]` : host}:${port}/api/windows?limit=1`,
      { signal },
    );
    return windowApi.listWindows.output.parse(await response.json()).traffic;
  } catch {
    return undefined;
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}

function checkPermissions(folder: string): Check {
  const name = 'permissions';
  // Windows has other ones, which Node does not tell.
  const [first, ...more] = process.platform === 'win32' ? [] : openToOthers(folder);
  if (first === undefined) return { name, state: 'ok', detail: 'only its owner can read the data folder' };
  const rest = more.length > 0 ? ` and ${more.length} more` : '';
  return {
    name,
    state: 'warning',
    detail: `other users can read ${first}${rest}`,
    advice: `chmod -R go= ${folder}`,
  };
}

function checkAccess(
  host: string,
  tokens: { revoked_at: number | null; expires_at: number | null }[],
): Check {
  const usable = tokens.filter(
    ({ revoked_at, expires_at }) => revoked_at === null && (expires_at === null || expires_at > Date.now()),
  ).length;
  if (tokens.length > 0) {
    const none = usable === 0;
    return {
      name: 'tokens',
      state: none ? 'warning' : 'ok',
      detail: `${usable} usable of ${tokens.length}`,
      ...(none ? { advice: 'HTTP callers need one: infold token create --name NAME' } : {}),
    };
  }
  if (isLoopback(host))
    return { name: 'tokens', state: 'ok', detail: 'none: local HTTP callers are the owner' };
  const advice = 'infold token create --name NAME';
  return { name: 'tokens', state: 'problem', detail: `none, so "serve" will refuse to bind ${host}`, advice };
}

async function checkPort({ host, port, data }: ConfigReport['config']): Promise<Check> {
  const version = port === 0 ? undefined : await infoldAt(host, port);
  if (version !== undefined) {
    const isOurs = await servesFolder(urlOf(host, port), data);
    if (isOurs) return { name: 'port', state: 'ok', detail: `${port} is served by this Infold (${version})` };
    if (isOurs === undefined)
      return {
        name: 'port',
        state: 'ok',
        detail: `${port} is served by an Infold (${version}) that asks for a token`,
        advice: `If it serves another data folder than ${data}: infold serve --port ${port + 1}`,
      };
  }
  const holder = port === 0 ? undefined : await holderOf(host, port);
  return {
    name: 'port',
    state: holder ? 'warning' : 'ok',
    detail: holder ? `${port} is taken by ${holder}` : `${port} is free`,
    ...(holder ? { advice: `infold serve --port ${port + 1}` } : {}),
  };
}

/** What an agent's host pays for offering our tools: names, descriptions and input schemas. */
function checkTools(config: ConfigReport['config']): Check {
  const tools = createRegistry(config).list(config.toolNames ?? 'portable');
  const { all: tokens } = toolListCost(tools);
  return {
    name: 'tool list',
    state: 'ok',
    detail: `${tools.length} tools cost about ${tokens} tokens of an agent's context`,
    ...(tokens > 8000 ? { advice: 'Choose fewer doors with --toolsets' } : {}),
  };
}

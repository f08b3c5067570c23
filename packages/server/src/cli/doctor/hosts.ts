import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import type { HostName } from '@infold/protocol';
import { type HostReports, type LastReports, readLastReports } from '../../hooks/delivery/last-reports.ts';
import { readSpool } from '../../hooks/delivery/spool.ts';
import type { ConfigReport } from '../../kernel/config.ts';
import { messageOf } from '../../kernel/errors.ts';
import { HOSTS, installables, isThere } from '../hosts/index.ts';
import { type Ours, oursOf } from '../hosts/our-program.ts';
import { Installs, isWantedBy } from '../install/install-record.ts';
import type { Installable, InstallPlace } from '../install/installable.ts';
import { type HostReport, Installer, ownerOf, targetOf } from '../install/installer.ts';
import type { Check } from './check.ts';

interface Known {
  heard: LastReports;
  /** When its MCP client last asked for our tools. */
  connected: ReadonlyMap<string, number>;
  now: number;
}

/** Each host that is there: what of ours stands in its files, whether it is let, and when it was last heard of. */
export async function checkHosts(
  report: ConfigReport,
  connected: Known['connected'],
  places: Pick<InstallPlace, 'home' | 'project' | 'environment'> = {
    home: homedir(),
    project: process.cwd(),
    environment: process.env,
  },
  now = Date.now(),
): Promise<Check[]> {
  const { data } = report.config;
  let installs: Installs;
  try {
    installs = Installs.read(data);
  } catch (error) {
    return [{ name: 'hosts', state: 'problem', detail: messageOf(error) }];
  }
  const ours = oursOf(report);
  const known: Known = { heard: readLastReports(data), connected, now };
  const checks: Check[] = [];
  for (const host of installables(ours)) {
    const check = await checkHost(host, ours, installs, places, known);
    if (check) checks.push(check);
  }
  return [...checks, checkSpool(data, now)];
}

async function checkHost(
  host: Installable,
  ours: Ours,
  installs: Installs,
  places: Pick<InstallPlace, 'home' | 'project' | 'environment'>,
  known: Known,
): Promise<Check | undefined> {
  const { name, title } = host;
  const place = (scope: InstallPlace['scope']): InstallPlace => ({
    ...places,
    scope,
    window: false,
    http: false,
  });
  // Somebody's own folder is no project: its files are those for all projects.
  const isProject = places.project !== places.home;
  const states = [
    { where: 'for you', ...(await stateIn(host, place('user'), installs)) },
    ...(isProject
      ? [{ where: 'in this project', ...(await stateIn(host, place('project'), installs)) }]
      : []),
  ];
  const standing = states.filter(({ isPresent }) => isPresent);
  const definition = HOSTS[name];
  if (standing.length === 0) {
    const hasRemains = states.some((state) => state.hasRemains);
    if (!hasRemains && !isThere(definition, place('user'))) return undefined;
    const warnings = states.flatMap((state) => state.warnings);
    const detail = hasRemains ? 'not installed, but some of our entries remain' : 'found, not installed';
    if (warnings.length > 0) return { name: title, state: 'warning', detail, advice: inLines(warnings) };
    return { name: title, state: 'ok', detail, advice: `infold install ${name}` };
  }
  const scope = standing.some(({ where }) => where === 'for you') ? 'user' : 'project';
  const hasHooks = standing.some((one) => one.hasHooks);
  const hookTrouble = hasHooks ? await definition.hookTrouble?.(place(scope), ours) : undefined;
  const { heard, connected, now } = known;
  const warnings = [
    ...states.flatMap(({ warnings }) => warnings),
    ...(hookTrouble === undefined ? [] : [hookTrouble]),
    ...shapeWarnings(title, heard[name], now),
  ];
  const detail = [
    standing
      .map(({ where, isWhole }) => `${isWhole ? '' : 'partly '}installed ${where}`)
      .join(' and ')
      .replace(' and installed ', ' and '),
    connectedAt(connected.get(name), now),
    hasHooks || definition.hasPlugin ? heardOf(heard[name], now) : undefined,
  ];
  return {
    name: title,
    state: warnings.length > 0 ? 'warning' : 'ok',
    detail: detail.filter((part) => part !== undefined).join('; '),
    ...(warnings.length > 0 && { advice: inLines(warnings) }),
  };
}

function inLines(warnings: readonly string[]): string {
  return warnings.join('\n         ');
}

interface State {
  /** Something of ours stands in the host's own files. */
  isPresent: boolean;
  /** All of it does, and none is in a file that cannot be read. */
  isWhole: boolean;
  /** By the record something of ours is in a file that cannot be read. */
  hasRemains: boolean;
  hasHooks: boolean;
  warnings: string[];
}

/** What installing would still do tells what there is. Both ways to connect are right. */
async function stateIn(host: Installable, place: InstallPlace, installs: Installs): Promise<State> {
  const reports: HostReport[] = [];
  if (!(await hasFiles(host, place)))
    return { isPresent: false, isWhole: false, hasRemains: false, hasHooks: false, warnings: [] };
  for (const http of [false, true]) {
    const session = new Installer(installs);
    await session.install(host, { ...place, http }, false);
    reports.push(...session.hosts.filter(({ problem }) => problem === undefined));
  }
  const [best] = reports.sort((one, other) => count(one, 'updated') - count(other, 'updated'));
  // Hosts may share a skill: it says nothing of the single one.
  const own = best?.files.filter(({ path }) => !path.endsWith('SKILL.md')) ?? [];
  const isPresent = best !== undefined && count({ files: own }, ...PRESENT) > 0;
  const hasHooks = own.some(({ changes }) =>
    changes.some(({ name, what }) => name.startsWith('hooks.') && PRESENT.includes(what)),
  );
  const unread = best?.files.filter(({ problem }) => problem !== undefined) ?? [];
  const owner = ownerOf(host, place);
  const remains = unread.filter(({ path }) =>
    installs.files.get(targetOf(path))?.entries.some((entry) => isWantedBy(entry, owner)),
  );
  const warnings = isPresent
    ? fileWarnings(host.name, place, best)
    : unread.map((one) => {
        const isOurs = remains.includes(one)
          ? `. It still has our entries: ${MEND} ${uninstallOf(host.name, place)}`
          : '';
        return `${one.path} ${one.problem}${isOurs}`;
      });
  const isWhole = unread.length === 0 && count({ files: own }, 'added', 'foreign') === 0;
  return { isPresent, isWhole, hasRemains: remains.length > 0, hasHooks, warnings };
}

const MEND = 'fix the file, then';

function uninstallOf(name: HostName, { scope }: InstallPlace): string {
  return `infold uninstall ${name}${scope === 'project' ? ' --scope project' : ''}`;
}

/** Most hosts are not there at all, and need no closer look. */
async function hasFiles(host: Installable, place: InstallPlace): Promise<boolean> {
  try {
    return (await host.files(place)).some(({ path }) => existsSync(path));
  } catch {
    return false;
  }
}

type What = HostReport['files'][number]['changes'][number]['what'];

/** Of ours, in whatever state. */
const PRESENT: readonly What[] = ['there', 'updated', 'edited', 'kept'];

function count({ files }: Pick<HostReport, 'files'>, ...what: What[]): number {
  return files.flatMap(({ changes }) => changes).filter((change) => what.includes(change.what)).length;
}

function fileWarnings(name: HostName, { scope }: InstallPlace, report: HostReport): string[] {
  const again = `infold install ${name}${scope === 'project' ? ' --scope project' : ''}`;
  const warnings = report.files.flatMap(({ path, problem, changes }) => {
    if (problem !== undefined) return [`${path} ${problem}: ${MEND} ${again}`];
    return changes.flatMap(({ name: entry, what }) => {
      if (what === 'edited')
        return [`${entry} in ${path} was edited by hand: ${again} --force writes it again`];
      return what === 'foreign' ? [`${entry} in ${path} is not ours, and was left`] : [];
    });
  });
  if (count(report, 'added') > 0) warnings.push(`Part of it is missing: ${again} adds it`);
  if (count(report, 'updated') > 0)
    warnings.push(`It was written by another version, or from another folder: ${again} updates it`);
  return warnings;
}

/** How long a payload that was not understood is told of. */
const TOLD_FOR = 7 * 86_400_000;

function shapeWarnings(title: string, heard: HostReports | undefined, now: number): string[] {
  const { at = 0, events = {}, unknown, foreign } = heard ?? {};
  const isUnknown =
    unknown !== undefined && unknown.at > (events[unknown.event] ?? 0) && now - unknown.at < TOLD_FOR;
  return [
    ...(isUnknown
      ? [
          `${title} reported ${unknown.event} with fields that Infold does not know (${unknown.fields.join(', ')}): this hook stays silent. If ${title} is newer than Infold, look for a newer Infold; if you ran the hook by hand, it needs the payload that ${title} sends`,
        ]
      : []),
    ...(foreign !== undefined && foreign.at > at
      ? [`Another host ran the hooks of ${title} (${foreign.event}): they stay silent there`]
      : []),
  ];
}

function heardOf(heard: HostReports | undefined, now: number): string {
  const { at, events = {}, empty } = heard ?? {};
  const [last] = Object.entries(events).sort(([, one], [, other]) => other - one);
  const isTried = empty !== undefined && empty.at > (at ?? 0);
  const tried = isTried ? `; ${empty.event} was run without a payload ${ago(now - empty.at)}` : '';
  if (at === undefined) return `no hook has run yet${tried}`;
  return `last hook ${ago(now - at)}${last ? ` (${last[0]})` : ''}${tried}`;
}

function connectedAt(at: number | undefined, now: number): string {
  return at === undefined ? 'not connected yet' : `connected ${ago(now - at)}`;
}

const UNITS: readonly [string, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

function ago(milliseconds: number): string {
  const unit = UNITS.find(([, length]) => milliseconds >= length);
  if (!unit) return 'just now';
  const amount = Math.floor(milliseconds / unit[1]);
  return `${amount} ${unit[0]}${amount === 1 ? '' : 's'} ago`;
}

function checkSpool(data: string, now: number): Check {
  const { waiting, bytes, dropped, droppedAt = now } = readSpool(data);
  const name = 'hooks';
  const detail =
    waiting === 0
      ? 'no events are waiting'
      : `${waiting} ${waiting === 1 ? 'event waits' : 'events wait'} for a server (${Math.ceil(bytes / 1024)} KiB)`;
  if (dropped === 0) return { name, state: 'ok', detail };
  return {
    name,
    state: 'warning',
    detail: `${detail}; ${dropped} were lost, the last ${ago(now - droppedAt)}: the spool was full, or they arrived incomplete`,
    advice: 'Waiting events are read when a host starts our server, or by: infold serve',
  };
}

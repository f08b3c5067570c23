import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../../../test/requirements.ts';
import { Installs } from './install-record.ts';
import type { Installable, InstallPlace, SettingsEntry } from './installable.ts';
import { type HostReport, Installer } from './installer.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const SERVER = { command: 'node', args: ['/opt/infold.mjs', 'stdio'] };
const isServer = (value: unknown) => JSON.stringify(value).includes('infold');

function entry(
  at: SettingsEntry['at'],
  path: string[],
  value: SettingsEntry['value'],
  more: Partial<SettingsEntry> = {},
): SettingsEntry {
  return { at, path, value, isOurs: isServer, ...more };
}

/** A host with a file of each kind. `version` stands for what another version of ours would write. */
function hostOf(name: Installable['name'] = 'claude-code', version = 1): Installable {
  const server = { ...SERVER, version };
  const command = `infold hook ${name}`;
  return {
    name,
    title: name,
    isThere: ({ home }) => existsSync(join(home, '.host')),
    files: ({ home }) => [
      {
        kind: 'edited',
        path: join(home, '.host', 'settings.json'),
        format: 'jsonc',
        entries: [
          entry('key', ['mcpServers', 'infold'], server),
          entry(
            'element',
            ['hooks', 'Start'],
            { command },
            { isOurs: (value) => JSON.stringify(value).includes(command) },
          ),
          entry('key', ['hooksOn'], true, { isOurs: (value) => value === true, isCommon: true }),
          entry('key', ['statusLine'], 'infold statusline', { ifAbsent: true }),
        ],
      },
      {
        kind: 'edited',
        path: join(home, '.host', 'config.toml'),
        format: 'toml',
        entries: [entry('key', ['mcp_servers', 'infold'], server)],
      },
      {
        kind: 'whole',
        path: join(home, '.host', 'skills', 'infold', 'SKILL.md'),
        text: `# Infold ${version}\n`,
        isOurs: (text) => text.startsWith('# Infold'),
      },
    ],
  };
}

class Machine {
  readonly root = mkdtempSync(join(tmpdir(), 'infold-install-'));
  readonly home = join(this.root, 'home');
  readonly data = join(this.root, 'data');
  readonly settings = join(this.home, '.host', 'settings.json');
  readonly config = join(this.home, '.host', 'config.toml');
  readonly skill = join(this.home, '.host', 'skills', 'infold', 'SKILL.md');
  readonly place: InstallPlace = {
    scope: 'user',
    home: this.home,
    project: join(this.root, 'project'),
    environment: {},
    window: false,
    http: false,
  };

  constructor() {
    folders.push(this.root);
    mkdirSync(this.home);
    mkdirSync(this.data);
  }

  write(path: string, text: string | Buffer): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** Everything below the home, by its name. */
  files(): Record<string, string> {
    const found: Record<string, string> = {};
    for (const item of readdirSync(this.home, { recursive: true, withFileTypes: true })) {
      const path = join(item.parentPath, item.name);
      found[relative(this.home, path)] = item.isFile()
        ? readFileSync(path, 'latin1')
        : item.isDirectory()
          ? '/'
          : '@';
    }
    return found;
  }

  backups(): string[] {
    const folder = join(this.data, 'backups', 'hosts');
    return existsSync(folder) ? readdirSync(folder) : [];
  }

  async install(hosts: readonly Installable[] = [hostOf()], force = false): Promise<HostReport[]> {
    const session = new Installer(Installs.read(this.data));
    for (const host of hosts) await session.install(host, this.place, force);
    session.commit();
    return session.hosts;
  }

  async uninstall(hosts: readonly Installable[] = [hostOf()], force = false): Promise<HostReport[]> {
    const session = new Installer(Installs.read(this.data));
    for (const host of hosts) await session.uninstall(host, this.place, force);
    session.commit();
    return session.hosts;
  }
}

const SETTINGS = '// mine\n{\n\t"theme": "dark", // the only one\n\t"hooks": {},\n}\n';
const CONFIG = 'model = "x" # which\n\n[mcp_servers.other]\ncommand = "other"';

function furnished(): Machine {
  const machine = new Machine();
  machine.write(machine.settings, SETTINGS);
  machine.write(machine.config, CONFIG);
  return machine;
}

/** What was said of entries of a file. */
const said = (reports: readonly HostReport[], path: string) =>
  reports.flatMap(({ files }) =>
    files.filter((file) => file.path === path).flatMap(({ changes }) => changes),
  );

const problemsIn = (reports: readonly HostReport[]) =>
  reports.flatMap(({ files }) => files.flatMap(({ problem }) => problem ?? []));

describe('install', () => {
  it('writes what a host needs, and uninstall leaves no trace of it', async () => {
    verifies('HOST-01');
    for (const machine of [new Machine(), furnished()]) {
      const before = machine.files();
      await machine.install();
      expect(readFileSync(machine.settings, 'utf8')).toContain('"infold": {');
      expect(readFileSync(machine.config, 'utf8')).toContain('[mcp_servers.infold]\ncommand = "node"');
      expect(readFileSync(machine.skill, 'utf8')).toBe('# Infold 1\n');
      await machine.uninstall();
      expect(machine.files()).toEqual(before);
      expect(machine.backups()).toEqual([]);
      expect(Installs.read(machine.data).files.size).toBe(0);
    }
  });

  it('keeps what it said before a change in the comments and lines around it', async () => {
    const machine = furnished();
    await machine.install();
    const text = readFileSync(machine.settings, 'utf8');
    expect(text).toContain('// mine\n{\n\t"theme": "dark", // the only one\n\t"hooks": {\n\t\t"Start": [');
    expect(text.endsWith('\t"statusLine": "infold statusline",\n}\n')).toBe(true);
  });

  it('changes nothing the second time, not even its own record', async () => {
    verifies('HOST-01');
    const machine = furnished();
    await machine.install();
    const before = [
      machine.files(),
      statSync(machine.settings).ino,
      statSync(join(machine.data, 'installs.json')).ino,
    ];
    const backups = machine.backups();
    const reports = await machine.install();
    expect([
      machine.files(),
      statSync(machine.settings).ino,
      statSync(join(machine.data, 'installs.json')).ino,
    ]).toEqual(before);
    expect(machine.backups()).toEqual(backups);
    expect(reports[0]!.files.map(({ what }) => what)).toEqual(['same', 'same', 'same']);
  });

  it('brings an older installation up to date, and uninstall still knows the beginning', async () => {
    const machine = furnished();
    const before = machine.files();
    await machine.install();
    const reports = await machine.install([hostOf('claude-code', 2)]);
    expect(said(reports, machine.settings)[0]).toEqual({ name: 'mcpServers.infold', what: 'updated' });
    expect(readFileSync(machine.skill, 'utf8')).toBe('# Infold 2\n');
    await machine.uninstall();
    expect(machine.files()).toEqual(before);
  });

  it('takes away what an older version wrote and this one does not', async () => {
    const machine = furnished();
    const before = machine.files();
    await machine.install();
    const host = hostOf();
    const newer: Installable = {
      ...host,
      files: async (place) =>
        (await host.files(place)).map((file) =>
          file.kind === 'whole'
            ? { ...file, path: join(place.home, '.host', 'skills', 'infold.md') }
            : { ...file, entries: file.entries.filter(({ at }) => at === 'key') },
        ),
    };
    await machine.install([newer]);
    expect(existsSync(machine.skill)).toBe(false);
    expect(readFileSync(machine.settings, 'utf8')).toContain('"hooks": {},\n');
    expect(readFileSync(machine.settings, 'utf8')).toContain('"infold": {');
    await machine.uninstall([newer]);
    expect(machine.files()).toEqual(before);
  });

  it('keeps what another call asked for', async () => {
    const machine = furnished();
    const host = hostOf();
    const withWindow: Installable = {
      ...host,
      files: async (place) => [
        ...(await host.files(place)),
        {
          kind: 'edited',
          path: machine.config,
          format: 'toml',
          entries: place.window ? [entry('key', ['address'], 'http://infold')] : [],
        },
      ],
    };
    const session = new Installer(Installs.read(machine.data));
    await session.install(withWindow, { ...machine.place, window: true }, false);
    session.commit();
    const after = machine.files();
    await machine.install([withWindow]);
    expect(machine.files()).toEqual(after);
  });

  it('leaves a common switch that was on before, and a value where ours is only better than none', async () => {
    const machine = new Machine();
    machine.write(machine.settings, '{"hooksOn": true, "statusLine": "my own"}');
    const reports = await machine.install();
    expect(said(reports, machine.settings).map(({ what }) => what)).toEqual([
      'added',
      'added',
      'theirs',
      'theirs',
    ]);
    machine.write(machine.settings, readFileSync(machine.settings, 'utf8').replace('my own', 'mine'));
    await machine.uninstall();
    expect(readFileSync(machine.settings, 'utf8')).toBe('{"hooksOn": true, "statusLine": "mine"}');
  });

  it('leaves an entry of our name that is not ours, and says so', async () => {
    const machine = new Machine();
    const foreign = '{\n  "mcpServers": {\n    "infold": "somebody\'s" // theirs\n  }\n}\n'.replace(
      'infold"',
      'infold"',
    );
    machine.write(machine.settings, foreign.replace("somebody's", 'theirs'));
    const host = hostOf();
    const before = machine.files();
    const reports = await machine.install([host]);
    expect(said(reports, machine.settings)[0]).toEqual({ name: 'mcpServers.infold', what: 'foreign' });
    expect(readFileSync(machine.settings, 'utf8')).toContain('"infold": "theirs" // theirs');
    await machine.install([host], true);
    expect(readFileSync(machine.settings, 'utf8')).toContain('"/opt/infold.mjs"');
    // The former entry comes back also where the file was changed meanwhile.
    machine.write(machine.settings, `// new\n${readFileSync(machine.settings, 'utf8')}`);
    await machine.uninstall([host]);
    const { '.host/settings.json': settings, ...rest } = before;
    expect(machine.files()).toEqual({ ...rest, '.host/settings.json': `// new\n${settings}` });
  });

  it("goes through a link to the file behind it, and keeps the file's mode", async () => {
    const machine = new Machine();
    const real = join(machine.root, 'dotfiles', 'settings.json');
    machine.write(real, SETTINGS);
    chmodSync(real, 0o640);
    mkdirSync(join(machine.home, '.host'));
    symlinkSync('../../dotfiles/settings.json', machine.settings);
    await machine.install();
    expect(lstatSync(machine.settings).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, 'utf8')).toContain('"infold"');
    expect(statSync(real).mode & 0o777).toBe(0o640);
    await machine.uninstall();
    expect(lstatSync(machine.settings).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, 'utf8')).toBe(SETTINGS);
  });
});

describe('a file that should be left alone', () => {
  const cases: Record<string, [string, (machine: Machine) => void]> = {
    'a syntax error': [
      'is not valid JSON (line 2, column 1: property name expected)',
      (machine) => machine.write(machine.settings, '{"a": 1,\n,}'),
    ],
    'something else at the top': [
      'has something other than keys at its top',
      (machine) => machine.write(machine.settings, '[1]'),
    ],
    'something else on the way': [
      'has something other than keys at mcpServers',
      (machine) => machine.write(machine.settings, '{"mcpServers": "none"}'),
    ],
    'something other than a list': [
      'has something other than a list at hooks.Start',
      (machine) => machine.write(machine.settings, '{"hooks": {"Start": {}}}'),
    ],
    'a key twice': [
      'has the key "mcpServers" twice in one object',
      (machine) => machine.write(machine.settings, '{"mcpServers": {}, "mcpServers": {"a": 1}}'),
    ],
    'bytes that are not UTF-8': [
      'is not valid UTF-8',
      (machine) => machine.write(machine.settings, Buffer.from([0x7b, 0xff, 0x7d])),
    ],
    'a folder in its place': [
      'is a folder and not a file',
      (machine) => mkdirSync(machine.settings, { recursive: true }),
    ],
    'objects in objects without end': [
      'cannot be edited (Maximum call stack size exceeded)',
      (machine) => machine.write(machine.settings, `{"a": ${'['.repeat(200_000)}${']'.repeat(200_000)}}`),
    ],
    'a file in place of its folder': [
      'is below something that is not a folder',
      (machine) => machine.write(join(machine.home, '.host'), ''),
    ],
    'a link to nothing': [
      'is a link to nowhere.json, which does not exist',
      (machine) => {
        mkdirSync(dirname(machine.settings));
        symlinkSync('nowhere.json', machine.settings);
      },
    ],
    'a link to itself': [
      'is a link that leads back to itself',
      (machine) => {
        mkdirSync(dirname(machine.settings));
        symlinkSync('settings.json', machine.settings);
      },
    ],
    'a file that is read-only': [
      'is read-only',
      (machine) => {
        machine.write(machine.settings, '{}');
        chmodSync(machine.settings, 0o444);
      },
    ],
    'a huge file': [
      'is larger than 64 MiB',
      (machine) => {
        machine.write(machine.settings, '{}');
        truncateSync(machine.settings, 65 * 1024 * 1024);
      },
    ],
  };

  it.each(Object.entries(cases))('has %s', async (_, [problem, prepare]) => {
    verifies('HOST-01');
    const machine = new Machine();
    prepare(machine);
    const before = machine.files();
    const reports = await machine.install();
    expect(problemsIn(reports)).toContain(problem);
    expect(machine.files()).toMatchObject(before);
    // What it is for does not keep the others from being written, where that is possible.
    expect(existsSync(machine.config)).toBe(!problem.includes('below'));
    expect(problemsIn(await machine.uninstall())).toEqual([]);
    expect(machine.files()).toEqual(before);
  });

  it('lies in a folder that is read-only', async () => {
    const machine = furnished();
    chmodSync(dirname(machine.settings), 0o555);
    const before = machine.files();
    const problems = problemsIn(await machine.install());
    expect(problems).toHaveLength(3);
    expect(problems[0]).toBe(`is in ${dirname(machine.settings)}, which is read-only`);
    expect(machine.files()).toEqual(before);
    chmodSync(dirname(machine.settings), 0o755);
  });
});

describe('uninstall', () => {
  it('takes out what is ours from a file that others have changed', async () => {
    verifies('HOST-01');
    const machine = furnished();
    await machine.install();
    const edit = (text: string) => text.replace('"dark"', '"light"').replace('// mine', '// still mine');
    machine.write(machine.settings, edit(readFileSync(machine.settings, 'utf8')));
    machine.write(machine.config, `${readFileSync(machine.config, 'utf8')}\n[later]\nx = 1\n`);
    await machine.uninstall();
    expect(readFileSync(machine.settings, 'utf8')).toBe(edit(SETTINGS));
    expect(readFileSync(machine.config, 'utf8')).toBe(`${CONFIG}\n[later]\nx = 1\n`);
  });

  it('copes with a host that writes its settings anew', async () => {
    const machine = new Machine();
    machine.write(machine.settings, JSON.stringify({ numStartups: 1, mcpServers: {} }));
    await machine.install();
    const settings = JSON.parse(readFileSync(machine.settings, 'utf8')) as object;
    machine.write(machine.settings, JSON.stringify({ ...settings, numStartups: 2 }, null, 2));
    await machine.uninstall();
    expect(readFileSync(machine.settings, 'utf8')).toBe(
      JSON.stringify({ numStartups: 2, mcpServers: {} }, null, 2),
    );
  });

  it('does not take for an edit what a host adds that says nothing', async () => {
    const machine = new Machine();
    machine.write(machine.settings, '{}');
    await machine.install();
    const settings = JSON.parse(readFileSync(machine.settings, 'utf8')) as { mcpServers: { infold: object } };
    Object.assign(settings.mcpServers.infold, { envs: {}, bundled: null, tools: [] });
    machine.write(machine.settings, JSON.stringify(settings));
    expect((await machine.install())[0]!.files[0]!.what).toBe('same');
    await machine.uninstall();
    expect(JSON.parse(readFileSync(machine.settings, 'utf8'))).toEqual({});
  });

  it('leaves what was edited by hand, says so each time, and takes it when told to', async () => {
    verifies('HOST-01');
    const machine = new Machine();
    await machine.install();
    machine.write(
      machine.settings,
      readFileSync(machine.settings, 'utf8').replace('"stdio"', '"stdio", "--mine"'),
    );
    machine.write(machine.skill, '# Infold and more\n');
    expect(said(await machine.install(), machine.settings)[0]!.what).toBe('edited');
    for (const _ of [1, 2]) {
      const reports = await machine.uninstall();
      expect(said(reports, machine.settings)).toContainEqual({ name: 'mcpServers.infold', what: 'edited' });
      expect(said(reports, machine.skill)).toEqual([{ name: 'file', what: 'edited' }]);
      expect(JSON.parse(readFileSync(machine.settings, 'utf8'))).toEqual({
        mcpServers: { infold: { ...SERVER, args: [...SERVER.args, '--mine'], version: 1 } },
      });
    }
    await machine.uninstall([hostOf()], true);
    expect(machine.files()).toEqual({});
  });

  it('recognises what is ours where the record is lost', async () => {
    verifies('HOST-01');
    const machine = furnished();
    await machine.install();
    rmSync(machine.data, { recursive: true });
    mkdirSync(machine.data);
    await machine.uninstall();
    expect(readFileSync(machine.config, 'utf8')).toBe(CONFIG);
    expect(existsSync(machine.skill)).toBe(false);
    // A switch that anybody could have set stays; what was empty is gone.
    expect(readFileSync(machine.settings, 'utf8')).toBe(
      '// mine\n{\n\t"theme": "dark", // the only one\n\t"hooksOn": true,\n}\n',
    );
  });

  it('takes over an installation whose record is lost', async () => {
    const machine = furnished();
    await machine.install();
    rmSync(machine.data, { recursive: true });
    mkdirSync(machine.data);
    expect((await machine.install([hostOf('claude-code', 2)]))[0]!.files.map(({ what }) => what)).toEqual([
      'changed',
      'changed',
      'changed',
    ]);
    const installs = Installs.read(machine.data);
    for (const { original } of installs.files.values()) {
      expect(original === null ? '' : installs.original(original)).not.toContain('infold');
    }
    await machine.uninstall();
    expect(readFileSync(machine.config, 'utf8')).toBe(CONFIG);
  });

  it('keeps what another host uses too', async () => {
    const machine = furnished();
    const before = machine.files();
    const [one, other] = [hostOf('codex'), hostOf('zed')];
    await machine.install([one, other]);
    const reports = await machine.uninstall([one]);
    expect(said(reports, machine.skill)).toEqual([{ name: 'file', what: 'kept' }]);
    expect(readFileSync(machine.settings, 'utf8')).toContain('infold hook zed');
    expect(readFileSync(machine.settings, 'utf8')).not.toContain('infold hook codex');
    expect(existsSync(machine.skill)).toBe(true);
    await machine.uninstall([other]);
    expect(machine.files()).toEqual(before);
  });

  it('keeps what others wrote between two installations', async () => {
    const machine = furnished();
    await machine.install([hostOf('codex')]);
    const edit = (text: string) => text.replace('"dark"', '"light"');
    machine.write(machine.settings, edit(readFileSync(machine.settings, 'utf8')));
    await machine.install([hostOf('zed')]);
    await machine.uninstall([hostOf('zed'), hostOf('codex')]);
    expect(readFileSync(machine.settings, 'utf8')).toBe(edit(SETTINGS));
  });

  it('copes with an installation that was cut off anywhere', async () => {
    const machine = furnished();
    const before = machine.files();
    await machine.install();
    const after = machine.files();
    const copy = join(machine.root, 'copy');
    cpSync(machine.data, copy, { recursive: true });
    for (const written of [[], ['settings.json'], ['settings.json', 'config.toml']]) {
      // The record is there, and of the files these.
      rmSync(join(machine.home, '.host'), { recursive: true });
      for (const [name, text] of Object.entries(before))
        if (text !== '/') machine.write(join(machine.home, name), text);
      for (const name of written) machine.write(join(machine.home, '.host', name), after[`.host/${name}`]!);
      cpSync(copy, machine.data, { recursive: true });
      await machine.uninstall();
      expect(machine.files()).toEqual(before);
    }
  });

  it('copes with an update that was cut off before the file was written', async () => {
    const machine = furnished();
    const before = machine.files();
    await machine.install();
    const session = new Installer(Installs.read(machine.data));
    await session.install(hostOf('claude-code', 2), machine.place, false);
    session.announce();
    await machine.uninstall();
    expect(machine.files()).toEqual(before);
  });

  it('does nothing where nothing is', async () => {
    const machine = furnished();
    const before = machine.files();
    expect((await machine.uninstall())[0]!.files).toEqual([]);
    expect(machine.files()).toEqual(before);
    expect(readdirSync(machine.data)).toEqual([]);
  });

  it('says what to do about a record that cannot be read', async () => {
    const machine = furnished();
    machine.write(join(machine.data, 'installs.json'), '{"version": 1, "files": [{}]}');
    await expect(machine.uninstall()).rejects.toThrow('installs.json is damaged. Move it away');
  });
});

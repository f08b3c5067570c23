import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../requirements.ts';
import { type Ended, PROGRAM, run, start, temporaryFolder } from '../support/program.ts';

/** Settings of people, as they could stand in a home. */
const FILES: Record<string, string> = {
  '.claude.json': '{"numStartups":7,"mcpServers":{"other":{"command":"other"}}}',
  '.claude/settings.json':
    '// mine\n{\n\t"model": "opus", // the large one\n\t"hooks": {\n\t\t"PostToolUse": [{ "hooks": [] }],\n\t},\n}\n',
  '.codex/config.toml': '# Codex\r\nmodel = "x" # which\r\n\r\n[mcp_servers.other]\r\ncommand = "other"',
  '.gemini/settings.json': '\ufeff{\n    "theme": "dark"\n}\n',
  '.config/opencode/opencode.json': '{ "$schema": "https://opencode.ai/config.json" }\n',
  '.config/goose/config.yaml':
    'GOOSE_MODE: auto\n# what it can do\nextensions:\n  developer:\n    enabled: true\n',
};

class Home {
  readonly root = temporaryFolder();
  readonly home = join(this.root, 'home');
  readonly project = join(this.root, 'project');
  readonly data = join(this.root, 'data');

  constructor(files: Record<string, string> = FILES) {
    mkdirSync(this.home);
    mkdirSync(this.project);
    for (const [name, text] of Object.entries(files)) this.write(name, text);
  }

  path = (name: string) => join(this.home, name);
  read = (name: string) => readFileSync(this.path(name), 'utf8');

  write(name: string, text: string): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text);
  }

  /** Everything in the home and in the project, byte for byte. */
  tree(): Record<string, string> {
    const found: Record<string, string> = {};
    for (const folder of [this.home, this.project]) {
      for (const item of readdirSync(folder, { recursive: true, withFileTypes: true })) {
        const path = join(item.parentPath, item.name);
        found[relative(this.root, path)] = item.isDirectory() ? '/' : readFileSync(path, 'latin1');
      }
    }
    return found;
  }

  get options() {
    // Hosts of this machine are none of the test's.
    return { env: { HOME: this.home, PATH: '/usr/bin:/bin', XDG_CONFIG_HOME: '' }, cwd: this.project };
  }

  run(...args: string[]): Promise<Ended> {
    return run(['--data', this.data, ...args], this.options);
  }

  async json(...args: string[]): Promise<Answer> {
    const { stdout, stderr } = await this.run('--json', ...args);
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout) as Answer;
  }
}

interface Answer {
  dryRun: boolean;
  hosts: {
    host: string;
    isThere: boolean;
    files: {
      path: string;
      what: string;
      problem?: string;
      diff?: string;
      changes: { name: string; what: string }[];
    }[];
  }[];
}

describe('infold install', () => {
  test('finds the hosts that are there, twice changes nothing, and uninstall leaves no trace', async () => {
    verifies('HOST-01');
    const home = new Home();
    const before = home.tree();
    const { code, stdout, stderr } = await home.run('install');
    expect([code, stderr]).toEqual([0, '']);
    for (const title of ['Claude Code', 'Codex', 'Gemini CLI', 'OpenCode', 'Goose'])
      expect(stdout).toContain(`${title}\n`);
    expect(stdout).toContain('+[mcp_servers.infold]');
    expect(home.read('.codex/config.toml')).toContain('"other"\r\n\r\n[mcp_servers.infold]\r\n');
    expect(JSON.parse(home.read('.claude.json'))).toMatchObject({
      numStartups: 7,
      mcpServers: { other: {}, infold: { args: [PROGRAM, 'stdio', '--data', home.data] } },
    });
    const after = home.tree();
    const again = await home.json('install');
    expect(again.hosts.flatMap(({ files }) => files).filter(({ what }) => what !== 'same')).toEqual([]);
    expect(home.tree()).toEqual(after);
    expect((await home.run('uninstall')).code).toBe(0);
    expect(home.tree()).toEqual(before);
    expect((await home.run('uninstall')).stdout).toBe('Nothing from Infold was found.\n');
  });

  test('shows with --dry-run what it would write, and writes nothing at all', async () => {
    const home = new Home();
    const before = home.tree();
    const { dryRun, hosts } = await home.json('install', '--dry-run', 'codex');
    expect(dryRun).toBe(true);
    expect(hosts[0]!.files[0]).toMatchObject({ path: home.path('.codex/config.toml'), what: 'changed' });
    expect(hosts[0]!.files[0]!.diff).toContain('+[mcp_servers.infold]');
    expect(home.tree()).toEqual(before);
    expect(existsSync(home.data)).toBe(false);
  });

  test('installs a host that is named though it was not found, and says so', async () => {
    const home = new Home({});
    const { code, stdout } = await home.run('install', 'zed');
    expect(code).toBe(0);
    expect(stdout).toContain('It was not found here; what it needs is written anyway.');
    await home.run('uninstall', 'zed');
    expect(home.tree()).toEqual({});
  });

  test('says which hosts there are where none was found or the name is wrong', async () => {
    const home = new Home({});
    const none = await home.run('install');
    expect([none.code, none.stderr]).toEqual([
      1,
      expect.stringContaining('No host was found on this machine. Name one: claude-code, codex'),
    ]);
    const wrong = await home.run('install', 'emacs');
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('There is no host "emacs"')]);
    const scope = await home.run('install', '--scope', 'world', 'codex');
    expect([scope.code, scope.stderr]).toEqual([2, expect.stringContaining('there are user, project')]);
  });

  test('works in a project, over HTTP and with the window door', async () => {
    const home = new Home({});
    expect((await home.run('install', '--scope', 'project', '--http', 'gemini')).code).toBe(0);
    const settings = join(home.project, '.gemini', 'settings.json');
    expect(readFileSync(settings, 'utf8')).toContain('/mcp?');
    expect((await home.run('install', '--window', 'codex')).code).toBe(0);
    expect(home.read('.codex/config.toml')).toMatch(/^openai_base_url = "http:.*\/model\/openai/);
    const elsewhere = await run(['--data', home.data, 'uninstall', '--dry-run'], {
      ...home.options,
      cwd: home.home,
    });
    expect(elsewhere.stderr).toContain(`still installed in ${home.project}: infold uninstall --project`);
    expect((await home.run('uninstall', '--scope', 'project')).code).toBe(0);
    expect(existsSync(settings)).toBe(false);
    expect(existsSync(home.path('.codex/config.toml'))).toBe(true);
    await home.run('uninstall');
    expect(home.tree()).toEqual({});
  });
});

describe('files that are not as they should be', () => {
  test('are left alone with a clear line, and the other hosts go on', async () => {
    verifies('HOST-01');
    const home = new Home({ ...FILES, '.gemini/settings.json': '{\n  "theme": \n}' });
    const { code, stdout } = await home.run('install', 'codex', 'gemini');
    expect(code).toBe(3);
    expect(stdout).toContain(
      '~/.gemini/settings.json is not valid JSON (line 3, column 1: value expected): left as it is',
    );
    expect(home.read('.gemini/settings.json')).toBe('{\n  "theme": \n}');
    expect(home.read('.codex/config.toml')).toContain('infold');
    chmodSync(home.path('.config/goose/config.yaml'), 0o444);
    chmodSync(home.path('.config/goose'), 0o555);
    const goose = await home.run('install', 'goose');
    chmodSync(home.path('.config/goose'), 0o755);
    expect([goose.code, goose.stdout]).toEqual([
      1,
      expect.stringContaining('config.yaml is read-only: left as it is'),
    ]);
  });

  test.skipIf(process.getuid?.() !== 0)(
    'belong to another user: they are left, and root leaves them theirs',
    async () => {
      const home = new Home();
      const NOBODY = 65_534;
      chmodSync(home.root, 0o755);
      for (const path of [home.home, home.project, home.path('.codex')]) chownSync(path, NOBODY, NOBODY);
      const { code, stdout } = await run(['--data', join(home.home, 'data'), 'install', 'codex'], {
        ...home.options,
        uid: NOBODY,
        gid: NOBODY,
      });
      expect([code, stdout]).toEqual([
        3,
        expect.stringContaining('config.toml belongs to another user: left as it is'),
      ]);
      chownSync(home.path('.codex/config.toml'), NOBODY, NOBODY);
      await home.run('install', 'codex');
      const { uid, gid } = statSync(home.path('.codex/config.toml'));
      expect([uid, gid]).toEqual([NOBODY, NOBODY]);
    },
  );
});

describe('infold uninstall', () => {
  test('takes exactly what is ours, though other entries changed, and leaves what was edited by hand', async () => {
    verifies('HOST-01');
    const home = new Home();
    await home.run('install');
    const edit = (text: string) =>
      text.replace('auto', 'approve').replace('"x"', '"y"').replace('"opus"', '"haiku"');
    for (const name of ['.config/goose/config.yaml', '.codex/config.toml', '.claude/settings.json'])
      home.write(name, edit(home.read(name)));
    home.write(
      '.gemini/settings.json',
      home.read('.gemini/settings.json').replace('"stdio"', '"stdio", "--mine"'),
    );
    const { code, stdout } = await home.run('uninstall');
    expect([code, stdout]).toEqual([
      3,
      expect.stringContaining(
        '"mcpServers.infold" was edited by hand and is left as it is; --force removes it',
      ),
    ]);
    for (const name of ['.config/goose/config.yaml', '.codex/config.toml', '.claude/settings.json'])
      expect(home.read(name)).toBe(edit(FILES[name]!));
    expect(home.read('.gemini/settings.json')).toContain('--mine');
    await home.run('uninstall', '--force');
    expect(home.read('.gemini/settings.json')).toBe(FILES['.gemini/settings.json']);
  });

  test('ends with 3 where something edited by hand was left, and names each file once', async () => {
    verifies('HOST-01');
    const home = new Home();
    await home.run('install', 'claude-code');
    const settings = '.claude/settings.json';
    home.write(
      settings,
      home.read(settings).replace('claude-code PreCompact', 'claude-code PreCompact --mine'),
    );
    const edited = '"hooks.PreCompact" was edited by hand';
    for (const verb of ['install', 'uninstall', 'uninstall']) {
      const { code, stdout } = await home.run(verb, 'claude-code');
      expect([code, stdout]).toEqual([3, expect.stringContaining(edited)]);
    }
    const { code, stdout } = await home.run('uninstall', '--force', 'claude-code');
    expect(code).toBe(0);
    expect(stdout.split('\n').filter((line) => line.startsWith(`  ~/${settings}`))).toEqual([
      `  ~/${settings}: changed`,
    ]);
    expect(home.read(settings)).toBe(FILES[settings]);
  });

  test('recognises what is ours where the data folder is gone', async () => {
    const home = new Home();
    await home.run('install');
    const other = join(home.root, 'other');
    expect((await run(['--data', other, 'uninstall'], home.options)).code).toBe(0);
    expect(Object.values(home.tree()).join('')).not.toContain('infold');
    expect(home.read('.codex/config.toml')).toBe(FILES['.codex/config.toml']);
    expect(existsSync(other)).toBe(false);
  });

  test('undoes what several processes installed at once', async () => {
    verifies('HOST-01');
    const home = new Home();
    const before = home.tree();
    const names = ['claude-code', 'codex', 'copilot', 'vscode'];
    const ended = await Promise.all(names.map((name) => home.run('install', name)));
    expect(ended.map(({ code }) => code)).toEqual(names.map(() => 0));
    const [one, other] = await Promise.all([
      home.run('uninstall', ...names),
      home.run('uninstall', ...names),
    ]);
    expect([one.code, other.code]).toEqual([0, 0]);
    expect(home.tree()).toEqual(before);
  });

  test('undoes what was killed in the middle', async () => {
    verifies('HOST-01');
    const home = new Home();
    const before = home.tree();
    const record = join(home.data, 'installs.json');
    for (let wait = 0; wait < 3; wait++) {
      const running = start(['--data', home.data, 'install'], { ...home.options, input: '' });
      let isOver = false;
      void running.ended.then(() => {
        isOver = true;
      });
      // The record is there before the first file is written: from here on every moment is a bad one.
      while (!existsSync(record) && !isOver) await sleep(1);
      await sleep(wait * 15);
      running.process.kill('SIGKILL');
      await running.ended;
      expect((await home.run('uninstall')).code).toBe(0);
      expect(home.tree()).toEqual(before);
    }
  });
});

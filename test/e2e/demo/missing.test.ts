import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { environment, temporaryFolder } from '../support/program.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The built program as npm installs it, with everything that it depends on, and these packages of ours. */
function installed(ours: readonly string[]): string {
  const folder = join(temporaryFolder(), 'node_modules');
  const program = join(folder, 'infold');
  for (const part of ['bin', 'package.json', 'dist']) {
    cpSync(join(root, 'packages/server', part), join(program, part), { recursive: true });
  }
  const link = (from: string, name: string) => symlinkSync(from, join(folder, name), 'junction');
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (!['infold', '@infold', '.bin'].includes(name)) link(join(root, 'node_modules', name), name);
  }
  mkdirSync(join(folder, '@infold'));
  for (const name of ours) link(join(root, 'packages', name), `@infold/${name}`);
  return join(program, 'bin/infold.mjs');
}

function runDemo(program: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'demo', ...args], {
    env: environment(),
    encoding: 'utf8',
  });
  return { code: status, stdout, stderr };
}

const NEEDED = ['client', 'protocol', 'scrub'];
const MISSING = 'The demo needs a package that is not installed: npm install @infold/demo';

describe('where @infold/demo is not installed', () => {
  const program = installed(NEEDED);

  test.each([[[]], [['--model', 'any']]])('one line says what to install (%j)', (args) => {
    expect(runDemo(program, ...args)).toEqual({ code: 1, stdout: '', stderr: `infold: ${MISSING}\n` });
  });

  test('and with --json one document does', () => {
    const { code, stdout, stderr } = runDemo(program, '--json');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(JSON.parse(stderr)).toEqual({ error: MISSING, code: 'unsupported', retryable: false });
  });
});

test('once it is installed beside the program, the demo runs', () => {
  const { code, stdout, stderr } = runDemo(installed([...NEEDED, 'demo']), '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({ ways: expect.any(Array) });
});

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { environment, temporaryFolder } from '../support/program.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The built program as npm installs it, with all that it depends on but `pg`. */
function installWithoutPostgres(): string {
  const modules = join(temporaryFolder(), 'node_modules');
  const program = join(modules, 'infold');
  for (const part of ['bin', 'dist', 'package.json']) {
    cpSync(join(root, 'packages/server', part), join(program, part), { recursive: true });
  }
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name === 'infold' || name.startsWith('.') || /^pg(-|$)/.test(name)) continue;
    if (name.startsWith('@')) {
      mkdirSync(join(modules, name));
      for (const inner of readdirSync(join(root, 'node_modules', name)))
        symlinkSync(join(root, 'node_modules', name, inner), join(modules, name, inner));
    } else symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  return join(program, 'bin/infold.mjs');
}

test('a source in PostgreSQL says what to install where the package that reads it is missing', async () => {
  const folder = temporaryFolder();
  const records = join(folder, 'notes.jsonl');
  writeFileSync(records, '{"id": 1, "text": "here"}\n');
  const config = join(folder, 'infold.config.json');
  const sources = {
    order: { type: 'postgres', url: 'postgres://localhost:1/shop', table: 'orders' },
    note: { type: 'jsonl', path: records },
  };
  writeFileSync(config, JSON.stringify({ sources }));
  const words = [installWithoutPostgres(), '--data', join(folder, 'data'), '--config', config, 'records'];
  const { stdout, stderr } = spawnSync(process.execPath, words, { env: environment(), encoding: 'utf8' });
  const lines = (stdout + stderr).split('\n').filter((line) => line.includes('npm install pg'));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('order');
  expect(stdout).toContain('note');
});

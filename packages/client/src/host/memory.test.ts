import { appendFileSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FileMemory } from './memory.ts';
import type { WindowLine } from './window.ts';

let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'infold-host-'));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const line: WindowLine = {
  ...{ at: 1, digest: 'abc', messages: 3, prompt: 'a/b true', saved: 4, sent: 20 },
  decisions: [],
};
const folder = () => join(data, 'plugins', 'pi');

test('a session goes on with what was written down, in a file for its owner alone', () => {
  new FileMemory(data, 'pi').append('ses_1', line);
  new FileMemory(data, 'pi').append('ses_1', { ...line, at: 2 });
  expect(new FileMemory(data, 'pi').read('ses_1')).toEqual([line, { ...line, at: 2 }]);
  expect(new FileMemory(data, 'pi').read('ses_2')).toEqual([]);
  expect(statSync(join(folder(), 'ses_1.jsonl')).mode & 0o077).toBe(0);
});

test('a line that was cut off is left out', () => {
  const memory = new FileMemory(data, 'pi');
  memory.append('ses_1', line);
  appendFileSync(join(folder(), 'ses_1.jsonl'), 'null\n7\n{"at":2,"dig');
  expect(memory.read('ses_1')).toEqual([line]);
  expect(memory.said('ses_1')).toEqual([]);
});

test('what was said stands beside what was decided', () => {
  const memory = new FileMemory(data, 'pi');
  memory.addSaid('ses_1', { text: 'One rule is in force.' });
  memory.append('ses_1', line);
  memory.addSaid('ses_1', { text: '', after: 'msg_8' });
  expect(memory.read('ses_1')).toEqual([line]);
  expect(memory.said('ses_1')).toEqual([{ text: 'One rule is in force.' }, { text: '', after: 'msg_8' }]);
});

test('a session may have any name', () => {
  const memory = new FileMemory(data, 'pi');
  for (const name of ['../../escape', 'a/b', `${'x'.repeat(300)}`]) {
    memory.append(name, line);
    expect(memory.read(name)).toEqual([line]);
  }
  expect(readdirSync(data)).toEqual(['plugins']);
  expect(readdirSync(folder())).toHaveLength(3);
});

test('what nobody went on with for a month goes', () => {
  const memory = new FileMemory(data, 'pi');
  memory.append('old', line);
  memory.append('new', line);
  const then = new Date(Date.now() - 31 * 24 * 60 * 60 * 1000);
  utimesSync(join(folder(), 'old.jsonl'), then, then);
  memory.read('new');
  expect(readdirSync(folder())).toEqual(['new.jsonl']);
});

test('without a data folder nothing is written', () => {
  rmSync(data, { recursive: true });
  new FileMemory(data, 'pi').append('ses_1', line);
  expect(statSync(data, { throwIfNoEntry: false })).toBeUndefined();
});

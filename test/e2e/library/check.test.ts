import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run, temporaryFolder } from '../support/program.ts';

const check = (folder: string, ...more: string[]) => {
  const data = join(temporaryFolder(), 'none');
  return run(['--data', data, 'library', 'check', folder, ...more]).then((answer) => {
    // It reads a folder, and nothing else.
    expect(existsSync(data)).toBe(false);
    return answer;
  });
};

test('library check prints a line for each finding, and a script sees by the exit code whether one is an error', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'RULE.md');
  writeFileSync(file, '## Logs\n\n- Log errors properly.\n');
  const warned = await check(folder);
  expect(warned).toMatchObject({ code: 0 });
  expect(warned.stdout).toMatch(
    /^RULE\.md:3: warning: "properly" .* \[vague-wording\]\n1 files, 1 constraints/,
  );
  expect(await check(folder, '--strict')).toMatchObject({ code: 4 });
  writeFileSync(file, '## Logs\n\nSee [the list](LIST.md).\n');
  const json = await check(folder, '--format', 'json');
  expect(json.code).toBe(4);
  expect(JSON.parse(json.stdout)).toEqual({
    ...{ files: 1, constraints: 1 },
    findings: [
      {
        ...{ check: 'dead-link', level: 'error', path: 'RULE.md', line: 3 },
        message: expect.stringContaining('LIST.md'),
      },
    ],
  });
  const { code, stdout } = await check(folder, '--format', 'sarif');
  expect(code).toBe(4);
  expect(JSON.parse(stdout)).toMatchObject({
    version: '2.1.0',
    runs: [
      {
        results: [
          {
            ruleId: 'dead-link',
            level: 'error',
            locations: [
              { physicalLocation: { artifactLocation: { uri: 'RULE.md' }, region: { startLine: 3 } } },
            ],
          },
        ],
      },
    ],
  });
  expect(await check(folder, '--format', 'xml')).toMatchObject({ code: 2 });
  expect(await check(join(folder, 'none'))).toMatchObject({ code: 2 });
});

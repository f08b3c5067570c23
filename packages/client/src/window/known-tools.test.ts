import { describe, expect, test } from 'vitest';
import { hasFailed, isIncomplete, isReadStub, type ToolUse, toolUseOf } from './known-tools.ts';

const read = (file: string, from = 1, to = Number.POSITIVE_INFINITY): ToolUse => ({
  kind: 'read',
  file,
  from,
  to,
});
const command = (line: string): ToolUse => ({ kind: 'command', command: line });
const SHOW: ToolUse = { kind: 'show' };

describe("a host's own tools", () => {
  test.each<[string, unknown, ToolUse | undefined]>([
    // Claude Code
    ['Read', { file_path: '/a.ts' }, read('/a.ts', 1, 2000)],
    ['Read', { file_path: '/a.ts', offset: 11, limit: 20 }, read('/a.ts', 11, 30)],
    ['Read', { file_path: '/a.ts', offset: 0, limit: 20 }, read('/a.ts', 1, 20)],
    ['Read', { file_path: '/a.pdf', pages: '1-3' }, SHOW],
    ['Read', { file_path: '/a.ts', offset: '11' }, SHOW],
    ['Read', { file_path: '/a.ts', offset: -5 }, SHOW],
    ['Read', { path: '/a.ts' }, SHOW],
    ['Write', { file_path: '/a.ts', content: '' }, { kind: 'write', file: '/a.ts', text: '' }],
    ['Write', { file_path: '/a.ts' }, undefined],
    ['Edit', { file_path: '/a.ts', old_string: 'a', new_string: 'b' }, { kind: 'edit', file: '/a.ts' }],
    ['MultiEdit', { file_path: '/a.ts', edits: [] }, { kind: 'edit', file: '/a.ts' }],
    ['NotebookEdit', { notebook_path: '/a.ipynb' }, { kind: 'edit', file: '/a.ipynb' }],
    ['Bash', { command: 'npm test' }, command('npm test')],
    ['Bash', {}, undefined],
    ['Grep', { pattern: 'x' }, { kind: 'search' }],
    ['Glob', { pattern: '**' }, { kind: 'list' }],
    ['LS', { path: '/' }, { kind: 'list' }],
    // Codex
    ['shell', { command: ['bash', '-lc', 'npm test | tail -5'] }, command('npm test | tail -5')],
    ['shell', { command: ['grep', '-rn', 'a b', 'src'] }, command("grep -rn 'a b' src")],
    ['shell_command', { command: 'npm test', workdir: '/app' }, command('cd /app && npm test')],
    ['exec_command', { cmd: 'npm test' }, command('npm test')],
    ['local_shell', { action: { type: 'exec', command: ['ls', '-R'] } }, command('ls -R')],
    ['shell', { command: ['powershell.exe', '-NoProfile', '-Command', 'Get-Content a.txt'] }, SHOW],
    ['shell', { command: [] }, undefined],
    [
      'apply_patch',
      '*** Begin Patch\n*** Update File: a.ts\n@@\n-a\n+b\n*** End Patch',
      { kind: 'edit', file: 'a.ts' },
    ],
    [
      'apply_patch',
      { input: '*** Begin Patch\n*** Add File: a.ts\n+b\n*** Update File: b.ts\n*** End Patch' },
      { kind: 'edit', file: 'a.ts', others: ['b.ts'] },
    ],
    // Gemini CLI and Qwen Code
    ['read_file', { file_path: 'a.ts' }, read('a.ts', 1, 2000)],
    ['read_file', { file_path: 'a.ts', start_line: 5, end_line: 9 }, read('a.ts', 5, 9)],
    ['read_file', { absolute_path: '/a.ts', offset: 10, limit: 5 }, read('/a.ts', 11, 15)],
    ['write_file', { file_path: 'a.ts', content: 'x' }, { kind: 'write', file: 'a.ts', text: 'x' }],
    ['replace', { file_path: 'a.ts' }, { kind: 'edit', file: 'a.ts' }],
    ['edit', { file_path: 'a.ts' }, { kind: 'edit', file: 'a.ts' }],
    ['run_shell_command', { command: 'npm test', directory: 'app' }, command('cd app && npm test')],
    ['search_file_content', { pattern: 'x' }, { kind: 'search' }],
    ['grep_search', { pattern: 'x' }, { kind: 'search' }],
    ['list_directory', { path: '.' }, { kind: 'list' }],
    ['read_many_files', { include: ['*.md'] }, SHOW],
    // OpenCode and Pi
    ['read', { filePath: '/a.ts', offset: 5, limit: 5 }, read('/a.ts', 5, 9)],
    ['read', { path: 'a.ts' }, read('a.ts', 1, 2000)],
    ['write', { filePath: '/a.ts', content: 'x' }, { kind: 'write', file: '/a.ts', text: 'x' }],
    ['edit', { path: 'a.ts', oldText: 'x' }, { kind: 'edit', file: 'a.ts' }],
    ['bash', { command: 'npm test' }, command('npm test')],
    ['find', { pattern: '*.ts' }, { kind: 'list' }],
    ['ls', {}, { kind: 'list' }],
    // The filesystem server
    ['read_text_file', { path: 'a.ts', head: 10 }, read('a.ts', 1, 10)],
    ['read_text_file', { path: 'a.ts', tail: 10 }, SHOW],
    ['mcp__filesystem__read_file', { path: 'a.ts' }, read('a.ts')],
    ['mcp_filesystem_read_text_file', { path: 'a.ts' }, read('a.ts')],
    ['filesystem_edit_file', { path: 'a.ts', edits: [] }, { kind: 'edit', file: 'a.ts' }],
    ['mcp__filesystem__search_files', { path: '.', pattern: 'x' }, { kind: 'list' }],
    // Of others
    ['mcp__other__bash', { command: 'npm test' }, undefined],
    ['mcp__code__get_file_contents', { path: 'a.json' }, SHOW],
    ['mcp__notes__read', { id: 1 }, SHOW],
    ['WebSearch', { query: 'x' }, undefined],
    ['Read', null, SHOW],
    ['toString', {}, undefined],
  ])('%s %j', (name, input, use) => {
    expect(toolUseOf(name, input)).toEqual(use);
  });
});

test.each<[string, ToolUse]>([
  ['cat a.ts', read('a.ts')],
  ["cat 'my file.ts' 2>/dev/null", read('my file.ts')],
  ['cd app && cat /app/a.ts', read('/app/a.ts')],
  ['cd app && cat a.ts', SHOW],
  ['bash -lc "cat a.ts"', read('a.ts')],
  ['cat a.ts b.ts', SHOW],
  ['cat *.ts', SHOW],
  ['cat $FILE', SHOW],
  ['cat -n a.ts', SHOW],
  ['cat ~/a.ts', SHOW],
  ['cat a.ts | head -50', SHOW],
  ['/bin/cat a.ts; ls', SHOW],
  ['head -20 a.ts', SHOW],
  ['tail -n +5 a.ts', SHOW],
  ["sed -n '1,200p' a.ts", SHOW],
  ['nl -ba a.ts', SHOW],
  ['awk 1 a.ts', SHOW],
  ['bat a.ts', SHOW],
  ['less a.ts', SHOW],
  ['more a.ts', SHOW],
  ['type a.ts', SHOW],
  ['Get-Content a.ts', SHOW],
  ['jq . package.json', SHOW],
  ['LANG=C sudo cat a.ts b.ts', SHOW],
  ['find . -name x -exec cat {} +', SHOW],
  ['ls | xargs head -5', SHOW],
  ['for f in *.ts; do cat $f; done', SHOW],
  ['git show HEAD:a.ts', SHOW],
  ['git blame a.ts', SHOW],
  ['python3 -c "print(open(1))"', SHOW],
  ['node <<EOF\nread()\nEOF', SHOW],
  ["grep -n '' a.ts", SHOW],
  ['npm test && cat log.txt', SHOW],
  ['echo "$(cat a.json)"', SHOW],
  ['printf %s `cat a.json`', SHOW],
  ['sudo -u app cat a.ts b.ts', SHOW],
  ['timeout -s KILL 5 cat a.ts b.ts', SHOW],
  ['docker exec shelf cat /a.json', SHOW],
  ['ssh host cat /a.json', SHOW],
  ['ssh host "cat /a.json"', SHOW],
  ["ls | xargs -I{} sh -c 'cat {}'", SHOW],
  ['docker logs --tail 100 shelf', command('docker logs --tail 100 shelf')],
  ['git commit -m "$(cat message)"', command('git commit -m "$(cat message)"')],
  ['npm test 2>&1 | tail -50', command('npm test 2>&1 | tail -50')],
  ['npm run cat', command('npm run cat')],
  ['git show HEAD', command('git show HEAD')],
  ['grep -rn cat src', command('grep -rn cat src')],
  ["cat > a.ts <<'EOF'\ncat b.ts\nEOF\nnpm test", command("cat > a.ts <<'EOF'\ncat b.ts\nEOF\nnpm test")],
  ['echo "cat a.ts"', command('echo "cat a.ts"')],
  ['# cat a.ts\nls', command('# cat a.ts\nls')],
])('the command %s', (line, use) => {
  expect(toolUseOf('Bash', { command: line })).toEqual(use);
});

test('a file that a command shows is the one in the folder that the call names', () => {
  expect(toolUseOf('exec_command', { cmd: 'cat a.ts', workdir: '/app/' })).toEqual(read('/app/a.ts'));
  expect(toolUseOf('exec_command', { cmd: 'cat ../a.ts', workdir: '/app' })).toEqual(SHOW);
  expect(toolUseOf('exec_command', { cmd: 'cat a.ts', workdir: 'app' })).toEqual(SHOW);
  expect(toolUseOf('exec_command', { cmd: 'cd x && cat a.ts', workdir: '/app' })).toEqual(SHOW);
  expect(toolUseOf('exec_command', { cmd: 'cat /app/a.ts', workdir: '/app' })).toEqual(read('/app/a.ts'));
});

test('an odd command line ends, whatever it holds', () => {
  for (const part of ["'", '"', '\\', '<<A\n', '$(', '|', '>', '#', '& ', 'bash -c "']) {
    expect(toolUseOf('Bash', { command: part.repeat(100_000) })?.kind ?? 'none').toMatch(/command|show|none/);
  }
});

test('what hosts write instead of a file that did not change', () => {
  expect(isReadStub('[File big.txt unchanged since last read; its content is above.]')).toBe(true);
  expect(
    isReadStub('File unchanged since last read. The content from the earlier Read is still current.'),
  ).toBe(true);
  expect(isReadStub('Wasted call — file unchanged since your last Read. Refer to that earlier result.')).toBe(
    true,
  );
  expect(isReadStub('<system-reminder>File unchanged since last read')).toBe(true);
  expect(isReadStub('     1\tconst text = "File unchanged since last read";')).toBe(false);
  expect(isReadStub(`File ${'x'.repeat(5000)} unchanged since last read`)).toBe(false);
});

test('what hosts write when they did less than was asked for', () => {
  expect(
    isIncomplete(
      "00937| x\n\n(File has more lines. Use 'offset' parameter to read beyond line 937)\n</file>",
    ),
  ).toBe(true);
  expect(
    isIncomplete(
      `${'x\n'.repeat(900)}[Showing lines 1-900 of 4000 (50KB limit). Use offset=901 to continue.]`,
    ),
  ).toBe(true);
  expect(isIncomplete('Error: File not found: /app/a.ts')).toBe(true);
  expect(isIncomplete('     1\tconst text = "Error: File not found";')).toBe(false);
  expect(isIncomplete(`a\n${'x\n'.repeat(900)}the end of the file`)).toBe(false);
});

test.each<[string, boolean, string | undefined, boolean | undefined]>([
  ['anything', true, undefined, true],
  ['Exit code 2\nno such thing', false, 'Bash', true],
  ['all is well', false, 'Bash', false],
  ['Command running in background with ID: b1', false, 'Bash', undefined],
  ['all is well', false, 'bash', undefined],
  [
    'Chunk ID: 0a1\nWall time: 0.05 seconds\nProcess exited with code 0\nOutput:\nExit code: 3',
    false,
    'exec_command',
    false,
  ],
  [
    'Chunk ID: 0a1\nWall time: 0.05 seconds\nProcess exited with code 101\nOutput:\n',
    false,
    'exec_command',
    true,
  ],
  [
    'Chunk ID: 0a1\nWall time: 9 seconds\nProcess running with session ID 4\nOutput:\n',
    false,
    'exec_command',
    undefined,
  ],
  ['Exit code: 1\nWall time: 0.1 seconds\nOutput:\nx', false, 'shell_command', true],
  ['Exit code: 0\nWall time: 0.1 seconds\nOutput:\nx', false, 'shell_command', false],
  [JSON.stringify({ output: 'x', metadata: { exit_code: 1, duration_seconds: 0.1 } }), false, 'shell', true],
  [
    JSON.stringify({ output: '"exit_code": 1', metadata: { exit_code: 0, duration_seconds: 0.1 } }),
    false,
    'shell',
    false,
  ],
  [
    'Command: x\nOutput: y\nError: (none)\nExit Code: 1\nSignal: (none)\nProcess Group PGID: 5',
    false,
    'run_shell_command',
    true,
  ],
  [
    'Command: x\nOutput: y\nError: (none)\nExit Code: 0\nSignal: (none)\nProcess Group PGID: 5',
    false,
    'run_shell_command',
    false,
  ],
  ['Output: y\nExit Code: 2\nProcess Group PGID: 5', false, 'run_shell_command', true],
  ['Output: y\nProcess Group PGID: 5', false, 'run_shell_command', false],
  ['x\n\nCommand exited with code 1', false, 'bash', true],
  [
    'x\n\n<bash_metadata>\nbash tool terminated command after exceeding timeout 1000 ms\n</bash_metadata>',
    false,
    'bash',
    true,
  ],
  ['the program said: Exit code: 1\nand went on', false, 'bash', undefined],
  ['a\n'.repeat(50_000), false, 'bash', undefined],
])('whether a command failed: %j', (text, isError, name, failed) => {
  expect(hasFailed(text, isError, name)).toBe(failed);
});

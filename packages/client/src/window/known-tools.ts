import { commandOf, type Stage, stagesOf } from './shell.ts';

/** What a call of a host's own tool does. */
export type ToolUse =
  /** Lines from 1, both inclusive; Infinity is the end of the file. */
  | { kind: 'read'; file: string; from: number; to: number }
  /** Shows something of a file, or of several, and it is not certain what: it is as good as a read, and stays as it is. */
  | { kind: 'show' }
  /** The text is the whole new content. */
  | { kind: 'write'; file: string; text: string }
  /** `others`: what else the same patch changes. */
  | { kind: 'edit'; file: string; others?: readonly string[] }
  /** As a line of a shell, with the folder in front where the call names one: `cd app && npm test`. */
  | { kind: 'command'; command: string }
  | { kind: 'search' }
  /** Names of files. */
  | { kind: 'list' };

type Input = Readonly<Record<string, unknown>>;
type Reader = (input: Input) => ToolUse | undefined;

/** As many lines as hosts read when a call does not say how many. */
const READ_LINES = 2_000;

const SHOW: ToolUse = { kind: 'show' };

function textOf(input: Input, ...keys: string[]): string | undefined {
  for (const key of keys) {
    const value = input[key];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

/** A line number or a number of lines; undefined when there is none, NaN when it is something else. */
function numberOf(input: Input, key: string): number | undefined {
  const value = input[key];
  if (value === undefined || value === null) return undefined;
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : Number.NaN;
}

function range(file: string | undefined, from: number, to: number): ToolUse | undefined {
  if (file === undefined) return undefined;
  // What is odd is not certain: from behind the end, by pages, before the first line.
  return from >= 1 && to >= from ? { kind: 'read', file, from, to } : SHOW;
}

/** `offset` and `limit`, where `first` is the offset of the first line. */
function readLines(keys: string[], first: 0 | 1): Reader {
  return (input) => {
    const file = textOf(input, ...keys);
    if (file !== undefined && textOf(input, 'pages', 'mode')) return SHOW;
    // Hosts that count from 1 take 0 for the first line.
    const from = Math.max(1, (numberOf(input, 'offset') ?? first) + (1 - first));
    return range(file, from, from + (numberOf(input, 'limit') ?? READ_LINES) - 1);
  };
}

/** Gemini CLI names lines, Qwen Code counts them from 0, the filesystem server takes a head or a tail. */
const readFile: Reader = (input) => {
  if (textOf(input, 'path')) return readHead(input);
  if (!('start_line' in input) && !('end_line' in input))
    return readLines(['file_path', 'absolute_path'], 0)(input);
  const from = numberOf(input, 'start_line') ?? 1;
  return range(
    textOf(input, 'file_path', 'absolute_path'),
    from,
    numberOf(input, 'end_line') ?? from + READ_LINES - 1,
  );
};

const readHead: Reader = (input) => {
  const tail = numberOf(input, 'tail');
  if (tail !== undefined) return SHOW;
  return range(textOf(input, 'path'), 1, numberOf(input, 'head') ?? Number.POSITIVE_INFINITY);
};

function write(...keys: string[]): Reader {
  return (input) => {
    const file = textOf(input, ...keys);
    const text = input.content;
    return file !== undefined && typeof text === 'string' ? { kind: 'write', file, text } : undefined;
  };
}

function edit(...keys: string[]): Reader {
  return (input) => {
    const file = textOf(input, ...keys);
    return file === undefined ? undefined : { kind: 'edit', file };
  };
}

const patch: Reader = (input) => {
  const text = textOf(input, 'input', 'patch', 'patchText');
  if (text === undefined) return undefined;
  const named = text.matchAll(/^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm);
  const [file, ...others] = new Set(Array.from(named, (match) => match[1]!.trim()));
  if (file === undefined) return undefined;
  return others.length === 0 ? { kind: 'edit', file } : { kind: 'edit', file, others };
};

const run: Reader = (input) => {
  const action = input.action;
  const given = isRecord(action) ? action : input;
  const line = commandOf(given.command ?? given.cmd);
  if (line === undefined || line.trim() === '') return undefined;
  return commandUse(line, textOf(given, 'workdir', 'working_directory', 'directory', 'dir_path', 'cwd'));
};

const search: Reader = () => ({ kind: 'search' });
const list: Reader = () => ({ kind: 'list' });
const show: Reader = () => SHOW;

/** Names are exact: `Read` is Claude Code's, `read` OpenCode's or Pi's. The arguments tell hosts with the same names apart. */
const TOOLS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  // Claude Code
  ['Read', readLines(['file_path'], 1)],
  ['Write', write('file_path')],
  ['Edit', edit('file_path')],
  ['MultiEdit', edit('file_path')],
  ['NotebookEdit', edit('notebook_path')],
  ['NotebookRead', show],
  ['Bash', run],
  ['Grep', search],
  ['Glob', list],
  ['LS', list],
  // Codex
  ['shell', run],
  ['shell_command', run],
  ['exec_command', run],
  ['local_shell', run],
  ['local_shell_call', run],
  ['apply_patch', patch],
  ['grep_files', search],
  ['list_dir', list],
  ['view_image', show],
  // Gemini CLI, Qwen Code
  ['read_file', readFile],
  ['read_many_files', show],
  ['write_file', write('file_path', 'path')],
  ['replace', edit('file_path')],
  ['run_shell_command', run],
  ['search_file_content', search],
  ['grep_search', search],
  // OpenCode, Pi
  ['read', readLines(['filePath', 'path', 'file_path'], 1)],
  ['write', write('filePath', 'path', 'file_path')],
  ['edit', edit('filePath', 'path', 'file_path')],
  ['multiedit', edit('filePath')],
  ['patch', patch],
  ['bash', run],
  ['grep', search],
  ['glob', list],
  ['list', list],
  ['find', list],
  ['ls', list],
  // The filesystem server of the MCP project
  ['read_text_file', readHead],
  ['read_multiple_files', show],
  ['read_media_file', show],
  ['edit_file', edit('path', 'file_path')],
  ['list_directory', list],
  ['list_directory_with_sizes', list],
  ['directory_tree', list],
  ['search_files', list],
]);

/** How hosts write the filesystem server's name before its tools' names. */
const FILESYSTEM = /^(?:mcp__?)?(?:server[-_])?filesystem(?:__|_|\.|\/)(\w+)$/;
const FILESYSTEM_TOOLS =
  /^(?:read_(?:text_|multiple_|media_)?files?|write_file|edit_file|list_directory(?:_with_sizes)?|directory_tree|search_files)$/;

/** A tool of whatever server that by its name gives the content of a file. Wrongly taken for one, it only stays as it is. */
const SHOWS_FILES =
  /(?:read|view|open|show|cat|get|fetch|load|str_replace).*(?:file|source|content|resource|document|editor|edit_tool|symbol|memory)|(?:^|_)(?:read|view|cat)$/i;

/** What a call does, by the tool's exact name and the form of its arguments; undefined for what nobody here knows. */
export function toolUseOf(name: string, input: unknown): ToolUse | undefined {
  // Codex gives a patch as the bare text.
  const given: Input = isRecord(input) ? input : typeof input === 'string' ? { input } : {};
  const served = FILESYSTEM.exec(name)?.[1];
  if (served !== undefined && FILESYSTEM_TOOLS.test(served)) return TOOLS.get(served)!(given) ?? SHOW;
  const known = TOOLS.get(name)?.(given);
  return known ?? (SHOWS_FILES.test(name) ? SHOW : undefined);
}

function isRecord(value: unknown): value is Input {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const FILE_SHOWING = new Set(
  (
    'cat tac head tail sed awk gawk mawk nl bat batcat less more type Get-Content gc jq yq xxd od hexdump strings cut sort ' +
    'uniq fold fmt pr column rev paste zcat gzcat bzcat xzcat gunzip base64 glow mdcat pygmentize highlight'
  ).split(' '),
);
/** Programs that run another one, here or elsewhere. */
const PASSING_ON =
  /^(?:xargs|find|fd|ssh|docker|podman|docker-compose|kubectl|wsl|parallel|watch|script|su|runuser|chroot|nsenter)$/;
/** Programs that run what stands in their words: that may read a file. */
const SCRIPTED = /^(?:python[\d.]*|node|deno|bun|ruby|perl|php|lua|Rscript|osascript)$/;
const SCRIPT_OPTION = /^(?:-\w*[cenpr]|--eval|--print|eval|-)$/;

function showsFile({ program, words, isFed, isSaved }: Stage): boolean {
  if (isSaved) return false;
  if (PASSING_ON.test(program)) return words.some((word) => FILE_SHOWING.has(/^[^\s;|&]*/.exec(word)![0]));
  if (/^(?:echo|printf|print)$/.test(program)) return words.some((word) => /\$\(|`/.test(word));
  if (SCRIPTED.test(program)) return isFed || words.some((word) => SCRIPT_OPTION.test(word));
  if (isFed) return false;
  if (program === 'git') {
    if (words.some((word) => word === 'blame' || word === 'annotate' || word === 'cat-file')) return true;
    return words.includes('show') && words.some((word) => !word.startsWith('-') && word.includes(':'));
  }
  if (/^(?:[ef]?grep|rg|ag)$/.test(program)) {
    // A pattern that every line matches.
    const pattern = words.find((word) => !/^-|^\d+$/.test(word));
    return words.includes('--passthru') || /^(?:|\.|\^|\$|\.\*)$/.test(pattern ?? '-');
  }
  return FILE_SHOWING.has(program);
}

const ABSOLUTE = /^(?:\/|[A-Za-z]:[\\/])/;

/** Undefined where it takes more than the two names to know which file it is. */
function within(directory: string | undefined, file: string): string | undefined {
  if (directory === undefined) return file;
  return ABSOLUTE.test(directory) && !file.startsWith('.')
    ? `${directory.replace(/[\\/]$/, '')}/${file}`
    : undefined;
}

function commandUse(line: string, directory: string | undefined): ToolUse {
  const stages = inner(stagesOf(line));
  const shown = stages.filter((stage) => stage.program !== 'cd' && stage.program !== 'pushd');
  if (shown.some(showsFile)) {
    const [only] = shown;
    const file = only?.words[0];
    const isCertain =
      shown.length === 1 &&
      only!.program === 'cat' &&
      only!.words.length === 1 &&
      only!.isPlain &&
      !file!.startsWith('-');
    if (!isCertain || file === undefined) return SHOW;
    // In another folder the same name is another file.
    const path = ABSOLUTE.test(file) ? file : stages.length > 1 ? undefined : within(directory, file);
    if (path === undefined) return SHOW;
    return { kind: 'read', file: path, from: 1, to: Number.POSITIVE_INFINITY };
  }
  return { kind: 'command', command: directory === undefined ? line : `cd ${directory} && ${line}` };
}

/** `bash -lc "…"` runs what stands in the quotes. */
export function inner(stages: Stage[]): Stage[] {
  return stages.flatMap((stage) => {
    if (stage.program !== 'eval' && !/^(?:ba|z|da|k)?sh$/.test(stage.program)) return stage;
    const line = commandOf([stage.program, ...stage.words]);
    return line !== undefined && line === stage.words.at(-1) ? stagesOf(line) : stage;
  });
}

/** The sentences with which hosts spare themselves sending a file again: then the model needs the earlier read. */
const READ_STUB =
  /^\s*(?:<[\w-]+>\s*)?\[?(?:File (?:\S.{0,1000} )?(?:is )?unchanged since (?:the |your )?last read|Wasted call\b|File has not changed since)/i;

/** Whether a host's result of a read only says that the file is as the model has seen it. */
export function isReadStub(text: string): boolean {
  return text.length < 4_000 && READ_STUB.test(text);
}

const CUT_SHORT =
  /(?:^|[\s([<])(?:File has more lines\. Use|Output (?:capped|truncated) at|Showing lines \d+-\d+ of \d+|The file content has been truncated|IMPORTANT: The file content|PARTIAL view|\d+ more lines in file|(?:lines|characters|tokens|chars) truncated|truncated output|(?:output|file content) (?:was |is )?(?:too large|truncated))/i;
const REFUSED =
  /^\s*(?:<\w+>\s*)?(?:Error\b|File (?:not found|does not exist|path)|ENOENT|EACCES|EISDIR|cat: |Could not |Failed to |Cannot |Permission |Operation (?:cancel|reject)|User (?:cancel|reject|denied)|The user )/i;

/** Whether a host says that a read or a write did less than was asked for, or nothing: then it replaces no other. */
export function isIncomplete(text: string): boolean {
  const head = text.slice(0, 1_000);
  return REFUSED.test(head) || CUT_SHORT.test(head) || CUT_SHORT.test(text.slice(-1_000));
}

/** What hosts write before a command's output, each from the very start of the result. */
const FAILED_HEAD = /^(?:Error: )?Exit code:? (-?\d+)(?:\n|$)/;
const CODEX_HEAD =
  /^(?:(?:Command|Chunk ID|Wall time|Original token count|Total output lines): [^\n]*\n)*(?:Process exited with code|Exit code:) (-?\d+)(?:\n|$)/;
const CODEX_JSON = /"metadata":\s*\{\s*"exit_code":\s*(-?\d+)[^{}]*\}\s*\}\s*$/;
/** What hosts write after it. */
const GEMINI_TAIL =
  /\nExit Code: (-?\d+|\(none\))(?:\n(?:Signal|Background PIDs|Process Group PGID): [^\n]*)*\s*(?:<\/\w+>\s*)?$/;
const GEMINI_END = /\n(?:Background PIDs: [^\n]*\n)?Process Group PGID: [^\n]*\s*(?:<\/\w+>\s*)?$/;
const FAILED_TAIL =
  /(?:^|\n)(?:Command exited with code (\d+)|(?:<bash_metadata>|<shell_metadata>)\n[^<]*(?:terminated|timeout|aborted|exit code:? [1-9])[^<]*<\/\w+>|Command (?:timed out|aborted)[^\n]*)\s*$/;

const IN_BACKGROUND = /^Command (?:is )?(?:running|was|has been|did not complete)\b/;

/**
 * Whether a command failed, as its result says; undefined where nothing tells. Only what the host itself writes counts: a
 * program may print an exit code of something else.
 */
export function hasFailed(text: string, isError: boolean, name?: string): boolean | undefined {
  if (isError) return true;
  const head = text.slice(0, 2_000);
  const tail = text.slice(-2_000);
  const code =
    FAILED_HEAD.exec(head)?.[1] ??
    CODEX_HEAD.exec(head)?.[1] ??
    (head.startsWith('{') ? CODEX_JSON.exec(tail)?.[1] : undefined);
  if (code !== undefined) return Number(code) !== 0;
  const last = GEMINI_TAIL.exec(tail)?.[1];
  if (last !== undefined) return last !== '0';
  const failed = FAILED_TAIL.exec(tail);
  if (failed) return failed[1] !== '0';
  // Gemini CLI names only what is not as it should be; Claude Code marks every command that fails as an error.
  if (/^(?:<\w+>\s*)?Output: /.test(head) && GEMINI_END.test(tail))
    return /\n(?:Error|Signal): (?!\(none\))/.test(tail) ? undefined : false;
  return name === 'Bash' && !IN_BACKGROUND.test(head) ? false : undefined;
}

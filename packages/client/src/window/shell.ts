/** One program of a command line, with what it is given. */
export interface Stage {
  /** Its name without the folder and without what only starts it (`env`, `sudo`, `timeout 60`, `npx`, `python -m`). */
  program: string;
  words: readonly string[];
  /** Nothing in its words stands for something else: no variable, pattern or command. */
  isPlain: boolean;
  /** It reads what the program before it prints, or what the command line itself holds. */
  isFed: boolean;
  /** What it prints goes to a file. */
  isSaved: boolean;
}

const KEYWORDS = new Set([
  'do',
  'then',
  'else',
  'if',
  'elif',
  'while',
  'until',
  '!',
  '{',
  '(',
  'time',
  'command',
  'exec',
]);
const STARTERS = new Set([
  'sudo',
  'env',
  'nice',
  'nohup',
  'stdbuf',
  'timeout',
  'gtimeout',
  'xvfb-run',
  'npx',
  'bunx',
  'pnpx',
]);
/** `uv run pytest` and the like: the program is the third word. */
const RUNNERS =
  /^(?:uv run|poetry run|pipenv run|pdm run|hatch run|bundle exec|pnpm exec|pnpm dlx|yarn dlx|yarn exec|npm exec|rye run)$/;
const PYTHON = /^(?:python|py)[\d.]*$/;

/** Characters that make the shell put something else in a word's place. */
const EXPANDED = /[$`*?~[{]/;

interface Draft {
  words: string[];
  isPlain: boolean;
  isFed: boolean;
  isSaved: boolean;
}

/**
 * The programs that a command line runs, in order. It is read the way a POSIX shell splits it, as far as telling which program
 * runs with which words needs it; what a `$(…)` runs inside is not looked into.
 */
export function stagesOf(command: string): Stage[] {
  const stages: Stage[] = [];
  let draft: Draft = { words: [], isPlain: true, isFed: false, isSaved: false };
  let word: string | undefined;
  let redirect: '<' | '>' | '<<' | undefined;
  const heredocs: string[] = [];

  function endWord(): void {
    if (word === undefined) return;
    if (redirect === '<<') heredocs.push(word.replace(/^-/, ''));
    else if (redirect === undefined) draft.words.push(word);
    redirect = undefined;
    word = undefined;
  }
  function endStage(isPipe: boolean): void {
    endWord();
    const stage = stageOf(draft);
    if (stage) stages.push(stage);
    draft = { words: [], isPlain: true, isFed: isPipe, isSaved: false };
  }

  for (let place = 0; place < command.length; place++) {
    const character = command[place]!;
    if (character === "'") {
      const end = command.indexOf("'", place + 1);
      const stop = end < 0 ? command.length : end;
      word = (word ?? '') + command.slice(place + 1, stop);
      place = stop;
    } else if (character === '"') {
      word ??= '';
      for (place++; place < command.length && command[place] !== '"'; place++) {
        if (command[place] === '\\') place++;
        else if (command[place] === '$' || command[place] === '`') draft.isPlain = false;
        word += command[place] ?? '';
      }
    } else if (character === '\\') {
      place++;
      if (command[place] !== '\n') word = (word ?? '') + (command[place] ?? '');
    } else if (character === '#' && word === undefined) {
      const end = command.indexOf('\n', place);
      place = end < 0 ? command.length : end - 1;
    } else if (character === ' ' || character === '\t') {
      endWord();
    } else if (character === '>' || character === '<') {
      const descriptor = word !== undefined && /^[\d&]?$/.test(word) ? word : undefined;
      if (descriptor === undefined) endWord();
      word = undefined;
      const isDouble = command[place + 1] === character;
      if (isDouble) place++;
      if (command[place + 1] === '&' && /[\d-]/.test(command[place + 2] ?? '')) {
        place += 2;
      } else {
        redirect = character === '<' ? (isDouble ? '<<' : '<') : '>';
        if (character === '<') draft.isFed = true;
        else if (descriptor !== '2') draft.isSaved = true;
      }
    } else if (character === '|' || character === '&' || character === ';' || character === '\n') {
      if (character === '&' && command[place + 1] === '>') {
        word = '&';
        continue;
      }
      const isPipe = character === '|' && command[place + 1] !== '|';
      if (character !== '\n' && (command[place + 1] === character || (isPipe && command[place + 1] === '&')))
        place++;
      endStage(isPipe);
      if (character === '\n') place = afterHeredocs(command, place, heredocs);
    } else {
      if (EXPANDED.test(character)) draft.isPlain = false;
      word = (word ?? '') + character;
    }
  }
  endStage(false);
  return stages;
}

/** The last place of the texts that stand in the command line itself. */
function afterHeredocs(command: string, lineEnd: number, heredocs: string[]): number {
  let place = lineEnd;
  for (const mark of heredocs.splice(0)) {
    while (place < command.length) {
      const end = command.indexOf('\n', place + 1);
      const stop = end < 0 ? command.length : end;
      const line = command.slice(place + 1, stop);
      place = stop;
      if (line.trim() === mark) break;
    }
  }
  return place;
}

function stageOf({ words, ...rest }: Draft): Stage | undefined {
  let start = 0;
  for (; start < words.length; start++) {
    const word = words[start]!;
    if (KEYWORDS.has(word) || /^[A-Za-z_]\w*=/.test(word)) continue;
    if (STARTERS.has(word)) {
      // Their options, and the time of `timeout`, are not the program yet.
      while (/^-|^\d+[smhd]?$/.test(words[start + 1] ?? ''))
        start += /^-[ugskpUC]$/.test(words[start + 1]!) ? 2 : 1;
      continue;
    }
    if (RUNNERS.test(`${word} ${words[start + 1]}`)) {
      start++;
      continue;
    }
    if (PYTHON.test(word) && words[start + 1] === '-m') {
      start++;
      continue;
    }
    break;
  }
  const first = words[start];
  if (first === undefined) return undefined;
  const program = first
    .slice(first.search(/[^/\\]*$/))
    .replace(/^\(+/, '')
    .replace(/\.(?:exe|cmd)$/i, '');
  return { ...rest, program, words: words.slice(start + 1) };
}

const SHELL = /(?:^|[/\\])(?:ba|z|da|k)?sh(?:\.exe)?$/;
const POWERSHELL = /(?:^|[/\\])(?:pwsh|powershell)(?:\.exe)?$/i;

/** A command as one line of a shell, whether it was given as that or as a list of words. */
export function commandOf(command: unknown): string | undefined {
  if (typeof command === 'string') return command;
  if (!Array.isArray(command) || command.length === 0) return undefined;
  if (!command.every((word) => typeof word === 'string')) return undefined;
  const [program, ...rest] = command as string[];
  const last = rest.at(-1);
  if (last !== undefined && SHELL.test(program!) && rest.length >= 2 && /^-\w*c$/.test(rest.at(-2)!))
    return last;
  if (last !== undefined && POWERSHELL.test(program!) && /^-c(?:ommand)?$/i.test(rest.at(-2) ?? ''))
    return last;
  return command.map(quoted).join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

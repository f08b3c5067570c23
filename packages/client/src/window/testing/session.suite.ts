import { type Content, PUBLIC_DOMAIN } from './content.suite.ts';
import {
  branch,
  branchId,
  giveBack,
  handleOf,
  type Row,
  rollBack,
  searchPage,
  store,
} from './our-tools.suite.ts';
import { type Call, edit, read, type Script, type Step, shell, write } from './script.suite.ts';

/** Source files that traces read and change, each in its own copy. */
export const SOURCES = [
  'packages/client/src/collapse/create-collapser.ts',
  'packages/client/src/collapse/policy.ts',
  'packages/client/src/collapse/ledger.ts',
  'packages/client/src/collapse/projection.ts',
  'packages/client/src/collapse/reporter.ts',
  'packages/client/src/gateway/socket.ts',
  'packages/server/src/fold/metering.ts',
  'packages/server/src/fold/queries.ts',
  'packages/server/src/fold/actions/roll-back.ts',
  'packages/server/src/transient/marks.ts',
  'packages/server/src/kernel/pages.ts',
  'packages/protocol/src/transient.ts',
] as const;
export const DOCUMENTS = ['docs/architecture.md', 'docs/promises.md', 'docs/operations.md'] as const;

/** Writes down what happens in a conversation. Everything that looks like chance comes from the seed. */
export class Session {
  readonly steps: Step[] = [];
  readonly content: Content;
  readonly #name: string;
  readonly #files = new Map<string, string>();
  readonly #sentences: readonly string[];
  #state: number;
  #made = 0;

  constructor(name: string, seed: number, content: Content) {
    this.#name = name;
    this.#state = seed * 2654435761;
    this.content = content;
    this.#sentences = content
      .file('docs/architecture.md')
      .split(/(?<=\.)\s+/)
      .filter((sentence) => sentence.length > 60 && sentence.length < 400 && !sentence.includes('```'));
  }

  script(options: Partial<Script> = {}): Script {
    return {
      name: this.#name,
      steps: this.steps,
      prompt: {
        system: this.content.file('docs/operations.md').slice(0, 22_000),
        tool: this.content.file('docs/promises.md').slice(0, 1_500),
      },
      ...options,
    };
  }

  /** From 0 up to, not including, `end`. */
  random(end: number): number {
    this.#state = (Math.imul(this.#state ^ (this.#state >>> 15), 2246822519) + 0x9e3779b9) | 0;
    return ((this.#state ^ (this.#state >>> 13)) >>> 0) % end;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.random(items.length)]!;
  }

  prose(sentences: number): string {
    return Array.from({ length: sentences }, () => this.pick(this.#sentences)).join(' ');
  }

  person(text?: string): this {
    this.steps.push({
      do: 'person',
      text: text ?? `${this.pick(PUBLIC_DOMAIN).slice(0, 120)} — ${this.prose(1)}`,
    });
    return this;
  }

  /** The model says something and calls tools; now and then it thinks before. */
  turn(...calls: Call[]): this {
    this.steps.push({
      do: 'turn',
      ...(this.random(3) > 0 && { thinking: this.prose(1 + this.random(3)) }),
      ...((calls.length === 0 || this.random(2) === 0) && { text: this.prose(1 + this.random(2)) }),
      calls,
      milliseconds: 3_000 + this.random(20_000),
    });
    return this;
  }

  answer(): this {
    this.steps.push({ do: 'turn', text: this.prose(4), calls: [] });
    return this;
  }

  add(...steps: Step[]): this {
    this.steps.push(...steps);
    return this;
  }

  idle(minutes: number): this {
    return this.add({ do: 'idle', milliseconds: minutes * 60_000 });
  }

  file(path: string): string {
    return this.#files.get(path) ?? this.content.file(path);
  }

  read(path: string, from?: number, lines?: number): Call {
    return read(path, this.file(path), from, lines);
  }

  /** One line of the file becomes another. */
  edit(path: string): Call {
    const lines = this.file(path).split('\n');
    const place = this.random(lines.length);
    const after = `${lines[place]} // ${this.prose(1).slice(0, 60)}`;
    const call = edit(path, lines[place]!, after);
    lines[place] = after;
    this.#files.set(path, lines.join('\n'));
    return call;
  }

  rewrite(path: string): Call {
    const text = `${this.file(path)}\n${this.prose(6)}\n`;
    this.#files.set(path, text);
    return write(path, text);
  }

  /** A real run, with times of its own. */
  run(command: string, output: string, exit = 0): Call {
    const text = output.replaceAll(/\b\d+ms\b/g, () => `${this.random(90)}ms`);
    return shell(command, text, exit);
  }

  /** Each command with what it really says, whole: what a reporter prints decides what can be left out of it. */
  tests(passes: boolean, isVerbose = false): Call {
    const output = `vitest-${isVerbose ? 'verbose-' : ''}${passes ? 'pass' : 'fail'}` as const;
    const command = `npx vitest run --project unit packages/client/src${isVerbose ? ' --reporter=verbose' : ''}`;
    return this.run(command, this.content.output(output), passes ? 0 : 1);
  }

  /** A stretch of a long output. */
  slice(text: string, characters: number): string {
    const from = this.random(Math.max(1, text.length - characters));
    const begin = text.indexOf('\n', from) + 1;
    return text.slice(begin, text.lastIndexOf('\n', begin + characters));
  }

  /** The changes of some files. */
  diff(files: number): string {
    const all =
      this.content.output('git-diff') +
      this.content.output('git-show').replace(/^[\s\S]*?(?=diff --git)/, '');
    const changes = all.split(/^(?=diff --git)/m);
    return Array.from({ length: files }, () => this.pick(changes)).join('');
  }

  rows(page: number, count: number): Row[] {
    return Array.from({ length: count }, (_, index) => ({
      id: page * 1000 + index,
      title: this.prose(1).slice(0, 80),
      status: this.pick(['open', 'done', 'blocked']),
      minutes: this.random(240),
      note: this.prose(1),
    }));
  }

  /** Pages of records one after the other, and what was found in them. */
  records(pages: number, rows: number): this {
    const set = `${this.#name}.${this.#made++}`;
    const handles = Array.from({ length: pages }, (_, page) => handleOf(`${set}.${page}`));
    for (const [page, handle] of handles.entries())
      this.turn(searchPage(handle, 'activity', page + 1, pages, this.rows(page, rows)));
    return this.turn(store(set, [this.prose(2), this.prose(1)], handles));
  }

  find(): this {
    return this.add({
      do: 'find',
      tools: [
        'context_branch',
        'context_return',
        'context_rollback',
        'search_records',
        'store_analysis_memory',
      ],
    });
  }

  /** A branch, what is done in it, and its end. */
  branch(inside: () => void, end: 'return' | 'roll back' | 'open' = 'return'): this {
    const id = branchId(`${this.#name}.${this.#made++}`);
    this.find().turn(branch(id, this.prose(1).slice(0, 90), this.prose(2)));
    inside();
    if (end === 'return') this.turn(giveBack(id, this.prose(3)));
    if (end === 'roll back') this.turn(rollBack('main', [id]));
    return this;
  }
}

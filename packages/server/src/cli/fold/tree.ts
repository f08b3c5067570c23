import { styleText } from 'node:util';
import type { ContextNode } from '@infold/protocol';
import { type Branch, foldState, listBranches } from '../../fold/queries.ts';
import { sessionView } from '../../fold/views.ts';
import { contextRows, contextTree, podByName } from '../../gateway/queries.ts';
import type { Journal } from '../../journal/journal.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Config } from '../../kernel/config.ts';
import { InfoldError } from '../../kernel/errors.ts';
import { projectNames } from '../../trust/identity/queries.ts';
import { sessionNotFound } from '../../trust/sessions/errors.ts';
import { anySessionNamed, latestSessions, type Session } from '../../trust/sessions/queries.ts';
import type { Output } from '../output.ts';
import { openJournalToRead } from '../services/journal.ts';
import { untilStopped } from '../signals.ts';
import { projectsOf } from './session-projects.ts';

const BAR = 24;

const CONTEXTS = 10_000;

export async function tree(
  config: Config,
  output: Output,
  id: string | undefined,
  flags: { watch?: boolean },
): Promise<void> {
  const journal = await openJournalToRead(config, output.note);
  try {
    const find = () =>
      id === undefined ? latestSessions(journal.database, 1)[0] : anySessionNamed(journal.database, id);
    const session = find();
    if (!session)
      throw id === undefined ? new InfoldError('not_found', 'No sessions yet') : sessionNotFound(id);
    if (!flags.watch) {
      output.answer(treeValue(journal, session, config), () => drawTree(journal, session, config));
      return;
    }
    const draw = () => process.stdout.write(`\x1b[2J\x1b[H${drawTree(journal, find() ?? session, config)}\n`);
    draw();
    let pending: NodeJS.Timeout | undefined;
    const stop = journal.watch(() => {
      // Many entries can come at once; people need a picture a few times a second.
      pending ??= setTimeout(() => {
        pending = undefined;
        draw();
      }, 100);
    });
    // The watch itself does not keep the process alive.
    const alive = setInterval(() => {}, 60_000);
    await untilStopped();
    clearInterval(alive);
    clearTimeout(pending);
    stop();
  } finally {
    await journal.close();
  }
}

function treeValue(journal: Journal, session: Session, config: Config) {
  const lifetime = { now: systemClock(), lifetime: config.limits.sessionLifetime };
  const branches = listBranches(journal.database, session.id);
  const contextsOf = contextsBelow(journal, session, branches);
  const names = projectNames(journal.database);
  const childrenOf = (parent: string | null): object[] =>
    branches
      .filter((branch) => branch.parent_id === parent)
      .map((branch) => ({
        id: branch.id,
        description: branch.description,
        project: names.get(branch.project_id) ?? branch.project_id,
        status: branch.status,
        tokens: branch.tokens_folded ?? branch.tokens,
        operations: branch.operations,
        summary: branch.summary,
        contexts: contextsOf(branch.id),
        children: childrenOf(branch.id),
      }));
  return {
    session: sessionView(journal.database, session, config.contextLimit, lifetime),
    main: { tokens: foldState(journal.database, session.id).main_tokens, children: childrenOf(null) },
  };
}

/** One tree: what was reasoned in the projects' pods below a branch, besides the branches themselves. */
function contextsBelow(
  journal: Journal,
  session: Session,
  branches: readonly Branch[],
): (branch: string) => ContextNode[] {
  const { database } = journal;
  const known = new Set(branches.map(({ id }) => id));
  const tree = projectsOf(journal, session).flatMap((project) => {
    const pod = podByName(database, session.org, project);
    return pod ? contextTree(contextRows(database, pod.id, CONTEXTS).filter(({ id }) => !known.has(id))) : [];
  });
  return (branch) => tree.filter(({ parent }) => parent === branch);
}

export function drawTree(journal: Journal, session: Session, config: Config): string {
  const state = foldState(journal.database, session.id);
  const branches = listBranches(journal.database, session.id);
  const limit = config.contextLimit;
  const percent = Math.round((state.total / limit) * 100);
  const lines = [
    `${session.id}  ${state.total} of ${limit} tokens (${percent}%), ${state.folded_total} folded away`,
    `${bar(state.main_tokens, limit)} main  ${state.main_tokens}`,
  ];
  const contextsOf = contextsBelow(journal, session, branches);
  const names = projectNames(journal.database);
  /** A branch that works for another project says for which. */
  const nameOf = ({ project_id }: Branch) =>
    project_id === session.project_id ? '' : `[${names.get(project_id) ?? project_id}] `;
  const below = (
    id: string | null,
  ): { line: string; tokens: number; id: string | null; nested: ContextNode[] }[] => [
    ...(id === null ? [] : contextsOf(id)).map((context) => contextLine(context)),
    ...branches
      .filter((branch) => branch.parent_id === id)
      .map((branch) => ({
        line: nameOf(branch) + label(branch, state.active_branch_id),
        tokens: shownTokens(branch),
        id: branch.id,
        nested: [],
      })),
  ];
  const walk = (children: ReturnType<typeof below>, indent: string) => {
    for (const [index, child] of children.entries()) {
      const last = index === children.length - 1;
      lines.push(`${bar(child.tokens, limit)} ${indent}${last ? '└─' : '├─'} ${child.line}`);
      const inner = child.id === null ? child.nested.map(contextLine) : below(child.id);
      walk(inner, `${indent}${last ? '   ' : '│  '}`);
    }
  };
  walk(below(null), '');
  return lines.join('\n');
}

/** What is said in a pod takes no room in the session's window. */
function contextLine(context: ContextNode) {
  const { id, type, messages, tokens, state, children } = context;
  const line = `(${type ?? 'context'}) ${tokens} in ${messages} messages, ${state} ${id}`;
  return {
    line: process.stdout.isTTY ? styleText('magenta', line) : line,
    tokens: 0,
    id: null,
    nested: children,
  };
}

function shownTokens(branch: Branch): number {
  return branch.status === 'active' ? branch.tokens : 0;
}

function label(branch: Branch, active: string | null): string {
  const tokens = branch.tokens_folded ?? branch.tokens;
  const text = `${branch.description}  ${tokens} ${branch.status} ${branch.id}`;
  if (!process.stdout.isTTY) return branch.id === active ? `${text} *` : text;
  if (branch.id === active) return styleText('bold', `${text} *`);
  return branch.status === 'active' ? text : styleText('dim', text);
}

function bar(tokens: number, limit: number): string {
  const filled = Math.min(BAR, Math.ceil((tokens / limit) * BAR));
  return '█'.repeat(filled) + '░'.repeat(BAR - filled);
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InfoldError } from '../../kernel/errors.ts';
import { countTokens } from '../../kernel/tokens/count.ts';
import type { FileValidator } from '../commands/publish.ts';
import { locateConstraints } from '../files/constraints.ts';
import { checkContent, decodeText } from '../files/content.ts';
import { describeFile, isMetaPrompt } from '../files/describe.ts';
import { readFrontMatter } from '../files/front-matter.ts';
import { type FoundFile, scanFolder } from '../folders/scan-folder.ts';
import { contradictionsAmong, type PlacedConstraint } from './contradictions.ts';
import { type Finding, finding } from './finding.ts';
import { frontMatterProblems } from './front-matter.ts';
import { type Outline, outlineOf, problemOfLink } from './links.ts';
import { successorProblems } from './successors.ts';
import { vagueWords } from './wording.ts';

export interface CheckOptions {
  /** A file with more of them is too long. */
  mostTokens: number;
  mostBytes: number;
  /** What other doors have to say about a file. */
  validators: readonly FileValidator[];
}

export interface CheckReport {
  files: number;
  constraints: number;
  findings: Finding[];
}

interface Text extends FoundFile {
  content: string;
}

/** What is wrong with the rules, workflows and context of a folder, by file and line. Nothing is written. */
export function checkFolder(folder: string, options: CheckOptions): CheckReport {
  const { files, skipped } = scanFolder(folder);
  const findings = skipped.map(({ path, reason }) =>
    finding('unreadable', { path, line: 1 }, `Cannot be imported: ${reason}`),
  );
  if (files.length + skipped.length === 0) {
    const message = 'Holds no Markdown that would be imported: is it the right folder?';
    findings.push(finding('no-files', { path: '.', line: 1 }, message));
  }
  const texts = files.flatMap((file): Text[] => {
    const content = readContent(join(folder, file.source), options.mostBytes);
    if (typeof content === 'string') return [{ ...file, content }];
    findings.push(finding('unreadable', { path: file.source, line: 1 }, content.problem));
    return [];
  });
  const statements: PlacedConstraint[] = [];
  const outlines = outlinesOf(folder, texts);
  for (const text of texts) {
    const found = checkText(text, options);
    findings.push(...found.findings, ...deadLinks(folder, text, outlines));
    statements.push(...found.statements);
  }
  for (const { source, line, message } of successorProblems(texts)) {
    findings.push(finding('successor', { path: source, line }, message));
  }
  for (const { one, other, why } of contradictionsAmong(statements)) {
    const elsewhere = `${one.path}:${one.line} (${one.id})`;
    const message =
      why === 'opposite'
        ? `"${other.id}" and ${elsewhere} ask for opposite things`
        : `"${other.id}" says the same as ${elsewhere} with other numbers`;
    findings.push(finding('contradiction', other, message, { path: one.path, line: one.line }));
  }
  const order = (a: Finding, b: Finding) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line);
  return { files: files.length, constraints: statements.length, findings: findings.sort(order) };
}

function readContent(file: string, mostBytes: number): string | { problem: string } {
  try {
    const bytes = readFileSync(file);
    const text = decodeText(bytes);
    if (text === undefined) return { problem: 'Is not UTF-8' };
    // As an import would.
    checkContent(text, mostBytes);
    return text;
  } catch (error) {
    if (InfoldError.isInstance(error)) return { problem: `Cannot be imported: ${error.message}` };
    return { problem: `Cannot be read: ${(error as Error).message}` };
  }
}

function checkText(
  { source, path, content }: Text,
  { mostTokens, validators }: CheckOptions,
): { findings: Finding[]; statements: PlacedConstraint[] } {
  const findings: Finding[] = [];
  const at = (line: number) => ({ path: source, line });
  const { kind } = describeFile(path, content);
  for (const { line, message } of frontMatterProblems(content))
    findings.push(finding('front-matter', at(line), message));
  const file = { path, kind, content, frontMatter: readFrontMatter(content).values };
  for (const problem of validators.flatMap((validator) => [...validator(file)])) {
    const line = Number(/^line (\d+): /.exec(problem)?.[1] ?? 1);
    findings.push(finding('invalid-steps', at(line), problem.replace(/^line \d+: /, '')));
  }
  const tokens = countTokens(content);
  if (tokens > mostTokens) {
    findings.push(
      finding(
        'too-long',
        at(1),
        `Costs ${tokens} tokens whenever it is loaded; at most ${mostTokens} are wanted`,
      ),
    );
  }
  if (kind === 'context' || isMetaPrompt(path)) return { findings, statements: [] };
  const constraints = locateConstraints(content);
  if (constraints.length === 0) {
    const message =
      'Has no constraints: without a heading "## …" with text below it, no agent can refer to it';
    findings.push(finding('no-constraints', at(1), message));
  }
  // A section with a list is its items: they are looked at one by one.
  const single = constraints.filter(({ id }) => !constraints.some((other) => other.id === `${id}/1`));
  for (const { text, line } of single) {
    for (const { word, line: below } of vagueWords(text)) {
      const message = `"${word}" leaves open what to do: say when, how much or which`;
      findings.push(finding('vague-wording', at(line + below), message));
    }
  }
  return { findings, statements: single.map(({ id, text, line }) => ({ ...at(line), id, text })) };
}

function outlinesOf(folder: string, texts: readonly Text[]): (source: string) => Outline | undefined {
  const known = new Map<string, Outline>();
  const bySource = new Map(texts.map(({ source, content }) => [join(folder, source), content]));
  return (source) => {
    const content = bySource.get(join(folder, source));
    if (content === undefined) return undefined;
    let outline = known.get(source);
    if (!outline) {
      outline = outlineOf(readFrontMatter(content).body);
      known.set(source, outline);
    }
    return outline;
  };
}

function deadLinks(
  folder: string,
  { source, content }: Text,
  outlines: (source: string) => Outline | undefined,
): Finding[] {
  const { body } = readFrontMatter(content);
  const above = content.slice(0, content.length - body.length).split(/\r\n?|\n/).length - 1;
  return outlines(source)!.links.flatMap(({ url, line }) => {
    const problem = problemOfLink(url, { folder, source, outline: outlines });
    return problem ? [finding('dead-link', { path: source, line: line + above }, problem)] : [];
  });
}

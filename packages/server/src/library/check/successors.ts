import { traitsOf } from '../files/traits.ts';

interface RuleText {
  /** As the folder has it, and as the library would. */
  source: string;
  path: string;
  content: string;
}

/** Deprecated files whose successor is missing or deprecated too, or that lead back to themselves. */
export function successorProblems(
  files: readonly RuleText[],
): { source: string; line: number; message: string }[] {
  const traits = new Map(files.map(({ path, content }) => [path, traitsOf(content)]));
  return files.flatMap(({ source, path, content }) => {
    const successor = traits.get(path)?.successor;
    if (successor === undefined) return [];
    const message = problemOf(path, successor, (at) => traits.get(at));
    const line = content.split(/\r\n?|\n/).findIndex((text) => /^successor\s*:/.test(text)) + 1;
    return message === undefined ? [] : [{ source, line: Math.max(1, line), message }];
  });
}

function problemOf(
  path: string,
  successor: string,
  traitsAt: (path: string) => ReturnType<typeof traitsOf> | undefined,
): string | undefined {
  const passed = [path];
  for (let at: string | undefined = successor; at !== undefined; ) {
    if (passed.includes(at)) return `Its successors lead back: ${[...passed, at].join(' → ')}`;
    const there = traitsAt(at);
    if (there === undefined) {
      return passed.length === 1
        ? `The successor ${at} does not exist`
        : `The successor ${successor} leads to ${at}, which does not exist`;
    }
    passed.push(at);
    if (!there?.deprecated) {
      return passed.length === 2
        ? undefined
        : `The successor ${successor} is deprecated itself: name ${at} instead`;
    }
    at = there.successor;
  }
  return `The successor ${successor} is deprecated itself`;
}

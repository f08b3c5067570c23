import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What real work is about: the files of this repository, and what real tools said of them once. */
export interface Content {
  file(path: string): string;
  output(name: Output): string;
}

export type Output =
  | 'build-pass'
  | 'files'
  | 'git-blame'
  | 'git-diff'
  | 'git-log'
  | 'git-oneline'
  | 'git-show'
  | 'grep-functions'
  | 'grep-tokens'
  | 'trace'
  | 'tsc-fail'
  | 'vitest-fail'
  | 'vitest-pass'
  | 'vitest-verbose-fail'
  | 'vitest-verbose-pass';

/** `root` is the checkout. */
export function contentOf(root: string): Content {
  const read = new Map<string, string>();
  const file = (path: string) => {
    const text = read.get(path) ?? readFileSync(join(root, path), 'utf8');
    read.set(path, text);
    return text;
  };
  return { file, output: (name) => file(`packages/client/src/window/testing/outputs/${name}.txt`) };
}

/** Jane Austen, Pride and Prejudice (1813); Herman Melville, Moby-Dick (1851); Abraham Lincoln at Gettysburg (1863). */
export const PUBLIC_DOMAIN = [
  'It is a truth universally acknowledged, that a single man in possession of a good fortune, must be in want of a wife. However little known the feelings or views of such a man may be on his first entering a neighbourhood, this truth is so well fixed in the minds of the surrounding families, that he is considered as the rightful property of some one or other of their daughters.',
  'Call me Ishmael. Some years ago—never mind how long precisely—having little or no money in my purse, and nothing particular to interest me on shore, I thought I would sail about a little and see the watery part of the world. It is a way I have of driving off the spleen and regulating the circulation.',
  'Four score and seven years ago our fathers brought forth on this continent, a new nation, conceived in Liberty, and dedicated to the proposition that all men are created equal. Now we are engaged in a great civil war, testing whether that nation, or any nation so conceived and so dedicated, can long endure.',
];

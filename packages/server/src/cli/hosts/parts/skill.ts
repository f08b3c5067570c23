import { join } from 'node:path';
import type { WholeFile } from '../../install/installable.ts';
import { type Ours, shippedText } from '../our-program.ts';

/** Tells a model when to branch, fold, remember and load rules. */
export function skillFiles(folder: string, ours: Ours): WholeFile[] {
  const text = shippedText(ours, 'skills', 'infold', 'SKILL.md');
  if (text === undefined) return [];
  return [{ kind: 'whole', path: join(folder, 'infold', 'SKILL.md'), text, isOurs: isOurSkill }];
}

function isOurSkill(text: string): boolean {
  return /^---\r?\nname: infold\r?\n/.test(text);
}

import {
  Bot,
  CornerDownRight,
  type LucideIcon,
  ScrollText,
  SquareTerminal,
  User,
  Wrench,
} from 'lucide-react';
import { classes } from '../../design/classes.ts';
import { Tooltip } from '../../design/controls/tooltip.tsx';
import { Badge } from '../../design/data/badge.tsx';
import { count } from '../../design/data/format.ts';
import type { RowFocus } from '../../design/list/long-list.tsx';
import { wordsFor } from '../rules.ts';
import styles from './block-row.module.css';
import { fateOf, oneLine, type PromptBlock, titleOf } from './blocks.ts';

export const ROW_HEIGHT = 58;

interface BlockRowProps {
  block: PromptBlock;
  largest: number;
  focus: RowFocus;
  onOpen: (block: number) => void;
}

/** One block of the prompt: what was sent of it, and beside it what the host asked for. */
export function BlockRow({ block, largest, focus, onOpen }: BlockRowProps) {
  const Icon = iconOf(block);
  const fate = fateOf(block);
  return (
    <Tooltip text={<span className={styles.tip}>{block.preview}</span>}>
      <button type="button" className={styles.button} onClick={() => onOpen(block.index)} {...focus}>
        <span className={classes(styles.cell, styles.sent)}>
          <span className={styles.line}>
            <Icon aria-hidden className={styles.icon} />
            <span className={classes(styles.title, fate === 'gone' && styles.struck)}>{titleOf(block)}</span>
            {block.rule !== null && <Badge tone="note">{wordsFor(block.rule).name.toLowerCase()}</Badge>}
            {block.is_cached && <Badge>cached</Badge>}
            <span className={styles.tokens}>{count(block.tokens.sent)}</span>
          </span>
          <span className={styles.text}>{fate === 'whole' ? oneLine(block.preview) : insteadOf(block)}</span>
          <Bar block={block} tokens={block.tokens.sent} largest={largest} />
        </span>
        <span className={classes(styles.cell, styles.asked, fate === 'whole' && styles.same)}>
          <span className={styles.line}>
            <span className={styles.title}>{titleOf(block)}</span>
            <span className={styles.tokens}>{count(block.tokens.asked)}</span>
          </span>
          <span className={styles.text}>{oneLine(block.preview)}</span>
          <Bar block={block} tokens={block.tokens.asked} largest={largest} isAsked />
        </span>
      </button>
    </Tooltip>
  );
}

function insteadOf({ instead, rule }: PromptBlock): string {
  return instead === null ? wordsFor(rule!).why : oneLine(instead);
}

function Bar({
  block,
  tokens,
  largest,
  isAsked = false,
}: {
  block: PromptBlock;
  tokens: number;
  largest: number;
  isAsked?: boolean;
}) {
  const isGhost = isAsked && block.rule !== null;
  return (
    <span className={styles.track} aria-hidden>
      {tokens > 0 && (
        <span
          className={classes(
            styles.bar,
            isGhost ? styles.ghost : styles[block.kind === 'text' ? 'message' : block.kind],
            !isAsked && block.is_cached && styles.cached,
          )}
          style={{ width: `${(tokens / largest) * 100}%` }}
        />
      )}
    </span>
  );
}

const ICONS: Readonly<Record<PromptBlock['kind'], LucideIcon>> = {
  system: ScrollText,
  tools: Wrench,
  text: User,
  call: SquareTerminal,
  result: CornerDownRight,
  other: ScrollText,
};

function iconOf({ kind, role }: PromptBlock): LucideIcon {
  if (kind !== 'text' || role === 'user') return ICONS[kind];
  return role === 'assistant' ? Bot : ScrollText;
}

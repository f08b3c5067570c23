import { GitBranch, History, Layers, Split, Wrench } from 'lucide-react';
import { classes } from '../../design/classes.ts';
import { compact, count, plural } from '../../design/data/format.ts';
import { MARKS } from '../model/states.tsx';
import { type Branch, MAIN, type Operation } from '../model/tree.ts';
import styles from './grid.module.css';
import type { Group, Row } from './rows.ts';

/** What a row is, with its sign. */
export function RowWords({ row }: { row: Row }) {
  switch (row.kind) {
    case 'branch':
      return <BranchWords branch={row.branch} />;
    case 'operation':
      return <OperationWords operation={row.operation} />;
    case 'group':
      return <GroupWords group={row.group} />;
    case 'mark': {
      const { icon: Icon, word } = MARKS[row.mark.what];
      return (
        <>
          <Icon aria-label={word} className={styles.icon} />
          <bdi className={styles.name}>{row.mark.text}</bdi>
        </>
      );
    }
    case 'earlier':
      return (
        <>
          <History aria-hidden className={styles.icon} />
          <span className={styles.name}>
            {plural(row.branch.earlier, 'earlier operation')}
            <span className={styles.soft}> · not loaded on this page</span>
          </span>
        </>
      );
  }
}

function BranchWords({ branch }: { branch: Branch }) {
  const isMain = branch.id === MAIN;
  const Icon = isMain ? Split : GitBranch;
  return (
    <>
      <Icon aria-hidden className={classes(styles.icon, styles[`is-${branch.status}`])} />
      <span className={styles.lines}>
        <bdi className={styles.title}>{isMain ? 'Main thread' : branch.description}</bdi>
        <span className={styles.second}>{aboutBranch(branch)}</span>
      </span>
    </>
  );
}

function aboutBranch(branch: Branch) {
  const { status, tokensFolded, summary, summaryTokens, counted, foldedBy } = branch;
  const did = plural(counted, 'operation');
  if (status === 'folded' && tokensFolded !== null) {
    return (
      <>
        saved {count(tokensFolded - summaryTokens)} ·{' '}
        {foldedBy ? 'folded with its parent' : <bdi>{summary}</bdi>}
      </>
    );
  }
  if (summary) {
    return (
      <>
        {did} · <bdi>{summary}</bdi>
      </>
    );
  }
  return did;
}

function OperationWords({ operation }: { operation: Operation }) {
  const { tool, about, summary, isCollapsed, counted, tokens, isDiscarded } = operation;
  return (
    <>
      <Wrench aria-hidden className={styles.icon} />
      <span className={styles.name}>
        <bdi className={classes(styles.tool, isDiscarded && styles.struck)}>{tool}</bdi>
        {about !== '' && (
          <>
            {' '}
            <bdi className={styles.soft}>{about}</bdi>
          </>
        )}
        {isCollapsed && (
          <span className={styles.soft}>
            {' '}
            · was {compact(counted)}, saved {compact(counted - tokens)}
            {summary && (
              <>
                {' · '}
                <bdi>{summary}</bdi>
              </>
            )}
          </span>
        )}
      </span>
    </>
  );
}

function GroupWords({ group }: { group: Group }) {
  const { count: many, first, last, tools, collapsed, discarded } = group;
  const besides = [
    tools.map(([tool, times]) => `${tool} × ${times}`).join(', '),
    collapsed > 0 && `${collapsed} collapsed`,
    discarded > 0 && `${discarded} discarded`,
  ];
  return (
    <>
      <Layers aria-hidden className={styles.icon} />
      <span className={styles.name}>
        {plural(many, 'operation')}
        <span className={styles.soft}>
          {' '}
          {count(first.ordinal)}–{count(last.ordinal)} · <bdi>{besides.filter(Boolean).join(' · ')}</bdi>
        </span>
      </span>
    </>
  );
}

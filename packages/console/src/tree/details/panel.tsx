import type { BranchStatus } from '@infold/protocol';
import { GitBranch, History, Split, Wrench } from 'lucide-react';
import type { ReactNode } from 'react';
import { CodeBlock } from '../../design/data/code.tsx';
import { Time } from '../../design/data/figures.tsx';
import { count, plural, share } from '../../design/data/format.ts';
import { BranchActions } from '../actions/actions.tsx';
import { MARKS, meaningOf, StateMark } from '../model/states.tsx';
import {
  type Branch,
  fateOf,
  handleOf,
  MAIN,
  type Mark,
  type Operation,
  stateOf,
  type Tree,
} from '../model/tree.ts';
import { itemOf } from '../rows/rows.ts';
import { EarlierOperations, earlierOf } from './earlier-operations.tsx';
import { NodeLink, Original } from './original.tsx';
import styles from './panel.module.css';
import { WindowFate } from './window-fate.tsx';

interface NodeProps {
  tree: Tree;
  node: string;
  limit: number;
  /** It is the past that is shown: nothing can be done there. */
  isPast: boolean;
  /** With its model, where its host leads that through the window door. */
  conversation: string | undefined;
}

/** Everything about one node: what it is, what it takes, what became of it, and its original. */
export function NodeDetails({ tree, node, limit, isPast, conversation }: NodeProps) {
  const earlier = earlierOf(tree, node);
  if (earlier !== undefined) return <EarlierOperations tree={tree} branch={earlier} />;
  const found = itemOf(tree, node);
  if (!found) return <Unheld node={node} />;
  const { branch, item } = found;
  if (item?.kind === 'operation')
    return <OperationDetails {...{ operation: item, branch, conversation, fate: fateOf(tree, branch) }} />;
  if (item?.kind === 'mark') return <MarkDetails mark={item} branch={branch} />;
  return <BranchDetails {...{ tree, branch, limit, isPast }} />;
}

/** It may be older than what this page holds, or come later than the position that is shown. */
function Unheld({ node }: { node: string }) {
  return (
    <section className={styles.part}>
      <p className={styles.soft}>
        It is not in the tree as shown: it came later, or it is older than what this page has loaded.
      </p>
      {/^(op|br)_/.test(node) && <Original handle={node} />}
    </section>
  );
}

export function titleOf(tree: Tree, node: string): { icon: ReactNode; text: string } {
  if (earlierOf(tree, node) !== undefined) {
    return { icon: <History aria-hidden />, text: 'Earlier operations' };
  }
  const found = itemOf(tree, node);
  if (found?.item?.kind === 'operation')
    return { icon: <Wrench aria-hidden />, text: `${found.item.tool} ${found.item.about}` };
  if (found?.item?.kind === 'mark') {
    const { icon: Icon, word } = MARKS[found.item.what];
    return { icon: <Icon aria-hidden />, text: word };
  }
  if (!found) return { icon: <Wrench aria-hidden />, text: node };
  return found.branch.id === MAIN
    ? { icon: <Split aria-hidden />, text: 'Main thread' }
    : { icon: <GitBranch aria-hidden />, text: found.branch.description };
}

function Facts({ facts }: { facts: (readonly [name: string, value: ReactNode] | false)[] }) {
  return (
    <dl className={styles.facts}>
      {facts.map(
        (fact) =>
          fact && (
            <div key={fact[0]}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

function BranchDetails({
  tree,
  branch,
  limit,
  isPast,
}: { branch: Branch } & Pick<NodeProps, 'tree' | 'limit' | 'isPast'>) {
  const { id, parent, status, tokens, tokensFolded, summary, summaryTokens, budget, collapsible } = branch;
  const parentBranch = parent === null ? undefined : tree.branches.get(parent);
  return (
    <>
      <section className={styles.part}>
        <p className={styles.lead}>
          <StateMark state={status} />
          <span className={styles.soft}>{meaningOf(status)}.</span>
        </p>
        <Facts
          facts={[
            [
              'Tokens',
              `${count(tokensFolded ?? tokens)}, ${share((tokensFolded ?? tokens) / limit)} of the limit`,
            ],
            tokensFolded !== null && ['Saved', `${count(tokensFolded - summaryTokens)} tokens`],
            tokensFolded !== null && ['Its summary', `${count(summaryTokens)} tokens`],
            collapsible > 0 && [
              'Could leave',
              `${count(collapsible)} tokens, by collapsing what was consumed`,
            ],
            budget !== null && ['Budget', `${count(budget)} tokens, ${share(tokens / budget)} used`],
            ['Operations', count(branch.counted)],
            branch.secrets > 0 && ['Secrets removed', count(branch.secrets)],
            branch.createdAt > 0 && ['Began', <Time key="began" at={branch.createdAt} />],
            branch.endedAt !== null && ['Ended', <Time key="ended" at={branch.endedAt} />],
            parentBranch !== undefined && [
              'In',
              <NodeLink key="in" node={parentBranch.id}>
                <bdi>{parentBranch.id === MAIN ? 'Main thread' : parentBranch.description}</bdi>
              </NodeLink>,
            ],
            branch.foldedBy !== null && [
              'Folded with',
              <NodeLink key="with" node={branch.foldedBy}>
                <bdi>{tree.branches.get(branch.foldedBy)?.description ?? branch.foldedBy}</bdi>
              </NodeLink>,
            ],
            id !== MAIN && ['Id', <code key="id">{id}</code>],
          ]}
        />
        <BranchActions {...{ tree, branch, isPast }} />
      </section>
      {summary && (
        <section className={styles.part}>
          <h3>Its summary in the parent</h3>
          <CodeBlock label="Summary" text={summary} />
        </section>
      )}
      {id !== MAIN && (
        <section className={styles.part}>
          <h3>Original</h3>
          <Original handle={id} />
        </section>
      )}
    </>
  );
}

interface OperationProps {
  operation: Operation;
  branch: Branch;
  /** What became of the branch. */
  fate: BranchStatus;
  conversation: string | undefined;
}

const COUNTED_BY: Record<Operation['source'], string> = {
  infold: 'Infold',
  reported: 'its host',
  hook: 'a hook of its host',
  window: 'the window door',
  pod: 'a message in its pod',
};

function OperationDetails({ operation, branch, fate, conversation }: OperationProps) {
  const state = fate === 'discarded' ? fate : stateOf(operation);
  const { counted, tokens, isCollapsed, summary, outputTokens, handle, callId, source, at } = operation;
  return (
    <>
      <section className={styles.part}>
        <p className={styles.lead}>
          <StateMark state={state} />
          <span className={styles.soft}>
            {fate === 'folded' || fate === 'expired'
              ? `It is out of the window: its branch was ${fate}.`
              : `${meaningOf(state)}.`}
          </span>
        </p>
        <Facts
          facts={[
            ['Tokens', isCollapsed ? `${count(tokens)} now, ${count(counted)} before` : count(tokens)],
            outputTokens !== null && ['Its result', `${count(outputTokens)} tokens`],
            ['Number', `${count(operation.ordinal)} of ${plural(branch.counted, 'operation')}`],
            ['When', <Time key="when" at={at} />],
            ['Counted by', COUNTED_BY[source]],
            [
              'In',
              <NodeLink key="in" node={branch.id}>
                <bdi>{branch.id === MAIN ? 'Main thread' : branch.description}</bdi>
              </NodeLink>,
            ],
            handle !== null && ['Handle', <code key="handle">{handle}</code>],
            callId !== null && ['Call', <code key="call">{callId}</code>],
          ]}
        />
      </section>
      {summary && (
        <section className={styles.part}>
          <h3>What replaces it</h3>
          <CodeBlock label="Summary" text={summary} />
        </section>
      )}
      {conversation !== undefined && callId !== null && (
        <WindowFate conversation={conversation} call={callId} />
      )}
      <section className={styles.part}>
        <h3>Original</h3>
        <Original handle={handleOf(operation)} />
      </section>
    </>
  );
}

function MarkDetails({ mark, branch }: { mark: Mark; branch: Branch }) {
  return (
    <section className={styles.part}>
      <CodeBlock label={MARKS[mark.what].word} text={mark.text} />
      <Facts
        facts={[
          ['When', <Time key="when" at={mark.at} />],
          [
            'While at',
            <NodeLink key="in" node={branch.id}>
              <bdi>{branch.id === MAIN ? 'Main thread' : branch.description}</bdi>
            </NodeLink>,
          ],
        ]}
      />
    </section>
  );
}

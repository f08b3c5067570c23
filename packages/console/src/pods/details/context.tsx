import { Link } from '@tanstack/react-router';
import { Filter, Reply } from 'lucide-react';
import { Button } from '../../design/controls/button.tsx';
import { Badge } from '../../design/data/badge.tsx';
import { CodeBlock } from '../../design/data/code.tsx';
import { Fact, Facts } from '../../design/data/facts.tsx';
import { Time } from '../../design/data/figures.tsx';
import { count } from '../../design/data/format.ts';
import { Markdown } from '../../design/data/markdown.tsx';
import { duration, lineOf } from '../model/text.ts';
import { useContext } from '../queries.ts';
import { placeOfContext } from '../send/draft.ts';
import styles from './details.module.css';
import { ContextLink } from './links.tsx';
import type { DetailsProps } from './props.ts';

const MEANINGS = {
  live: 'It is in use.',
  concluded: 'Nobody has used it for a while; a later message begins it again.',
  placeholder: 'Somebody named it as a parent, and nobody has used it yet.',
};

/** What a context is about, what it came to, and what refers to it. */
export function ContextDetails(props: DetailsProps & { id: string }) {
  const { pod, id, contexts, policy, onDraft, isBeside } = props;
  const { data } = useContext(pod, id);
  const node = data ?? contexts.get(id);
  if (!node) return <p className={styles.soft}>The pod has no such context, or none yet.</p>;
  const { type, state, parent, summary, metadata, messages, tokens, created_at, last_at } = node;
  const template =
    type !== null && policy && Object.hasOwn(policy.templates, type) ? policy.templates[type] : undefined;
  const idle = template?.idleMs ?? policy?.idle_ms;
  return (
    <>
      <section className={styles.part}>
        <p className={styles.lead}>
          <Badge tone={state === 'live' ? 'good' : 'mute'}>{state}</Badge>
          <span className={styles.soft}>{MEANINGS[state]}</span>
        </p>
        {summary !== null && (
          <>
            <h3>Summary</h3>
            <Markdown text={summary} />
          </>
        )}
        <div className={styles.actions}>
          <Link
            to="."
            search={(before) => ({ ...before, contexts: `id:${id}`, descendants: true })}
            className={styles.link}
          >
            <Filter aria-hidden /> Show it alone
          </Link>
          {onDraft && (
            <Button
              size="small"
              icon={<Reply aria-hidden />}
              onClick={() => onDraft({ place: placeOfContext(id) })}
            >
              Send in it
            </Button>
          )}
        </div>
      </section>
      <section className={styles.part}>
        <Facts>
          <Fact name="Type">
            <bdi>{type ?? 'none'}</bdi>
          </Fact>
          <Fact name="In">{parent === null ? 'main' : <ContextLink id={parent} isBeside={isBeside} />}</Fact>
          <Fact name="Messages">{count(messages)}</Fact>
          <Fact name="Tokens">{count(tokens)}</Fact>
          <Fact name="Began">
            <Time at={created_at} />
          </Fact>
          <Fact name="Last used">
            <Time at={last_at} />
          </Fact>
          {state === 'live' && idle !== undefined && (
            <Fact name="Concludes after">{duration(idle)} unused</Fact>
          )}
          {template?.remember !== undefined && (
            <Fact name="Becomes memory">{template.remember ? 'yes, when it concludes' : 'no'}</Fact>
          )}
          <Fact name="Id">
            <bdi className={styles.code}>{id}</bdi>
          </Fact>
        </Facts>
        {metadata !== null && (
          <>
            <h3>Facts</h3>
            <CodeBlock label="Metadata" text={JSON.stringify(metadata, null, 2)} />
          </>
        )}
      </section>
      {node.children.length > 0 && (
        <section className={styles.part}>
          <h3>Nested in it</h3>
          <ul className={styles.list}>
            {node.children.slice(0, MOST).map((child) => (
              <li key={child.id}>
                <bdi>{child.type ?? 'context'}</bdi> <ContextLink id={child.id} isBeside={isBeside} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {data && data.linked.length > 0 && (
        <section className={styles.part}>
          <h3>What refers to it</h3>
          <ul className={styles.list}>
            {data.linked.slice(0, MOST).map(({ pod: where, seq, envelope }) => (
              <li key={`${where} ${seq}`}>
                <Link to="/pods/$pod" params={{ pod: where }} search={{ node: `m:${seq}` }}>
                  <bdi>{where}</bdi> {seq}
                </Link>{' '}
                <bdi>{envelope.from}</bdi>:{' '}
                <bdi className={styles.soft}>{lineOf(envelope).slice(0, 120)}</bdi>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

const MOST = 50;

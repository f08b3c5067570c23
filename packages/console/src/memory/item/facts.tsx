import { Link } from '@tanstack/react-router';
import { CodeBlock, CopyButton } from '../../design/data/code.tsx';
import { Fact, Facts } from '../../design/data/facts.tsx';
import { Time } from '../../design/data/figures.tsx';
import { day } from '../../design/data/format.ts';
import { webAddress } from '../../design/data/web-address.ts';
import { Panel } from '../../design/layout/panel.tsx';
import { type MemoryItem, useProjects } from '../queries.ts';
import styles from './facts.module.css';
import { originOf } from './origin.ts';

const SCOPES: Readonly<Record<MemoryItem['scope'], string>> = {
  private: 'only its writer',
  project: 'everybody in the project',
  organisation: 'the whole organisation',
  diary: 'its writer, and one agent of theirs',
};

export function ItemFacts({ item }: { item: MemoryItem }) {
  const project = useProjects().find(({ id }) => id === item.project_id);
  const { tags = [], metadata, domain, author, thread, at } = item;
  const has = Object.keys(metadata).length > 0;
  return (
    <Panel title="About it">
      <Facts>
        <Fact name="Id">
          <span className={styles.id}>
            <code>{item.id}</code>
            <CopyButton text={item.id} label="Copy the id" />
          </span>
        </Fact>
        <Fact name="Who reads it">{SCOPES[item.scope]}</Fact>
        {item.agent_id !== undefined && (
          <Fact name="Diary">
            <Link to="/memory/$page" params={{ page: 'diaries' }} search={{ agent: item.agent_id }}>
              <bdi>{item.agent_id}</bdi>
            </Link>
          </Fact>
        )}
        {item.project_id !== null && (
          <Fact name="Project">
            <bdi>{project?.name ?? item.project_id}</bdi>
          </Fact>
        )}
        {author !== undefined && (
          <Fact name="Author">
            <bdi>{author}</bdi>
          </Fact>
        )}
        <Fact name="Stored">
          <Time at={item.created_at} />
        </Fact>
        {at !== undefined && at !== item.created_at && <Fact name="Said">{day(Date.parse(at))}</Fact>}
        {item.valid_at !== null && <Fact name="Valid at">{day(Date.parse(item.valid_at))}</Fact>}
        <Fact name="Came by">{item.origin}</Fact>
        <Source item={item} />
        {domain !== undefined && (
          <Fact name="Domain">
            <bdi>{domain}</bdi>
          </Fact>
        )}
        {tags.length > 0 && (
          <Fact name="Tags">
            <bdi>{tags.join(', ')}</bdi>
          </Fact>
        )}
        {thread !== undefined && (
          <Fact name="Conversation">
            <bdi>{thread}</bdi>
          </Fact>
        )}
      </Facts>
      {has && (
        <details className={styles.more}>
          <summary>Metadata</summary>
          <CodeBlock label="Metadata" text={JSON.stringify(metadata, null, 2)} />
        </details>
      )}
    </Panel>
  );
}

function Source({ item }: { item: MemoryItem }) {
  const origin = originOf(item);
  const address = webAddress(item.url ?? item.source ?? undefined);
  return (
    <>
      {origin && (
        <Fact name="From">
          {origin.kind === 'branch' && (
            <Link to="/tree/$session" params={{ session: origin.session }} search={{ node: origin.branch }}>
              the branch in its session
            </Link>
          )}
          {origin.kind === 'session' && (
            <Link to="/tree/$session" params={{ session: origin.session }}>
              its session
            </Link>
          )}
          {origin.kind === 'pod' && (
            <Link to="/pods/$pod" params={{ pod: origin.pod }}>
              a conversation in the pod <bdi>{origin.pod}</bdi>
            </Link>
          )}
        </Fact>
      )}
      {item.source !== null && (
        <Fact name="Source">
          <bdi>{item.source}</bdi>
        </Fact>
      )}
      {address !== undefined && (
        <Fact name="Address">
          <a href={address} target="_blank" rel="noreferrer noopener">
            <bdi>{address}</bdi>
          </a>
        </Fact>
      )}
      {item.url !== null && address !== item.url && (
        <Fact name="Address">
          <bdi>{item.url}</bdi>
        </Fact>
      )}
    </>
  );
}

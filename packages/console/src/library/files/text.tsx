import type { ItemUsage as Usage } from '@infold/protocol';
import { Badge } from '../../design/data/badge.tsx';
import { Fact, Facts } from '../../design/data/facts.tsx';
import { Time } from '../../design/data/figures.tsx';
import { count, plural } from '../../design/data/format.ts';
import { Markdown } from '../../design/data/markdown.tsx';
import { type FileDetails, useItemUsage } from '../queries.ts';
import { bodyOf, factsOf } from './front-matter.ts';
import { META_PROMPT } from './rows.ts';
import styles from './text.module.css';

/** The file as it is read, and beside it what can be referred to in it, and what it says of itself. */
export function FileText({ project, file }: { project: string; file: FileDetails }) {
  return (
    <div className={styles.layout}>
      <article className={styles.text} aria-label="Content">
        <Markdown text={bodyOf(file.content)} />
      </article>
      <div className={styles.beside}>
        {file.kind !== 'context' && file.id !== META_PROMPT && <Constraints project={project} file={file} />}
        <FileFacts file={file} />
      </div>
    </div>
  );
}

function Constraints({ project, file: { id, constraints } }: { project: string; file: FileDetails }) {
  const { data } = useItemUsage(project, id);
  const used = new Map(data?.constraints.map((one) => [one.constraint_id, one]));
  const loads = data?.revisions.reduce((sum, { loaded }) => sum + loaded, 0) ?? 0;
  return (
    <section aria-labelledby="constraints" className={styles.part}>
      <h3 id="constraints">
        Constraints <span className={styles.soft}>{count(constraints.length)}</span>
      </h3>
      {constraints.length === 0 ? (
        <p className={styles.soft}>
          It has neither sections nor lists: agents can load it, but there is nothing in it to refer to.
        </p>
      ) : (
        <>
          <p className={styles.soft}>
            {data === undefined
              ? 'Counting how often each was referred to'
              : loads === 0
                ? 'No agent has loaded this file yet.'
                : `Agents loaded this file ${plural(loads, 'time')}.`}
          </p>
          <ul className={styles.constraints} aria-label="Constraints">
            {constraints.map((constraint) => (
              <li key={constraint.id}>
                <span className={styles.words}>
                  <bdi className={styles.id}>{constraint.id}</bdi>
                  <bdi className={styles.said}>{constraint.text}</bdi>
                </span>
                {data && <Referred usage={used.get(constraint.id)} />}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function Referred({ usage }: { usage: Usage['constraints'][number] | undefined }) {
  const referred = usage?.referred ?? 0;
  return (
    <span className={styles.referred}>
      <Badge tone={referred > 0 ? 'good' : 'mute'}>
        {referred > 0 ? `referred to ${count(referred)}×` : 'never'}
      </Badge>
      {(usage?.claimed_without_loading ?? 0) > 0 && (
        <Badge tone="warn">{count(usage!.claimed_without_loading)}× without loading it</Badge>
      )}
    </span>
  );
}

function FileFacts({ file }: { file: FileDetails }) {
  const said = factsOf(file.front_matter);
  return (
    <section aria-labelledby="facts" className={styles.part}>
      <h3 id="facts">Facts</h3>
      <Facts>
        {said.map(([name, value]) => (
          <Fact key={name} name={name}>
            <bdi className={styles.value}>{value}</bdi>
          </Fact>
        ))}
        <Fact name="Group">{file.group === null ? '–' : <bdi>{file.group}</bdi>}</Fact>
        <Fact name="Revision">{count(file.revision)}</Fact>
        <Fact name="Published">
          <Time at={file.updated_at} />
        </Fact>
        {file.origin !== null && (
          <Fact name="Imported from">
            <bdi>{file.origin}</bdi>
          </Fact>
        )}
        <Fact name="Id">
          <code>{file.id}</code>
        </Fact>
      </Facts>
    </section>
  );
}

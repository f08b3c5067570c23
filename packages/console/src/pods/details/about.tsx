import { Badge } from '../../design/data/badge.tsx';
import { Fact, Facts } from '../../design/data/facts.tsx';
import { Loading } from '../../design/layout/placeholders.tsx';
import { duration } from '../model/text.ts';
import type { PodPolicy } from '../queries.ts';
import { Who } from '../rows/who.tsx';
import styles from './details.module.css';
import type { DetailsProps } from './props.ts';

const HISTORIES = {
  durable: 'in the journal',
  memory: 'the newest messages, in memory only',
  none: 'not kept',
};

/** Who is there with which capabilities, and what holds in the pod. */
export function AboutPod({ pod, link, policy }: DetailsProps) {
  if (!policy) return <Loading what="what holds in the pod" />;
  const templates = Object.entries(policy.templates);
  return (
    <>
      <section className={styles.part}>
        <Facts>
          <Fact name="Name">
            <bdi className={styles.code}>{pod}</bdi>
          </Fact>
          <Fact name="History">{HISTORIES[policy.history]}</Fact>
          <Fact name="Contexts conclude">after {duration(policy.idle_ms)} unused</Fact>
        </Facts>
      </section>
      <section className={styles.part}>
        <h3>Present</h3>
        {link.present.length === 0 && <p className={styles.soft}>Nobody is connected.</p>}
        <ul className={styles.list}>
          {link.present.map(({ id, capabilities }) => (
            <li key={id} className={styles.person}>
              <Who name={id} isMe={id === link.me?.id} />
              <span className={styles.soft}>
                {capabilities.length === 0 ? (
                  'reads only'
                ) : (
                  <>
                    may send <Patterns given={capabilities} />
                  </>
                )}
              </span>
            </li>
          ))}
        </ul>
      </section>
      <section className={styles.part}>
        <h3>Types of contexts</h3>
        {templates.length === 0 && (
          <p className={styles.soft}>
            The configuration describes none (<code>gateway.templates</code>): any type is allowed.
          </p>
        )}
        {templates.map(([type, template]) => (
          <Template key={type} type={type} template={template} />
        ))}
      </section>
      <section className={styles.part}>
        <h3>Rules in force</h3>
        {policy.rules.length === 0 && (
          <p className={styles.soft}>
            None (<code>gateway.rules</code>): what tokens allow may be sent.
          </p>
        )}
        <ol className={styles.list}>
          {policy.rules.map((rule) => (
            <Rule key={rule.name} rule={rule} />
          ))}
        </ol>
      </section>
    </>
  );
}

function Template({ type, template }: { type: string; template: PodPolicy['templates'][string] }) {
  const { description, metadata, idleMs, depth, kinds, remember } = template;
  return (
    <div className={styles.template}>
      <h4>
        <bdi>{type}</bdi>
      </h4>
      {description !== undefined && <p>{description}</p>}
      <Facts>
        {kinds && (
          <Fact name="Takes">
            <Patterns given={kinds} />
          </Fact>
        )}
        {depth !== undefined && <Fact name="Nested at most">{depth} deep</Fact>}
        {idleMs !== undefined && <Fact name="Concludes after">{duration(idleMs)} unused</Fact>}
        {remember !== undefined && <Fact name="Becomes memory">{remember ? 'yes' : 'no'}</Fact>}
        {metadata && (
          <Fact name="Begins with">
            <bdi className={styles.code}>{JSON.stringify(metadata)}</bdi>
          </Fact>
        )}
      </Facts>
    </div>
  );
}

function Rule({ rule: { name, effect, kind, context, from } }: { rule: PodPolicy['rules'][number] }) {
  return (
    <li className={styles.rule}>
      <Badge tone={effect === 'deny' ? 'bad' : 'good'}>{effect === 'deny' ? 'forbids' : 'allows'}</Badge>
      <span>
        <Patterns given={[kind].flat()} />
        {context !== undefined && <> {placeWords(context)}</>}
        {from !== undefined && (
          <>
            {' '}
            from <Patterns given={[from].flat()} />
          </>
        )}
        <span className={styles.soft}> ({name})</span>
      </span>
    </li>
  );
}

function placeWords(context: NonNullable<PodPolicy['rules'][number]['context']>) {
  if (context === 'main') return 'in the main context';
  const { type, id, within } = context;
  return (
    <>
      {type !== undefined && (
        <>
          in contexts of the type <bdi className={styles.code}>{type}</bdi>
        </>
      )}
      {id !== undefined && (
        <>
          in the context <bdi className={styles.code}>{id}</bdi>
        </>
      )}
      {within !== undefined && (
        <>
          within <bdi className={styles.code}>{within}</bdi>
        </>
      )}
    </>
  );
}

function Patterns({ given }: { given: readonly string[] }) {
  return given.map((pattern, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they never change places
    <span key={index}>
      {index > 0 && ', '}
      <bdi className={styles.code}>{pattern}</bdi>
    </span>
  ));
}

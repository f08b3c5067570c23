import { Brain, Search } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import { LoadSamples } from '../../app/samples.tsx';
import { plural } from '../../design/data/format.ts';
import { Panel } from '../../design/layout/panel.tsx';
import { Empty, Loading, Problem, Skeleton, Unseen } from '../../design/layout/placeholders.tsx';
import { useAddress, useChangeAddress } from '../address.ts';
import { ProjectChoice } from '../filters.tsx';
import { useFound, useTimeline } from '../queries.ts';
import { Briefs } from './briefs.tsx';
import styles from './page.module.css';
import { Picked } from './picked.tsx';
import { Results } from './results.tsx';

/** Of keys that come this close together, the ones in between are not asked for: their results would only be given up. */
const PAUSE = 20;
/** A key after such a pause is asked for at once. */
const QUIET = 60;
/** The address follows when somebody stops. */
const ADDRESS_PAUSE = 300;

export function SearchPage() {
  const { q = '', project } = useAddress();
  const change = useChangeAddress();
  const [typed, setTyped] = useState(q);
  const [sought, setSought] = useState(q);
  const told = useRef(q);
  const lastKey = useRef(0);
  useEffect(() => {
    // Somebody went back, or followed a link.
    if (q === told.current) return;
    told.current = q;
    setTyped(q);
    setSought(q);
  }, [q]);
  useEffect(() => {
    if (typed === sought) return;
    const now = performance.now();
    const isFirst = now - lastKey.current > QUIET;
    lastKey.current = now;
    const timer = setTimeout(() => setSought(typed), isFirst ? 0 : PAUSE);
    return () => clearTimeout(timer);
  }, [typed, sought]);
  useEffect(() => {
    if (typed === told.current) return;
    const timer = setTimeout(() => {
      told.current = typed;
      change({ q: typed === '' ? undefined : typed }, true);
    }, ADDRESS_PAUSE);
    return () => clearTimeout(timer);
  }, [typed, change]);
  return (
    <>
      <div className={styles.fields}>
        <SearchField value={typed} onChange={setTyped} />
        <ProjectChoice />
      </div>
      <Picked />
      {sought.trim() === '' ? <Recent project={project} /> : <FoundPanel q={sought} project={project} />}
    </>
  );
}

function SearchField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id}>
        <Search aria-hidden />
        <Unseen>Search memory</Unseen>
      </label>
      <input
        id={id}
        type="search"
        className={styles.input}
        placeholder="What do you want to know?"
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}

interface FoundProps {
  q: string;
  project: string | undefined;
}

function FoundPanel({ q, project }: FoundProps) {
  const { data, error, refetch, isPlaceholderData } = useFound(q, { project });
  if (error && (!data || isPlaceholderData))
    return <Problem what="Memory could not be searched" error={error} onRetry={refetch} />;
  if (!data) {
    return (
      <Loading what="results">
        <Skeleton lines={6} height="3.5rem" />
      </Loading>
    );
  }
  const { passages } = data;
  const title = passages.length === 0 ? 'Nothing found' : plural(passages.length, 'result');
  return (
    <div data-found={isPlaceholderData ? undefined : q}>
      <Panel isFlush title={<span role="status">{title}</span>}>
        {passages.length === 0 ? (
          <Empty title="Nothing here says anything about that">
            <p>Try fewer or other words, or look in every project.</p>
          </Empty>
        ) : (
          <Results found={passages} q={q} isOld={isPlaceholderData} />
        )}
      </Panel>
    </div>
  );
}

/** Before anything is typed: what came last, or how to begin. */
function Recent({ project }: { project: string | undefined }) {
  const { may } = useAccount();
  const { data, error, refetch } = useTimeline({ project }, 12);
  if (error && !data) return <Problem what="Memory could not be read" error={error} onRetry={refetch} />;
  if (!data) {
    return (
      <Loading what="memory">
        <Skeleton lines={6} height="3rem" />
      </Loading>
    );
  }
  const items = data.pages[0]!.items;
  if (items.length === 0) {
    return (
      <Panel>
        <Empty icon={<Brain aria-hidden />} title="Nothing is remembered yet" actions={<LoadSamples />}>
          <p>
            Agents remember decisions, plans and findings, and what their folded branches came to. Later ones
            get what matters for their goal as a pack.
          </p>
          <p>
            {may('write') ? 'Write the first item with “Remember”, or import' : 'Import'} what you have:{' '}
            <code>npx infold memory import NOTES --project NAME</code>
          </p>
        </Empty>
      </Panel>
    );
  }
  return (
    <Panel isFlush title="Remembered last">
      <Briefs items={items} label="Remembered last" />
    </Panel>
  );
}

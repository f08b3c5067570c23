import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Radio } from 'lucide-react';
import { useEffect } from 'react';
import { CodeBlock } from '../design/data/code.tsx';
import { useHeadingFor } from '../design/hooks/use-heading-for.ts';
import { Page } from '../design/layout/page.tsx';
import { Empty, Loading, Problem, Skeleton } from '../design/layout/placeholders.tsx';
import { NewPod, nameOfPod, PodList, PodPicker } from './list/pods.tsx';
import { Pane } from './pane/pane.tsx';
import { type PodView, usePods, useProjectNames } from './queries.ts';
import { type PodsSearch, podsSearch, TO_BE_CHOSEN } from './search.ts';
import styles from './view.module.css';

const ABOUT = 'What participants say, in which context, and who is there.';

export function PodsView() {
  const { pod: named } = useParams({ strict: false });
  const search: PodsSearch = podsSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const isHeadingFor = useHeadingFor();
  const { data, error, isPending, refetch } = usePods();
  const names = useProjectNames();
  const latest = data?.pods[0]?.name;
  const chosen = named ?? latest;
  // The one that is shown stays, whichever is used next.
  useEffect(() => {
    if (named !== undefined || latest === undefined || !isHeadingFor('/pods')) return;
    void navigate({ to: '/pods/$pod', params: { pod: latest }, search: true, replace: true });
  }, [named, latest, navigate, isHeadingFor]);
  if (isPending) {
    return (
      <Page title="Pods" about={ABOUT}>
        <Loading what="pods">
          <Skeleton lines={8} height="2rem" />
        </Loading>
      </Page>
    );
  }
  if (!data) {
    return (
      <Page title="Pods" about={ABOUT}>
        <Problem what="The pods could not be read" error={error} onRetry={() => void refetch()} />
      </Page>
    );
  }
  if (chosen === undefined) {
    return (
      <Page title="Pods" about={ABOUT}>
        <NoPods />
      </Page>
    );
  }
  return (
    <Page title="Pods" about={ABOUT}>
      <Shown {...{ pods: data.pods, names, chosen, search }} />
    </Page>
  );
}

interface ShownProps {
  pods: readonly PodView[];
  names: ReadonlyMap<string, string>;
  chosen: string;
  search: PodsSearch;
}

function Shown({ pods, names, chosen, search }: ShownProps) {
  const navigate = useNavigate();
  const isBeside = search.beside !== undefined;
  const beside = search.beside === chosen || search.beside === TO_BE_CHOSEN ? undefined : search.beside;
  const go = (pod: string) =>
    void navigate({ to: '/pods/$pod', params: { pod }, search: isBeside ? { beside: search.beside } : {} });
  const goBeside = (pod: string) =>
    void navigate({
      to: '.',
      search: (before) => ({ ...before, beside: pod, besideNode: undefined, besideAt: undefined }),
    });
  const others = pods.filter(({ name }) => name !== chosen);
  const pane = (pod: string, isSecond: boolean) => (
    <Pane key={`${pod} ${search.as}`} {...{ pod, search, isBeside: isSecond }} project={names.get(pod)} />
  );
  if (!isBeside) {
    return (
      <div className={styles.layout}>
        <PodList {...{ pods, names, chosen }} />
        <div className={styles.picker}>
          <PodPicker {...{ pods, names, chosen }} label="Pod" onChoose={go} />
        </div>
        {pane(chosen, false)}
      </div>
    );
  }
  return (
    <div className={styles.beside}>
      <div className={styles.column}>
        <PodPicker {...{ pods, names, chosen }} label="Pod" onChoose={go} />
        {pane(chosen, false)}
      </div>
      <div className={styles.column}>
        <PodPicker {...{ names, chosen: beside }} pods={others} label="Beside it" onChoose={goBeside} />
        {beside === undefined ? (
          <Empty title={`Choose what stands beside ${nameOfPod(chosen, names)}`}>
            <p>Filters apply to both.</p>
          </Empty>
        ) : (
          pane(beside, true)
        )}
      </div>
    </div>
  );
}

function NoPods() {
  return (
    <Empty icon={<Radio aria-hidden />} title="No pods yet">
      <p>
        Agents and people talk in pods, over a WebSocket or with the tool <code>pod_send</code>. A pod begins
        when somebody joins it: join one here by any name, or say something in one.
      </p>
      <CodeBlock label="Say something in a pod" text={'npx infold pod send review "Hello, everyone"'} />
      <NewPod />
    </Empty>
  );
}

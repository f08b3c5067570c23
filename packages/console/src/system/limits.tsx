import { useQuery } from '@tanstack/react-query';
import { useAccount } from '../api/account.tsx';
import { count } from '../design/data/format.ts';
import { Loading, Problem, Skeleton } from '../design/layout/placeholders.tsx';
import { limitsQuery } from './queries.ts';
import { meaningOf } from './value.ts';
import { Values } from './values.tsx';

export default function LimitsPage() {
  const { data, error, refetch } = useQuery(limitsQuery(useAccount().session));
  if (error && !data) return <Problem what="The limits could not be read" error={error} onRetry={refetch} />;
  if (!data) {
    return (
      <Loading what="limits">
        <Skeleton lines={16} height="1.75rem" />
      </Loading>
    );
  }
  const values = data.limits.map(({ name, value, origin, environment }) => ({
    ...{ name, origin, environment },
    text: count(value),
    meaning: meaningOf(name, value),
  }));
  return <Values caption="Limits" label="Filter limits by name, variable or origin" values={values} />;
}

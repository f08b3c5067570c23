import { useQuery } from '@tanstack/react-query';
import { useAccount } from '../api/account.tsx';
import { Loading, Problem, Skeleton } from '../design/layout/placeholders.tsx';
import styles from './configuration.module.css';
import { configQuery } from './queries.ts';
import { meaningOf, written } from './value.ts';
import { Values } from './values.tsx';

export default function ConfigurationPage() {
  const { data, error, refetch } = useQuery(configQuery(useAccount().session));
  if (error && !data)
    return <Problem what="The configuration could not be read" error={error} onRetry={refetch} />;
  if (!data) {
    return (
      <Loading what="the configuration">
        <Skeleton lines={16} height="1.75rem" />
      </Loading>
    );
  }
  const values = Object.entries(data.values).map(([name, { value, origin, environment }]) => ({
    ...{ name, origin, environment },
    text: written(value),
    meaning: typeof value === 'number' ? meaningOf(name, value) : undefined,
  }));
  return (
    <>
      <p className={styles.about}>
        {data.file === null ? (
          <>
            No configuration file was read. Create <code>infold.config.json</code>, or name a file with{' '}
            <code>--config</code>.
          </>
        ) : (
          <>
            The configuration file is <code>{data.file}</code>.
          </>
        )}{' '}
        Flags override environment variables, which override the file. Changes take effect at the next start;
        a change to <code>toolsets</code> takes effect at once. Where a value may hold secrets, only its names
        are shown.
      </p>
      <Values
        caption="Configuration in effect"
        label="Filter by name, value, variable or origin"
        values={values}
      />
    </>
  );
}

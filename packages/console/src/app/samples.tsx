import type { Api } from '@infold/client/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import { useAccount } from '../api/account.tsx';
import { Button } from '../design/button.tsx';
import { Problem } from '../design/states.tsx';

export type Samples = Awaited<ReturnType<Api['loadSamples']>>;

/** For who has nothing to look at yet: a project in which an agent has worked. Not there for who may not write. */
export function LoadSamples({ onLoaded }: { onLoaded: (samples: Samples) => void }) {
  const { session, may } = useAccount();
  const client = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => session.api.loadSamples(),
    onSuccess: async (samples) => {
      await client.invalidateQueries();
      onLoaded(samples);
    },
  });
  if (!may('write')) return null;
  return (
    <>
      {error && <Problem what="The sample data could not be loaded" error={error} />}
      <Button look="main" icon={<FlaskConical aria-hidden />} isBusy={isPending} onClick={() => mutate()}>
        {isPending ? 'Loading the sample data…' : 'Load sample data'}
      </Button>
    </>
  );
}

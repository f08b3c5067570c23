import type { Api } from '@infold/client/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import { useAccount } from '../api/account.tsx';
import { Button } from '../design/controls/button.tsx';
import { Problem } from '../design/layout/placeholders.tsx';

export type Samples = Awaited<ReturnType<Api['loadSamples']>>;

/** What the views held is old then. */
export function useLoadSamples() {
  const { api } = useAccount().session;
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.loadSamples(),
    onSuccess: () => client.invalidateQueries(),
  });
}

/** For who has nothing to look at yet: a project in which an agent has worked. Not there for who may not write. */
export function LoadSamples({ onLoaded }: { onLoaded?: (samples: Samples) => void }) {
  const { may } = useAccount();
  const { mutate, isPending, error } = useLoadSamples();
  if (!may('write')) return null;
  return (
    <>
      {error && <Problem what="The sample data could not be loaded" error={error} />}
      <Button
        look="main"
        icon={<FlaskConical aria-hidden />}
        isBusy={isPending}
        onClick={() => mutate(undefined, onLoaded && { onSuccess: onLoaded })}
      >
        {isPending ? 'Loading the sample data…' : 'Load sample data'}
      </Button>
    </>
  );
}

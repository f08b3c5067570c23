import { CSPProvider } from '@base-ui/react/csp-provider';
import { Tooltip } from '@base-ui/react/tooltip';
import { ApiError } from '@infold/client/api';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { AccountProvider } from '../api/account.tsx';
import { LiveProvider } from '../api/live.tsx';
import { router } from './router.tsx';

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // What changes is told by the journal: nothing is asked for again because somebody came back to the page.
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 2 && (!(error instanceof ApiError) || error.retryable),
    },
  },
});

export function App() {
  return (
    // The page's policy admits no style elements, and the parts that would add some are told so.
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={client}>
        <AccountProvider>
          <LiveProvider>
            <Tooltip.Provider delay={300}>
              <RouterProvider router={router} />
            </Tooltip.Provider>
          </LiveProvider>
        </AccountProvider>
      </QueryClientProvider>
    </CSPProvider>
  );
}

import type { Api } from '@infold/client/api';
import type { Scope } from '@infold/protocol';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useCallback, useMemo, useState } from 'react';
import { createSession, type Session, signIn, signOut } from './session.ts';

/** The name that the server gives to who needs no token. */
const LOCAL_OWNER = 'owner';

type Status = Awaited<ReturnType<Api['infoldStatus']>>;

export interface Account {
  session: Session;
  /** Undefined while it is asked for, and where nobody is signed in. */
  status: Status | undefined;
  isSignedOut: boolean;
  /** Why the server could not say who this is. */
  problem: unknown;
  /** Without tokens: whoever can open this page owns what it shows. */
  isOwner: boolean;
  may(scope: Scope): boolean;
  signIn(token: string, keep: boolean): Promise<void>;
  signOut(): Promise<void>;
}

const PATIENCE = 3000;

const AccountContext = createContext<Account | undefined>(undefined);

/** Who looks at this page, and what they may do. */
export function AccountProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [isSignedOut, setSignedOut] = useState(false);
  // A new one for each who comes: what a view keeps of one session is nothing to the next.
  const begin = useCallback((token?: string) => createSession(token, () => setSignedOut(true)), []);
  const [session, setSession] = useState(() => begin());
  const { data, error } = useQuery({
    queryKey: ['status', session.token],
    queryFn: ({ signal }) => session.api.infoldStatus({}, { signal }),
    enabled: !isSignedOut,
    // A server that does not answer may do so in a moment.
    refetchInterval: ({ state }) => state.status === 'error' && PATIENCE,
  });
  const status = isSignedOut ? undefined : data;
  const enter = useCallback(
    async (given: string, keep: boolean) => {
      await signIn(given, keep);
      client.clear();
      // With the cookie the page need not hold it.
      setSession(begin(keep ? undefined : given));
      setSignedOut(false);
    },
    [client, begin],
  );
  const leave = useCallback(async () => {
    await signOut();
    client.clear();
    setSession(begin());
    setSignedOut(true);
  }, [client, begin]);
  const account = useMemo<Account>(
    () => ({
      session,
      status,
      isSignedOut,
      problem: error,
      isOwner: status?.principal === LOCAL_OWNER,
      may: (scope) => status?.scopes.includes(scope) ?? false,
      signIn: enter,
      signOut: leave,
    }),
    [session, status, isSignedOut, error, enter, leave],
  );
  return <AccountContext value={account}>{children}</AccountContext>;
}

export function useAccount(): Account {
  const account = use(AccountContext);
  if (!account) throw new Error('There is no account around this');
  return account;
}

export function useApi(): Api {
  return useAccount().session.api;
}

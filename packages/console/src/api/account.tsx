import type { Api } from '@infold/client/api';
import type { Scope } from '@infold/protocol';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useState } from 'react';
import { createSession, type Session, signIn, signOut } from './session.ts';

/** Who needs no token. Others of that name are of other organisations. */
const LOCAL_OWNER = { principal: 'owner', organisation: 'local' };

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

/** Other pages of this browser share the cookie: they are told when it changes hands. */
const tabs = new BroadcastChannel('infold.account');

interface Identity {
  token: string | undefined;
  /** Counts who came: each has a session of their own, and never sees what the one before saw, also by the cookie. */
  entrance: number;
  isSignedOut: boolean;
}

const AccountContext = createContext<Account | undefined>(undefined);

/** Who looks at this page, and what they may do. */
export function AccountProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [{ token, entrance, isSignedOut }, setIdentity] = useState<Identity>({
    token: undefined,
    entrance: 0,
    isSignedOut: false,
  });
  const session = useMemo(() => {
    // An answer to who one was before says nothing of who one is now.
    const onSignedOut = () =>
      setIdentity((now) => (now.entrance === entrance ? { ...now, isSignedOut: true } : now));
    return createSession(token, onSignedOut);
  }, [token, entrance]);
  const { data, error } = useQuery({
    queryKey: ['status', entrance],
    queryFn: ({ signal }) => session.api.infoldStatus({}, { signal }),
    enabled: !isSignedOut,
    // A server that does not answer may do so in a moment.
    refetchInterval: ({ state }) => state.status === 'error' && PATIENCE,
  });
  const status = isSignedOut ? undefined : data;
  const enter = useCallback(
    async (given: string, keep: boolean) => {
      await signIn(given, keep);
      if (keep) tabs.postMessage('changed');
      client.clear();
      // With the cookie the page need not hold it.
      setIdentity(({ entrance }) => ({
        token: keep ? undefined : given,
        entrance: entrance + 1,
        isSignedOut: false,
      }));
    },
    [client],
  );
  const leave = useCallback(async () => {
    await signOut();
    tabs.postMessage('changed');
    client.clear();
    setIdentity(({ entrance }) => ({ token: undefined, entrance: entrance + 1, isSignedOut: true }));
  }, [client]);
  useEffect(() => {
    // A page that holds a token of its own does not live by the cookie.
    if (token !== undefined) return;
    const onChange = () => {
      client.clear();
      setIdentity((now) => ({ ...now, entrance: now.entrance + 1, isSignedOut: false }));
    };
    tabs.addEventListener('message', onChange);
    return () => tabs.removeEventListener('message', onChange);
  }, [client, token]);
  const account = useMemo<Account>(
    () => ({
      session,
      status,
      isSignedOut,
      problem: error,
      isOwner:
        status?.principal === LOCAL_OWNER.principal && status.organisation === LOCAL_OWNER.organisation,
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
  if (!account) throw new Error('useAccount needs an AccountProvider around it');
  return account;
}

export function useApi(): Api {
  return useAccount().session.api;
}

import {
  type ContextPayload,
  connectPod,
  type Participant,
  type PodConnection,
} from '@infold/client/gateway';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import { Batches } from '../../api/batches.ts';
import { participantsQuery } from '../queries.ts';
import type { PodFeed, PodMessage } from './feed.ts';
import { socketFor } from './socket.ts';

/**
 * `taken`: somebody takes part under this name already, and would be thrown out. `lost`: the connection broke and is tried
 * again. `ended`: it will not come back by itself.
 */
export type LinkState = 'joining' | 'joined' | 'lost' | 'taken' | 'ended';

export interface PodLink {
  state: LinkState;
  /** Whom one takes part as, or would. */
  name: string;
  /** Undefined until one has joined. */
  me: Participant | undefined;
  /** Everybody who is connected, oneself included. */
  present: readonly Participant[];
  /** Why it ended. */
  reason: string | undefined;
  connection: PodConnection | undefined;
  /** Takes part here, whoever else does under this name. */
  insist(): void;
}

interface Joined {
  state: LinkState;
  me?: Participant;
  present?: readonly Participant[];
  reason?: string;
  connection?: PodConnection;
}

interface LinkOptions {
  pod: string;
  /** The name that the owner of the machine chose. */
  as: string | undefined;
  feed: PodFeed | undefined;
  onContext: (context: ContextPayload) => void;
}

/** Takes part in a pod for as long as it is on the page, and feeds what is said there. */
export function usePodLink({ pod, as, feed, onContext }: LinkOptions): PodLink {
  const { session, status, isOwner } = useAccount();
  const { api, token } = session;
  const name = (isOwner ? as : undefined) ?? status?.principal ?? '';
  const [attempt, setAttempt] = useState(0);
  const [isJoining, setJoining] = useState(false);
  const [link, setLink] = useState<Joined>({ state: 'joining' });
  const { data: known, isFetched } = useQuery({
    ...participantsQuery(api, pod),
    // Who joined is told; who did not asks.
    refetchInterval: !isJoining || link.state === 'ended' ? OFTEN : false,
  });
  const others = known?.participants;
  const isTaken = others?.some(({ id }) => id === name) ?? false;
  const told = useRef(onContext);
  useEffect(() => {
    told.current = onContext;
  });
  // Also when whoever had the name has left.
  const isFree = isFetched && name !== '' && !isTaken;
  useEffect(() => {
    if (isFree) setJoining(true);
  }, [isFree]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `attempt` begins it anew
  useEffect(() => {
    if (!feed || !isJoining) return;
    let connection: PodConnection | undefined;
    let isOver = false;
    const batches = new Batches<PodMessage>((messages) => feed.receive(messages));
    const end = (reason: string) => {
      if (isOver) return;
      feed.part();
      setLink({ state: 'ended', reason });
    };
    connectPod({
      ...{ url: location.origin, pod, WebSocket: socketFor(token) },
      ...(isOwner && { participant: name }),
    }).then(
      (joined) => {
        if (isOver) return joined.close();
        connection = joined;
        const show = (state: LinkState) =>
          !isOver &&
          setLink({ state, me: joined.me, present: [joined.me, ...joined.participants], connection: joined });
        const arrive = () => {
          show('joined');
          void feed.meet();
        };
        joined.on('message', (envelope) => {
          const { seq, epoch, ...rest } = envelope;
          if (seq !== undefined) batches.add({ seq, epoch: epoch ?? '', envelope: rest as typeof envelope });
        });
        joined.on('presence', () => show('joined'));
        joined.on('context', (context) => told.current(context));
        // Positions begin again, or some are gone: what there is now is read anew.
        joined.on('gap', () => void feed.begin().then(() => feed.meet()));
        joined.on('welcome', arrive);
        joined.on('disconnected', () => {
          feed.part();
          show('lost');
        });
        joined.on('closed', ({ code, reason }) => end(reason || `closed with ${code}`));
        arrive();
      },
      (error: unknown) => end(error instanceof Error ? error.message : String(error)),
    );
    return () => {
      isOver = true;
      batches.stop();
      feed.part();
      connection?.close();
    };
  }, [feed, pod, name, token, isOwner, isJoining, attempt]);
  const insist = useCallback(() => {
    setJoining(true);
    setLink({ state: 'joining' });
    setAttempt((before) => before + 1);
  }, []);
  return useMemo(
    () => ({
      state: isFetched && !isJoining ? 'taken' : link.state,
      name,
      me: link.me,
      present: link.present ?? others ?? [],
      reason: link.reason,
      connection: link.state === 'joined' || link.state === 'lost' ? link.connection : undefined,
      insist,
    }),
    [link, name, others, insist, isFetched, isJoining],
  );
}

const OFTEN = 3000;

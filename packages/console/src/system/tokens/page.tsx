import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import { Button } from '../../design/controls/button.tsx';
import { plural } from '../../design/data/format.ts';
import { useNow } from '../../design/hooks/use-now.ts';
import { Panel } from '../../design/layout/panel.tsx';
import { Empty, Loading, Problem, Skeleton } from '../../design/layout/placeholders.tsx';
import { projectsQuery, type Token, tokensQuery } from '../queries.ts';
import { CreateToken } from './create.tsx';
import { useFresh } from './fresh.ts';
import styles from './page.module.css';
import { RevokeToken } from './revoke.tsx';
import { ShownOnce } from './shown-once.tsx';
import { isLastAdmin, stateOf } from './state.ts';
import { TokenTable } from './token-table.tsx';

export default function TokensPage() {
  const { session, isOwner } = useAccount();
  const { data, error, refetch } = useQuery(tokensQuery(session));
  const { data: known } = useQuery(projectsQuery(session));
  const fresh = useFresh();
  const { make: isMaking = false } = useSearch({ strict: false });
  const navigate = useNavigate();
  const setMaking = (isOpen: boolean) =>
    void navigate({
      to: '.',
      search: (before: object) => ({ ...before, make: isOpen || undefined }),
      replace: !isOpen,
    });
  const [ending, setEnding] = useState<Token>();
  const now = useNow();
  if (error && !data) return <Problem what="The tokens could not be read" error={error} onRetry={refetch} />;
  if (!data) {
    return (
      <Loading what="tokens">
        <Skeleton lines={5} height="2rem" />
      </Loading>
    );
  }
  const { tokens } = data;
  const projects = known?.projects ?? [];
  const isFirst = isOwner && tokens.length === 0;
  const make = (
    <Button look="main" icon={<Plus aria-hidden />} onClick={() => setMaking(true)}>
      New token
    </Button>
  );
  const inForce = tokens.filter((token) => stateOf(token, now) === 'in force').length;
  return (
    <>
      {tokens.length === 0 ? (
        <Panel>
          <Empty icon={<KeyRound aria-hidden />} title="There are no tokens" actions={make}>
            <p>
              Anybody who can open this address owns everything here. That is fine on a machine of your own.
              Once you make the first token, everybody needs one.
            </p>
          </Empty>
        </Panel>
      ) : (
        <Panel
          isFlush
          title={inForce === 0 ? 'No token is in force' : `${plural(inForce, 'token')} in force`}
          aside={make}
        >
          <TokenTable tokens={tokens} projects={projects} onRevoke={setEnding} />
        </Panel>
      )}
      <p className={styles.about}>
        A token says who is calling, which projects they can use, and what they can do there. Only a hash of
        it is stored, so nobody can show it again, not even this page.
      </p>
      {isMaking && <CreateToken {...{ isFirst, projects }} onClose={() => setMaking(false)} />}
      {ending && (
        <RevokeToken
          token={ending}
          isLastAdmin={isLastAdmin(ending, tokens, now)}
          onClose={() => setEnding(undefined)}
        />
      )}
      {fresh && <ShownOnce fresh={fresh} />}
    </>
  );
}

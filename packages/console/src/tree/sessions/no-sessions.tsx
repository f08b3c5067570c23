import { Link, useNavigate } from '@tanstack/react-router';
import { GitFork } from 'lucide-react';
import { LoadSamples } from '../../app/samples.tsx';
import { Empty } from '../../design/layout/placeholders.tsx';

/** Before anything happened: what there would be, and how to begin. */
export function NoSessions() {
  const navigate = useNavigate();
  const show = (session: string | null) =>
    void navigate(session === null ? { to: '/tree' } : { to: '/tree/$session', params: { session } });
  return (
    <Empty
      icon={<GitFork aria-hidden />}
      title="No session yet"
      actions={<LoadSamples onLoaded={({ session_id }) => show(session_id)} />}
    >
      <p>
        A session is what one agent does from beginning to end. It branches off subtasks, and folds each into
        a summary when it is done: here you see what it holds, what left, and every original.
      </p>
      <p>
        <Link to="/system">Connect a host</Link>, or start one with <code>npx infold run claude-code</code>.
        Its session appears here as soon as it calls its first tool.
      </p>
    </Empty>
  );
}

import { GitFork } from 'lucide-react';
import { Empty } from '../design/states.tsx';

/** Before anything happened: what there would be, and how to begin. */
export function NoSessions() {
  return (
    <Empty icon={<GitFork aria-hidden />} title="No session yet">
      <p>
        A session is what one agent does from beginning to end. It branches off subtasks, and folds each into
        a summary when it is done: here you see what it holds, what left, and every original.
      </p>
      <p>
        Connect a host with <code>infold init</code>, or run one through <code>infold run</code>. Its session
        appears here as soon as it calls its first tool.
      </p>
    </Empty>
  );
}

import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { Page } from '../design/page.tsx';
import { Empty, Problem } from '../design/states.tsx';

export function NotFound() {
  return (
    <Page title="Not found">
      <Empty icon={<Compass aria-hidden />} title="There is no page at this address">
        <p>
          The link may be of another version. <Link to="/window">What agents hold in mind</Link> is a good
          place to begin.
        </p>
      </Empty>
    </Page>
  );
}

/** A view threw: the frame stays, so that one can go on. */
export function Broken({ error, reset }: ErrorComponentProps) {
  return (
    <Page title="Something broke">
      <Problem what="This view could not be shown" error={error} onRetry={reset} />
    </Page>
  );
}

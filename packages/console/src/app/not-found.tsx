import { type ErrorComponentProps, Link } from '@tanstack/react-router';
import { Compass } from 'lucide-react';
import { Page } from '../design/layout/page.tsx';
import { Empty, Problem } from '../design/layout/placeholders.tsx';

export function NotFound() {
  return (
    <Page title="Not found">
      <Empty icon={<Compass aria-hidden />} title="There is no page at this address">
        <p>
          The link may come from another version of Infold. Start again from{' '}
          <Link to="/window">what your agents hold in mind</Link>.
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

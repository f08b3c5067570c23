import { Page } from '../design/page.tsx';
import { Loading } from '../design/states.tsx';

export function WindowView() {
  return (
    <Page title="Window">
      <Loading what="the window" />
    </Page>
  );
}

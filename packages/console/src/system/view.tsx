import { Page } from '../design/page.tsx';
import { Loading } from '../design/states.tsx';

export function SystemView() {
  return (
    <Page title="System">
      <Loading what="the system" />
    </Page>
  );
}

import { Page } from '../design/page.tsx';
import { Loading } from '../design/states.tsx';

export function TreeView() {
  return (
    <Page title="Tree">
      <Loading what="the tree" />
    </Page>
  );
}

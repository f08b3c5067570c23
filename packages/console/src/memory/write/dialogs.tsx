import { useAccount } from '../../api/account.tsx';
import { useAddress } from '../address.ts';
import { ForgetDialog } from './forget.tsx';
import { MergeDialog } from './merge.tsx';
import { RelateDialog } from './relate.tsx';
import { RememberDialog } from './remember.tsx';
import { SupersedeDialog } from './supersede.tsx';

/** The dialog that the address names, if there is what it needs. */
export function WriteDialogs() {
  const { may } = useAccount();
  const { write, id, pick = [] } = useAddress();
  if (write === 'remember') return <RememberDialog />;
  if (write === 'supersede' && id !== undefined) return <SupersedeDialog id={id} />;
  if (write === 'relate' && id !== undefined) return <RelateDialog id={id} />;
  if (write === 'merge' && pick.length > 1) return <MergeDialog ids={pick} />;
  if (write === 'forget' && id !== undefined && may('admin')) return <ForgetDialog id={id} />;
  return null;
}

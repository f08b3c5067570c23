import { Dialog } from '../design/controls/dialog.tsx';
import { PLACES } from './places.ts';
import styles from './shortcut-list.module.css';

const KEYS: [keys: string, what: string][] = [
  ['Ctrl K', 'Commands: go anywhere, do anything'],
  ...PLACES.map(({ key, name }): [string, string] => [`g ${key}`, name]),
  ['?', 'This list'],
  ['Esc', 'Close what is open'],
];

/** The list of keys. */
export default function Keys({ onClose }: { onClose: () => void }) {
  return (
    <Dialog isOpen onClose={onClose} title="Keys">
      <dl className={styles.keys}>
        {KEYS.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

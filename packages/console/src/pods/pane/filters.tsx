import { useNavigate } from '@tanstack/react-router';
import { SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../design/controls/button.tsx';
import { Choice } from '../../design/controls/choice.tsx';
import { Checkbox, Select } from '../../design/controls/field.tsx';
import { Words } from '../../design/controls/words.tsx';
import type { PodsSearch } from '../search.ts';
import { isFiltered } from '../wanted.ts';
import styles from './filters.module.css';

interface FiltersProps {
  search: PodsSearch;
  /** Types of contexts that the pod has. */
  types: readonly string[];
  onToggleAll: (isOpen: boolean) => void;
}

/** What of the messages is shown. Every choice is in the address. */
export function Filters({ search, types, onToggleAll }: FiltersProps) {
  const navigate = useNavigate();
  const [isShown, setShown] = useState(false);
  const { contexts = 'all', descendants, kinds, directed, find, flat } = search;
  const change = (more: Partial<PodsSearch>) =>
    void navigate({ to: '.', search: (before) => ({ ...before, ...more }), replace: true });
  const isId = contexts.startsWith('id:');
  const chosen = [contexts !== 'all', kinds, directed].filter(Boolean).length;
  const options = [
    { value: 'all', label: 'All contexts' },
    { value: 'main', label: 'Main context only' },
    { value: 'conclusions', label: 'Conclusions of contexts' },
    ...types.map((type) => ({ value: `type:${type}`, label: `Main, and type ${type}` })),
  ];
  if (!options.some(({ value }) => value === contexts)) {
    const name = contexts.slice(contexts.indexOf(':') + 1);
    options.push({ value: contexts, label: isId ? `Context ${name}` : `Main, and types ${name}` });
  }
  return (
    <search className={styles.bar} aria-label="Filter messages">
      <div className={styles.line}>
        <Words
          label="Find"
          type="search"
          placeholder="Words in all messages"
          value={find}
          onChange={(value) => change({ find: value })}
        />
        <Button
          size="small"
          look="quiet"
          className={styles.more}
          icon={<SlidersHorizontal aria-hidden />}
          aria-expanded={isShown}
          onClick={() => setShown(!isShown)}
        >
          {chosen === 0 ? 'Filter' : `Filter (${chosen})`}
        </Button>
        {isFiltered(search) && (
          <Button
            size="small"
            onClick={() =>
              change({
                ...{ contexts: undefined, descendants: undefined, kinds: undefined },
                ...{ directed: undefined, find: undefined },
              })
            }
          >
            Show all
          </Button>
        )}
      </div>
      <div className={isShown ? styles.choices : styles.folded}>
        <Select
          label="Contexts"
          options={options}
          value={contexts}
          onChange={(value) =>
            change({ contexts: value === 'all' ? undefined : value, descendants: undefined })
          }
        />
        <Words
          label="Kinds"
          placeholder="chat, mcp/*"
          value={kinds}
          onChange={(value) => change({ kinds: value })}
        />
        <div className={styles.checks}>
          <Checkbox
            label="To everyone or me"
            isChecked={directed === true}
            onChange={(isChecked) => change({ directed: isChecked || undefined })}
          />
          {isId && (
            <Checkbox
              label="With what is nested in it"
              isChecked={descendants === true}
              onChange={(isChecked) => change({ descendants: isChecked || undefined })}
            />
          )}
        </div>
        <div className={styles.buttons}>
          <Choice
            label="Order"
            value={flat ? 'time' : 'context'}
            options={[
              { value: 'context', label: 'By context' },
              { value: 'time', label: 'By time' },
            ]}
            onChange={(value) => change({ flat: value === 'time' || undefined })}
          />
          {!flat && (
            <>
              <Button size="small" look="quiet" onClick={() => onToggleAll(true)}>
                Open all
              </Button>
              <Button size="small" look="quiet" onClick={() => onToggleAll(false)}>
                Close all
              </Button>
            </>
          )}
        </div>
      </div>
    </search>
  );
}

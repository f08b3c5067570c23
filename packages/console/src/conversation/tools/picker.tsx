import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import { TextField } from '../../design/controls/field.tsx';
import { Badge } from '../../design/data/badge.tsx';
import { searched, type ToolGroup } from './groups.ts';
import styles from './picker.module.css';

interface PickerProps {
  groups: readonly ToolGroup[];
  project: string | undefined;
  onChoose: () => void;
}

/** Every tool of the server by its door. Arrows go through them, from the search on. */
export function Picker({ groups, project, onChoose }: PickerProps) {
  const [query, setQuery] = useState('');
  const { may } = useAccount();
  const found = searched(groups, query);
  return (
    <search className={styles.picker} onKeyDown={moveFocus}>
      <TextField
        label="Find a tool"
        type="search"
        placeholder="Name or what it does"
        value={query}
        onChange={(event) => setQuery(event.target.value)}
      />
      {found.length === 0 && <p className={styles.none}>No tool matches these words.</p>}
      {found.map(({ door, tools }) => (
        <section key={door} aria-label={door}>
          <h3 className={styles.door}>{door}</h3>
          <ul>
            {tools.map(({ name, title, needsWrite }) => (
              <li key={name}>
                <Link
                  to="/conversation"
                  search={{ project, tool: name }}
                  className={styles.tool}
                  resetScroll={false}
                  onClick={onChoose}
                  data-tool
                >
                  <span className={styles.words}>
                    <code>{name}</code>
                    <span className={styles.title}>{title}</span>
                  </span>
                  {needsWrite && !may('write') && <Badge>needs write</Badge>}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </search>
  );
}

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (way === undefined) return;
  const places = [...event.currentTarget.querySelectorAll<HTMLElement>('input, [data-tool]')];
  const next = places[places.indexOf(document.activeElement as HTMLElement) + way];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

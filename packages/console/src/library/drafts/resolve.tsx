import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useApi } from '../../api/account.tsx';
import { Button } from '../../design/controls/button.tsx';
import { Choice as ChoiceField } from '../../design/controls/choice.tsx';
import { Badge } from '../../design/data/badge.tsx';
import { plural } from '../../design/data/format.ts';
import { Loading, Problem } from '../../design/layout/placeholders.tsx';
import { renewLibrary } from '../queries.ts';
import styles from './conflict.module.css';
import { type MergeSection, resolved, sectionsOf, type Taking, usualChoice } from './three-sides.ts';

const SourceEditor = lazy(() => import('../code/editor.tsx'));

interface ResolveProps {
  id: string;
  base: string;
  published: string;
  draft: string;
  mayResolve: boolean;
}

/** Three versions beside each other, place by place; what is taken of each makes the draft anew. */
export function Resolve({ id, base, published, draft, mayResolve }: ResolveProps) {
  const api = useApi();
  const client = useQueryClient();
  const sections = useMemo(() => sectionsOf(base, published, draft), [base, published, draft]);
  const [choices, setChoices] = useState<ReadonlyMap<number, Taking>>(new Map());
  /** What somebody made of the result by hand; choices would undo it. */
  const [edited, setEdited] = useState<string>();
  const [round, setRound] = useState(0);
  const merged = useMemo(() => resolved(sections, choices), [sections, choices]);
  const missing = sections.filter(
    (section, place) => usualChoice(section) === undefined && !choices.has(place),
  ).length;
  const rebase = useMutation({
    mutationFn: (body: string) => api.rebaseDraft({ id, body }),
    onSettled: () => renewLibrary(client),
  });
  const result = edited ?? merged;
  return (
    <>
      <ol className={styles.sections} aria-label="Places that differ">
        {sections.map((section, place) =>
          section.kind === 'same' ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: sections stay where they are
            <Unchanged key={place} lines={section.base.length} />
          ) : (
            <Place
              // biome-ignore lint/suspicious/noArrayIndexKey: as above
              key={place}
              section={section}
              choice={choices.get(place) ?? usualChoice(section)}
              onChoose={
                mayResolve && edited === undefined
                  ? (choice) => setChoices((before) => new Map(before).set(place, choice))
                  : undefined
              }
            />
          ),
        )}
      </ol>
      {mayResolve && (
        <section className={styles.result} aria-label="Result">
          <h3>Result</h3>
          {merged === undefined ? (
            <p role="status" className={styles.soft}>
              {plural(missing, 'place')} above {missing === 1 ? 'was' : 'were'} changed by both: choose what
              to take.
            </p>
          ) : (
            <>
              <p className={styles.soft}>
                {edited === undefined
                  ? 'This is what the draft will say. Change it by hand where you need to.'
                  : 'You have changed the result by hand, so that choices above are closed.'}
              </p>
              <Suspense fallback={<Loading what="the editor" />}>
                <SourceEditor
                  // Other choices are another text to begin with.
                  key={JSON.stringify([round, ...choices])}
                  label="Result"
                  text={result!}
                  onChange={setEdited}
                />
              </Suspense>
            </>
          )}
          <div className={styles.buttons}>
            <Button
              look="main"
              disabled={result === undefined || result === ''}
              isBusy={rebase.isPending}
              onClick={() => rebase.mutate(result!)}
            >
              Save into the draft
            </Button>
            {(choices.size > 0 || edited !== undefined) && (
              <Button
                look="quiet"
                onClick={() => {
                  setChoices(new Map());
                  setEdited(undefined);
                  setRound(round + 1);
                }}
              >
                Start again
              </Button>
            )}
          </div>
          {rebase.error && (
            <Problem what="The draft was not changed; your text is kept" error={rebase.error} />
          )}
        </section>
      )}
    </>
  );
}

function Unchanged({ lines }: { lines: number }) {
  return <li className={styles.same}>{plural(lines, 'line')} alike in all three</li>;
}

const KINDS = {
  published: { text: 'changed by what was published', tone: 'mute' },
  draft: { text: 'changed by the draft', tone: 'mute' },
  both: { text: 'changed by both alike', tone: 'mute' },
  conflict: { text: 'changed by both', tone: 'warn' },
} as const;

const SIDES = [
  { side: 'base', name: 'Base' },
  { side: 'published', name: 'Published' },
  { side: 'draft', name: 'Draft' },
] as const;

const OPTIONS: readonly { value: Taking; label: string }[] = [
  { value: 'published', label: 'Published' },
  { value: 'draft', label: 'Draft' },
  { value: 'both', label: 'Both' },
  { value: 'base', label: 'Base' },
];

interface PlaceProps {
  section: MergeSection;
  choice: Taking | undefined;
  onChoose: ((choice: Taking) => void) | undefined;
}

function Place({ section, choice, onChoose }: PlaceProps) {
  const { text, tone } = KINDS[section.kind as keyof typeof KINDS];
  return (
    <li className={styles.place}>
      <div className={styles.head}>
        <Badge tone={section.kind === 'conflict' && choice !== undefined ? 'good' : tone}>
          {section.kind === 'conflict' && choice !== undefined ? 'changed by both, resolved' : text}
        </Badge>
        {onChoose && (
          <span className={styles.take}>
            Take
            <ChoiceField
              label="Take"
              options={OPTIONS}
              // Nothing is pressed until somebody chooses.
              value={(choice ?? '') as Taking}
              onChange={onChoose}
            />
          </span>
        )}
      </div>
      <div className={styles.sides}>
        {SIDES.map(({ side, name }) => (
          <figure key={side} className={styles.side} data-taken={isTaken(side, choice) || undefined}>
            <figcaption>
              {name}
              {isTaken(side, choice) && ' · taken'}
            </figcaption>
            {section[side].length === 0 ? (
              <p className={styles.soft}>nothing here</p>
            ) : (
              <pre>
                <bdi>{section[side].join('\n')}</bdi>
              </pre>
            )}
          </figure>
        ))}
      </div>
    </li>
  );
}

const isTaken = (side: 'base' | 'published' | 'draft', choice: Taking | undefined) =>
  choice === side || (choice === 'both' && side !== 'base');

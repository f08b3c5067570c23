import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useAccount, useApi } from '../../api/account.tsx';
import { Button } from '../../design/controls/button.tsx';
import { Choice as ChoiceField } from '../../design/controls/choice.tsx';
import { Badge } from '../../design/data/badge.tsx';
import { plural } from '../../design/data/format.ts';
import { useObservable } from '../../design/hooks/observable.ts';
import { Loading, Problem } from '../../design/layout/placeholders.tsx';
import { Overtaken } from '../editor/overtaken.tsx';
import { dropUnsaved, keepUnsaved, settleSaved, unsavedFor, unsavedTexts, whoIs } from '../editor/unsaved.ts';
import { type LibraryDraft, renewLibrary } from '../queries.ts';
import styles from './conflict.module.css';
import { type MergeSection, resolved, sectionsOf, type Taking, usualChoice } from './three-sides.ts';

const SourceEditor = lazy(() => import('../code/editor.tsx'));

interface ResolveProps {
  project: string;
  draft: LibraryDraft;
  base: string;
  published: { hash: string; content: string };
  /** What the draft says. */
  mine: string;
  mayResolve: boolean;
}

/** Three versions beside each other, place by place; what is taken of each makes the draft anew. */
export function Resolve({ project, draft, base, published, mine, mayResolve }: ResolveProps) {
  const api = useApi();
  const { status } = useAccount();
  const client = useQueryClient();
  const { id, draft_path: path, resource } = draft;
  const theirs = published.content;
  const sections = useMemo(() => sectionsOf(base, theirs, mine), [base, theirs, mine]);
  const [choices, setChoices] = useState<ReadonlyMap<number, Taking>>(new Map());
  /** Another one is another text for the editor to begin with. */
  const [round, setRound] = useState(0);
  const key = { who: whoIs(status), project, target: `merge:${id}` };
  /** What somebody made of the result by hand; choices would undo it. */
  const kept = unsavedFor(useObservable(unsavedTexts), key);
  const edited = kept?.text;
  const keep = (text: string) =>
    keepUnsaved({ ...key, text, name: path, path, resource, description: '', base: theirs, draft: mine });
  const [seen, setSeen] = useState({ base, theirs, mine });
  const [isRenewed, setRenewed] = useState(false);
  // Choices are of places, and these are others now.
  if (seen.theirs !== theirs || seen.mine !== mine || seen.base !== base) {
    setSeen({ base, theirs, mine });
    setRenewed(isRenewed || choices.size > 0);
    setChoices(new Map());
    if (edited === undefined) setRound(round + 1);
  }
  const isOvertaken = kept !== undefined && (kept.base !== theirs || kept.draft !== mine);
  const merged = useMemo(() => resolved(sections, choices), [sections, choices]);
  const missing = sections.filter(
    (section, place) => usualChoice(section) === undefined && !choices.has(place),
  ).length;
  const rebase = useMutation({
    mutationFn: (body: string) => api.rebaseDraft({ id, body, onto: published.hash }),
    onSuccess: (_, body) => void settleSaved(key, body, id),
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
                  ? (choice) => {
                      setChoices((before) => new Map(before).set(place, choice));
                      setRound(round + 1);
                      setRenewed(false);
                    }
                  : undefined
              }
            />
          ),
        )}
      </ol>
      {mayResolve && (
        <section className={styles.result} aria-label="Result">
          <h3>Result</h3>
          {isRenewed && edited === undefined && (
            <p role="alert" className={styles.renewed}>
              It was published again, or the draft was changed, while you chose: choose anew.
            </p>
          )}
          {isOvertaken && (
            <Overtaken
              before={kept.base === theirs ? kept.draft! : kept.base}
              after={kept.base === theirs ? mine : theirs}
              onTake={() => keep(kept.text)}
            >
              {kept.base === theirs ? 'The draft was changed' : 'It was published again'} since you changed
              the result by hand. Your text is kept. This is what changed; take over what you need, then go
              on.
            </Overtaken>
          )}
          {result === undefined ? (
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
                <SourceEditor key={round} label="Result" text={result} onChange={keep} />
              </Suspense>
            </>
          )}
          <div className={styles.buttons}>
            <Button
              look="main"
              disabled={result === undefined || result === '' || isOvertaken}
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
                  dropUnsaved(key);
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

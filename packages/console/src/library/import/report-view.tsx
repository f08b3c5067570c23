import { Upload } from 'lucide-react';
import { useState } from 'react';
import { useAccount } from '../../api/account.tsx';
import { Button } from '../../design/controls/button.tsx';
import { Badge, type Tone } from '../../design/data/badge.tsx';
import { Figures } from '../../design/data/figures.tsx';
import { count, plural } from '../../design/data/format.ts';
import { Panel } from '../../design/layout/panel.tsx';
import { type Column, Table } from '../../design/table/table.tsx';
import { ButtonLink } from '../button-link.tsx';
import type { ReadFiles } from './read.ts';
import { type ImportSummary, type ReportRow, rowsOf } from './report.ts';
import styles from './report-view.module.css';

interface ReportViewProps {
  project: string;
  way: 'check' | 'draft' | 'publish';
  read: ReadFiles;
  report: ImportSummary;
  /** Undefined once it is done. */
  onImport: ((way: 'draft' | 'publish') => void) | undefined;
}

const TITLES = { check: 'What would change', draft: 'Saved as drafts', publish: 'Published' };

/** What an import does to each file, before and after. */
export function ReportView({ project, way, read, report, onImport }: ReportViewProps) {
  const { may } = useAccount();
  const rows = rowsOf(report, read.refused);
  const refused = rows.filter(({ result }) => result === 'refused').length;
  const changes = report.created + report.updated + report.renamed;
  return (
    <>
      <Figures
        label={TITLES[way]}
        figures={[
          { name: 'New', value: count(report.created) },
          { name: 'Changed', value: count(report.updated + report.renamed) },
          { name: 'Unchanged', value: count(report.unchanged) },
          { name: 'Refused', value: count(refused), ...(refused > 0 && { tone: 'warn' as const }) },
        ]}
      />
      <Panel
        title={TITLES[way]}
        isFlush
        aside={
          onImport ? (
            <div className={styles.buttons}>
              <Button disabled={changes === 0} onClick={() => onImport('draft')}>
                Save as drafts
              </Button>
              {may('review') && (
                <Button
                  look="main"
                  icon={<Upload aria-hidden />}
                  disabled={changes === 0}
                  onClick={() => onImport('publish')}
                >
                  Publish now
                </Button>
              )}
            </div>
          ) : (
            <ButtonLink look="main" page={way === 'draft' ? 'drafts' : 'files'} search={{ project }}>
              {way === 'draft' ? 'Go to the drafts' : 'Go to the files'}
            </ButtonLink>
          )
        }
      >
        <Notes {...{ way, report, changes }} others={read.others} />
        {rows.length > 0 && <Files rows={rows} />}
      </Panel>
    </>
  );
}

interface NotesProps {
  way: ReportViewProps['way'];
  report: ImportSummary;
  changes: number;
  others: number;
}

function Notes({ way, report, changes, others }: NotesProps) {
  const notes = [
    changes === 0 && 'There is nothing to import: everything that can be is in the library as it is.',
    way === 'check' &&
      report.secrets > 0 &&
      `${plural(report.secrets, 'secret')} will be replaced by placeholders.`,
    way !== 'check' &&
      report.secrets > 0 &&
      `${plural(report.secrets, 'secret')} were replaced by placeholders.`,
    report.without_constraints.length > 0 &&
      `${plural(report.without_constraints.length, 'rule')} without sections or lists: nothing in them can be referred to.`,
    others > 0 && `${plural(others, 'other file')} that are no Markdown were left out.`,
    way === 'publish' &&
      report.drafts_left.length > 0 &&
      `${plural(report.drafts_left.length, 'open draft')} of these files say something else, and stay.`,
  ].filter((note) => note !== false);
  if (notes.length === 0) return null;
  return (
    <ul className={styles.notes}>
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  );
}

const RESULTS: Record<ReportRow['result'], { text: string; tone: Tone }> = {
  refused: { text: 'refused', tone: 'warn' },
  created: { text: 'new', tone: 'good' },
  updated: { text: 'changed', tone: 'note' },
  renamed: { text: 'renamed', tone: 'note' },
  unchanged: { text: 'unchanged', tone: 'mute' },
};

const columns: Column<ReportRow>[] = [
  { name: 'File', cell: ({ path }) => <bdi className={styles.path}>{path}</bdi> },
  {
    name: 'Result',
    cell: ({ result, reason }) => (
      <span className={styles.result}>
        <Badge tone={RESULTS[result].tone}>{RESULTS[result].text}</Badge>
        {reason !== undefined && <bdi>{reason}</bdi>}
      </span>
    ),
  },
];

const SHOWN = 200;

function Files({ rows }: { rows: readonly ReportRow[] }) {
  const [shown, setShown] = useState(SHOWN);
  return (
    <>
      <Table
        caption="Files"
        columns={columns}
        rows={rows.slice(0, shown)}
        keyOf={({ path, result }) => `${result} ${path}`}
      />
      {rows.length > shown && (
        <div className={styles.more}>
          <Button size="small" onClick={() => setShown(shown + 5 * SHOWN)}>
            {count(rows.length - shown)} more
          </Button>
        </div>
      )}
    </>
  );
}

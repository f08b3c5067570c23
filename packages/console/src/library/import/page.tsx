import { useMutation, useQueryClient } from '@tanstack/react-query';
import { FileUp, FolderUp, Lock } from 'lucide-react';
import { type DragEvent, useRef, useState } from 'react';
import { useAccount, useApi } from '../../api/account.tsx';
import { classes } from '../../design/classes.ts';
import { Button } from '../../design/controls/button.tsx';
import { plural } from '../../design/data/format.ts';
import { Panel } from '../../design/layout/panel.tsx';
import { Empty, Problem } from '../../design/layout/placeholders.tsx';
import { renewLibrary } from '../queries.ts';
import styles from './page.module.css';
import { filesOfDrop, filesOfField, type PickedFile, type ReadFiles, readFiles } from './read.ts';
import { batchesOf, type ImportSummary, together } from './report.ts';
import { ReportView } from './report-view.tsx';

/** How files are brought in: nothing changes before somebody has seen the report. */
type Way = 'check' | 'draft' | 'publish';

interface Outcome {
  way: Way;
  read: ReadFiles;
  report: ImportSummary;
}

export default function ImportPage({ project }: { project: string }) {
  const { may } = useAccount();
  const api = useApi();
  const client = useQueryClient();
  const [done, setDone] = useState(0);
  const bring = useMutation({
    mutationFn: async ({ read, way }: { read: ReadFiles; way: Way }): Promise<Outcome> => {
      const reports: ImportSummary[] = [];
      setDone(0);
      for (const files of batchesOf(read.files)) {
        const wish = { dry_run: way === 'check', publish: way === 'publish' };
        reports.push(await api.importFiles({ project, files, ...wish }));
        setDone((before) => before + files.length);
      }
      return { way, read, report: together(reports) };
    },
    onSuccess: ({ way }) => {
      if (way !== 'check') void renewLibrary(client);
    },
  });
  const take = useMutation({
    mutationFn: async (picked: Promise<PickedFile[]> | PickedFile[]) => readFiles(await picked),
    onSuccess: (read) => bring.mutate({ read, way: 'check' }),
  });
  if (!may('write')) {
    return (
      <Empty icon={<Lock aria-hidden />} title="Importing needs the scope “write”">
        <p>Your token may read, but not write: ask whoever gave it to you.</p>
      </Empty>
    );
  }
  const { data: outcome, variables } = bring;
  const isBusy = bring.isPending || take.isPending;
  return (
    <div className={styles.page}>
      <DropZone isBusy={isBusy} onFiles={(picked) => take.mutate(picked)} />
      {isBusy && (
        <p role="status" className={styles.busy}>
          {take.isPending
            ? 'Reading the files'
            : `${variables!.way === 'check' ? 'Checking' : 'Importing'}: ${done} of ${plural(variables!.read.files.length, 'file')}`}
        </p>
      )}
      {take.error && <Problem what="The files could not be read" error={take.error} />}
      {bring.error && (
        <Problem
          what={
            variables!.way === 'check'
              ? 'The files could not be checked'
              : `The import stopped after ${plural(done, 'file')}; what was imported stays`
          }
          error={bring.error}
          onRetry={() => bring.mutate(variables!)}
        />
      )}
      {outcome && !isBusy && (
        <ReportView
          {...{ project, ...outcome }}
          onImport={outcome.way === 'check' ? (way) => bring.mutate({ read: outcome.read, way }) : undefined}
        />
      )}
    </div>
  );
}

interface DropZoneProps {
  isBusy: boolean;
  onFiles: (picked: Promise<PickedFile[]> | PickedFile[]) => void;
}

function DropZone({ isBusy, onFiles }: DropZoneProps) {
  const [isOver, setOver] = useState(false);
  const folder = useRef<HTMLInputElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const over = (event: DragEvent) => {
    event.preventDefault();
    setOver(true);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    if (!isBusy) onFiles(filesOfDrop(event.dataTransfer));
  };
  const pick = (field: HTMLInputElement) => {
    if (field.files && field.files.length > 0) onFiles(filesOfField(field.files));
    // So that the same files can be picked again.
    field.value = '';
  };
  return (
    <Panel>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons inside do the same without a mouse */}
      <div
        className={classes(styles.zone, isOver && styles.over)}
        onDragEnter={over}
        onDragOver={over}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <FolderUp aria-hidden />
        <p className={styles.lead}>Drop a folder of Markdown here</p>
        <p className={styles.soft}>
          Rules of other tools are taken in, too, such as .cursor/rules, CLAUDE.md and AGENTS.md. Nothing
          changes before you have seen what would.
        </p>
        <div className={styles.buttons}>
          <Button icon={<FolderUp aria-hidden />} disabled={isBusy} onClick={() => folder.current!.click()}>
            Choose a folder
          </Button>
          <Button icon={<FileUp aria-hidden />} disabled={isBusy} onClick={() => files.current!.click()}>
            Choose files
          </Button>
        </div>
        <input
          ref={folder}
          type="file"
          hidden
          aria-label="Folder"
          // @ts-expect-error browsers have it, and React passes it on
          webkitdirectory=""
          onChange={(event) => pick(event.target)}
        />
        <input
          ref={files}
          type="file"
          hidden
          multiple
          aria-label="Files"
          onChange={(event) => pick(event.target)}
        />
      </div>
    </Panel>
  );
}

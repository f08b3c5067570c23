import { count, plural } from '../../design/data/format.ts';
import type { Report } from '../queries.ts';

/** What a verification found, in sentences. */
export interface Verdict {
  title: string;
  text: string;
  /** What the first bad entry is, as far as one may know. */
  first: { name: string; value: string }[];
  advice: string | undefined;
}

const entriesOf = (value: number) => plural(value, 'entry', 'entries');

export function verdictOf(report: Report): Verdict {
  if (report.ok) return healthy(report);
  return report.first === undefined ? tablesDiffer(report) : damaged(report.first);
}

function healthy({ entries, erased, checkpoints, head }: Report): Verdict {
  const sentences = [
    entries === 0
      ? 'There is nothing to verify yet.'
      : `All ${entriesOf(entries)} up to position ${count(head.seq)} form one unbroken chain.`,
    checkpoints > 0 &&
      `${plural(checkpoints, 'signed checkpoint')} ${checkpoints === 1 ? 'matches' : 'match'} them.`,
    erased > 0 &&
      `${entriesOf(erased)} ${erased === 1 ? 'was' : 'were'} forgotten on purpose: only the hash of what was said remains.`,
  ];
  return {
    title: entries === 0 ? 'The journal is empty' : 'Every entry is as it was written',
    text: sentences.filter(Boolean).join(' '),
    first: [],
    advice: undefined,
  };
}

function damaged({ seq, id, stream, problem }: NonNullable<Report['first']>): Verdict {
  return {
    title: `Entry ${count(seq)} is not as it was written`,
    text:
      seq > 1
        ? `${entriesOf(seq - 1)} before it ${seq === 2 ? 'is' : 'are'} fine. Nothing after it can be trusted.`
        : 'It is the very first entry, so nothing in this journal can be trusted.',
    first: [
      { name: 'Position', value: count(seq) },
      { name: 'What is wrong', value: problem },
      ...(id === null ? [] : [{ name: 'Id', value: id }]),
      ...(stream === null ? [] : [{ name: 'Stream', value: stream }]),
    ],
    advice:
      'Somebody or something changed the file. Keep a copy of the data folder as it is, then restore the last backup that verifies: “npx infold restore FILE”.',
  };
}

function tablesDiffer({ tables }: Report): Verdict {
  return {
    title: 'The tables differ from the journal',
    text: `The journal itself is as it was written, but some tables do not match it: ${tables?.different.join(', ')}.`,
    first: [],
    advice: 'Run “npx infold rebuild”: it rebuilds every table from the journal.',
  };
}

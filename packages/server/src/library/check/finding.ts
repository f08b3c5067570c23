/** What can be found, with how bad it is. An error is wrong whoever reads it; a warning is a matter of judgement. */
export const CHECKS = {
  unreadable: { level: 'error', about: 'The file cannot be imported.' },
  'no-files': { level: 'error', about: 'A folder without anything to import.' },
  'front-matter': { level: 'warning', about: 'Front matter that Infold does not understand.' },
  'invalid-steps': { level: 'error', about: 'The steps of a workflow cannot be walked.' },
  'no-constraints': { level: 'warning', about: 'A rule that no agent can say it applied.' },
  'vague-wording': { level: 'warning', about: 'Words that leave open what to do.' },
  contradiction: { level: 'error', about: 'Two constraints that cannot both be followed.' },
  'dead-link': { level: 'error', about: 'A link that leads nowhere.' },
  successor: {
    level: 'error',
    about: 'A deprecated file whose successor is not there, or leads back to it.',
  },
  'too-long': { level: 'warning', about: 'A file that costs more tokens than it should.' },
} as const satisfies Record<string, { level: 'error' | 'warning'; about: string }>;

export type CheckName = keyof typeof CHECKS;

export interface Place {
  /** Of the file, as it stands in the folder. */
  path: string;
  /** From 1. */
  line: number;
}

export interface Finding extends Place {
  check: CheckName;
  level: 'error' | 'warning';
  message: string;
  /** The other place that it is about. */
  related?: Place;
}

export function finding(check: CheckName, place: Place, message: string, related?: Place): Finding {
  const { path, line } = place;
  return { check, level: CHECKS[check].level, path, line, message, ...(related ? { related } : {}) };
}

/** One line on stderr that changes while something goes on, where somebody watches. */
export interface Live {
  show(text: string): void;
  /** Leaves a line for good. */
  line(text: string): void;
  done(): void;
}

const CLEAR = '\r\x1b[K';

/** Without a terminal only the lines that stay are written; quiet leaves those out too. */
export function liveLine(quiet: boolean): Live {
  const terminal = process.stderr.isTTY === true;
  const write = (text: string) => process.stderr.write(text);
  return {
    show: (text) => {
      if (terminal) write(`${CLEAR}${text.slice(0, (process.stderr.columns || 80) - 1)}`);
    },
    line: (text) => {
      if (!quiet) write(`${terminal ? CLEAR : ''}${text}\n`);
    },
    done: () => {
      if (terminal) write(CLEAR);
    },
  };
}

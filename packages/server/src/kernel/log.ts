import { type Logger, pino } from 'pino';

export type { Logger };
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Structured lines on stderr: stdout belongs to the protocol in `stdio` and to answers elsewhere. */
export function createLogger(level: LogLevel): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: ['token', 'authorization', '*.token', '*.authorization', 'headers.authorization'],
    },
    pino.destination({ dest: 2, sync: true }),
  );
}

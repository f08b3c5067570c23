/** Resolves with the name of the signal that asks this process to end; a second one ends it at once. */
export function untilStopped(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals) => {
      resolve(signal);
      for (const name of ['SIGTERM', 'SIGINT'] as const) {
        process.removeListener(name, stop);
        process.once(name, () => process.exit(1));
      }
    };
    process.once('SIGTERM', stop);
    process.once('SIGINT', stop);
  });
}

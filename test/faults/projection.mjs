/**
 * The tables of the fault tests. Plain JavaScript, because the workers run it on the built program while the tests
 * run it on the sources. A write's effects go to two projections, and a value that two writers both took, or an
 * event that was applied twice, breaks a constraint.
 */
export const PROJECTIONS = [
  {
    name: 'writes',
    version: 1,
    tables: `CREATE TABLE made (worker TEXT NOT NULL, number INTEGER NOT NULL, seq INTEGER NOT NULL,
      PRIMARY KEY (worker, number)) STRICT;`,
    on: {
      'write.made': (database, data, { entry }) => {
        database.run('INSERT INTO made VALUES (?, ?, ?)', data.worker, data.number, entry.seq);
      },
    },
  },
  {
    name: 'counters',
    version: 1,
    tables: `CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
      CREATE TABLE taken (name TEXT NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (name, value)) STRICT;`,
    on: {
      'counter.set': (database, data) => {
        database.run('INSERT INTO taken VALUES (?, ?)', data.name, data.value);
        database.run(
          'INSERT INTO counter VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
          data.name,
          data.value,
        );
      },
    },
  },
];

/** Which counter a worker's write raises: all workers share them. */
export function counterOf(number) {
  return `counter ${number % 5}`;
}

/** Every ninth write is too large for a row. */
export function isLarge(number) {
  return number % 9 === 4;
}

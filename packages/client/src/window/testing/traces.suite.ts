import type { Content } from './content.suite.ts';
import { type Call, fetched, grep, list, type Script, shell } from './script.suite.ts';
import { DOCUMENTS, Session, SOURCES } from './session.suite.ts';

/** Kinds of work, from 5 to 300 turns. Many of them end just where something was rewritten: that is where it would cost. */
export type Trace = (content: Content) => Script;

type Write = (session: Session) => unknown;

function trace(name: string, seed: number, work: Write, options: Partial<Script> = {}): [string, Trace] {
  return [
    name,
    (content) => {
      const session = new Session(name, seed, content);
      work(session);
      return session.script(options);
    },
  ];
}

const times = (count: number, work: (index: number) => unknown) => {
  for (let index = 0; index < count; index++) work(index);
};

const status = shell(
  'git status --short',
  ' M packages/client/src/collapse/policy.ts\n M packages/client/src/collapse/ledger.ts\n',
);
const search = (session: Session) =>
  grep(
    'export function',
    'packages',
    session.slice(session.content.output('grep-functions'), 2_000 + session.random(9_000)),
  );
const look = (session: Session): Call => session.read(session.pick(SOURCES));
const lookAtPart = (session: Session): Call =>
  session.read(session.pick(SOURCES), 1 + session.random(40), 80);
const json = (session: Session, rows: number) =>
  fetched(
    `https://example.org/api/activities?page=${session.random(50)}`,
    JSON.stringify({ data: session.rows(session.random(90), rows), next: null }, null, 2),
  );
const log = (session: Session, characters: number) =>
  session.run(
    'npx tsc -p packages/client --noEmit --traceResolution',
    session.slice(session.content.output('trace'), characters),
  );

/** Changes something and runs the tests until they pass. */
function loop(session: Session, rounds: number, isVerbose = false): void {
  const path = session.pick(SOURCES);
  session.turn(session.read(path));
  times(rounds, (round) =>
    session.turn(session.edit(path)).turn(session.tests(round === rounds - 1, isVerbose)),
  );
}

const build = (session: Session, passes: boolean) =>
  session.run('npm run build', session.content.output(passes ? 'build-pass' : 'tsc-fail'), passes ? 0 : 2);

export const TRACES: ReadonlyMap<string, Trace> = new Map([
  trace('pure chat', 1, (session) => times(40, () => session.person().answer())),
  trace('a short question', 2, (session) =>
    session.person().turn(search(session)).turn(look(session)).answer().person().answer(),
  ),
  trace('edit and test', 3, (session) =>
    times(6, () => {
      session.person();
      loop(session, 4, true);
      session.answer();
    }),
  ),
  trace('a build that fails, then passes', 4, (session) => {
    session.person().turn(build(session, false));
    times(9, (round) =>
      session
        .turn(lookAtPart(session))
        .turn(session.edit(session.pick(SOURCES)))
        .turn(build(session, round === 8)),
    );
    session.answer();
  }),
  trace('hunting in logs', 5, (session) => {
    session.person();
    times(24, (round) => session.turn(log(session, round % 3 === 0 ? 24_000 : 6_000)));
    session.answer();
  }),
  trace('code search', 6, (session) =>
    times(4, () => {
      session.person();
      times(9, (round) => session.turn(round % 2 === 0 ? search(session) : lookAtPart(session)));
      session.answer();
    }),
  ),
  trace('reading large files', 7, (session) => {
    session.person();
    for (const path of [...SOURCES, ...DOCUMENTS]) session.turn(session.read(path));
    session.answer().person().turn(session.read(SOURCES[0])).turn(session.read(SOURCES[6])).answer();
  }),
  trace('analysis of records in branches', 8, (session) => {
    session.person();
    times(6, () => session.branch(() => session.records(4, 15)));
    session.answer();
  }),
  trace('branch and records', 9, branchAndRecords),
  trace('exploring a JSON API', 10, (session) => {
    session.person();
    times(28, (round) => session.turn(json(session, round % 4 === 0 ? 40 : 8)));
    session.answer();
  }),
  trace('git archaeology', 11, (session) =>
    times(5, () => {
      session.person();
      session.turn(session.run('git log --stat -25', session.content.output('git-log')));
      session.turn(
        session.run('git log --oneline', session.slice(session.content.output('git-oneline'), 9_000)),
      );
      times(4, () =>
        session.turn(
          session.run(
            `git show ${session.random(9999)}`,
            `commit ${session.random(9999)}\n\n    ${session.prose(1)}\n\n${session.diff(3)}`,
          ),
        ),
      );
      session.turn(session.run('git diff main', session.diff(5)));
      session.turn(
        session.run(
          'git blame -s packages/client/src/collapse/tokens.ts',
          session.content.output('git-blame'),
        ),
      );
      session.answer();
    }),
  ),
  trace('writing documentation', 12, (session) =>
    times(6, (round) => {
      const path = DOCUMENTS[round % DOCUMENTS.length]!;
      session
        .person()
        .turn(look(session), look(session))
        .turn(session.read(path, 1, 120));
      times(3, () => session.turn(session.edit(path)));
      session.turn(session.rewrite('docs/promises.md')).answer();
    }),
  ),
  trace('refactoring with many reads', 13, (session) =>
    times(10, () => {
      session.person();
      const paths = [session.pick(SOURCES), session.pick(SOURCES)];
      times(3, () => {
        for (const path of paths) session.turn(session.read(path)).turn(session.edit(path));
      });
      session.turn(session.tests(true)).answer();
    }),
  ),
  trace('a long session in a monorepo', 14, (session) =>
    times(20, (round) => {
      session.person();
      times(5, () => session.turn(session.random(2) === 0 ? search(session) : lookAtPart(session)));
      if (round % 3 === 0) loop(session, 3);
      if (round % 4 === 1)
        session
          .turn(build(session, false))
          .turn(session.edit(session.pick(SOURCES)))
          .turn(build(session, true));
      if (round % 5 === 2) session.turn(session.run('git diff', session.diff(4)));
      session.turn(status).answer();
      if (round % 6 === 5) session.idle(9);
    }),
  ),
  trace('ends after a fold', 15, (session) => {
    session.person().turn(look(session));
    session.branch(() => times(6, () => session.turn(search(session)).turn(look(session))));
    session.answer();
  }),
  trace('ends after two results were used', 16, (session) => session.person().find().records(2, 20).answer()),
  trace('ends after a file was written anew', 17, (session) => {
    session.person();
    times(4, () => session.turn(look(session)));
    session
      .turn(session.read('docs/promises.md'))
      .turn(look(session))
      .turn(session.rewrite('docs/promises.md'))
      .answer();
  }),
  trace('ends when the tests pass', 18, (session) => {
    session.person();
    loop(session, 2);
    session.answer();
  }),
  trace('with pauses', 19, (session) =>
    times(8, (round) => {
      session.person();
      loop(session, 2);
      session.answer().idle(round % 2 === 0 ? 7 : 90);
    }),
  ),
  trace('with other models in between', 20, (session) =>
    times(8, (round) => {
      session.add({ do: 'model', model: round % 2 }).person();
      loop(session, 2);
      session.answer();
    }),
  ),
  trace('with tools that come', 21, (session) =>
    times(6, () => {
      session.person();
      times(4, () => session.turn(look(session)));
      session.turn(look(session), search(session)).answer().add({ do: 'tools' });
    }),
  ),
  trace(
    'compacted at a limit',
    22,
    (session) =>
      times(16, () => {
        session.person();
        times(5, () => session.turn(session.random(2) === 0 ? search(session) : look(session)));
        loop(session, 2);
        session.answer();
      }),
    { compactsAt: 90_000 },
  ),
  trace('with subagents', 23, (session) =>
    times(4, (round) => {
      const agent = new Session(`agent ${round}`, 100 + round, session.content);
      times(8, () => agent.turn(search(agent)).turn(look(agent)));
      agent.answer();
      session
        .person()
        .turn(look(session))
        .add({ do: 'delegate', prompt: session.prose(2), steps: agent.steps });
      session
        .turn(session.edit(session.pick(SOURCES)))
        .turn(session.tests(true))
        .answer();
    }),
  ),
  trace('gone back and forked', 24, (session) =>
    times(8, (round) => {
      session.person();
      loop(session, 2);
      session.answer();
      if (round % 3 === 1) session.add({ do: 'rewind', words: 1 });
      if (round % 3 === 2) session.add({ do: 'fork', words: 1 });
    }),
  ),
  trace('parallel calls', 25, (session) => {
    session.person();
    times(14, () => session.turn(search(session), look(session), lookAtPart(session)));
    session.answer();
  }),
  trace('with pictures', 26, (session) => {
    session.person();
    times(12, () =>
      session
        .turn({ tool: 'picture', input: { path: 'shot.png' }, outcome: { text: 'shot.png', picture: true } })
        .turn(session.edit(session.pick(SOURCES)))
        .turn(build(session, true)),
    );
    session.answer();
  }),
  trace('review of a change', 27, (session) => {
    session.person().turn(session.run('git diff main', session.content.output('git-diff')));
    times(10, () => session.turn(lookAtPart(session)).turn(search(session)));
    session.answer().person().answer();
  }),
  trace('branches in branches, some rolled back', 28, (session) => {
    session.person();
    times(3, () => {
      session.branch(() => {
        times(3, () => session.turn(look(session)));
        session.branch(() => times(3, () => session.turn(search(session))), 'return');
      });
      session.branch(() => times(4, () => session.turn(look(session))), 'roll back');
    });
    session.answer();
  }),
  trace('waiting for something', 29, (session) => {
    session.person();
    const files = list('packages', session.content.output('files'));
    times(30, () => session.turn(files).turn(status));
    session.answer();
  }),
  trace(
    'with a cache of an hour',
    30,
    (session) =>
      times(8, () => {
        session.person();
        loop(session, 3);
        session.answer().idle(20);
      }),
    { keepsLong: true },
  ),
  trace('records without branches', 31, (session) => {
    session.person().find();
    times(8, () => session.records(3, 12));
    session.answer();
  }),
  trace('many small results', 32, (session) =>
    times(10, () => {
      session.person();
      times(9, () => session.turn(status));
      session.answer();
    }),
  ),
  trace('one question about one log', 33, (session) => session.person().turn(log(session, 30_000)).answer()),
]);

/** The loop that was tried by hand with real hosts: a branch, pages of records, a large file, back, and an answer. */
export function branchAndRecords(session: Session): void {
  session.person('Go through the activities, read the notes, and tell me what stands out.').find();
  session.turn(status);
  session.branch(() => {
    session.records(4, 22);
    session.turn(session.read('docs/architecture.md'));
    session.turn(search(session));
    session.records(2, 22);
  });
  session.answer();
}

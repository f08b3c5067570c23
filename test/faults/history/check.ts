/** What a client asked of a node, and what became of it. Times are of one clock, in any unit. */
export interface Operation<Input, Answer> {
  client: string;
  input: Input;
  /** When it was asked. */
  start: number;
  /** When it was answered. Absent: nobody told, so it may have happened at any time since, or never. */
  end?: number;
  answer?: Answer;
  /** The journal's position that the answer is of: that of the entry written, or of the state that was read. */
  seq?: number;
  /**
   * A read that asks for no more than this position. The node may be behind, and so the answer may be older than the question,
   * but never older than this.
   */
  atLeast?: number;
}

/** What one stream does when nothing happens at the same time. States are JSON, and never changed in place. */
export interface Model<State, Input, Answer> {
  initial: State;
  apply(state: State, input: Input): { state: State; answer: Answer };
}

export type Verdict<Input, Answer> =
  | { consistent: true; order: Operation<Input, Answer>[] }
  | { consistent: false; problem: string };

/** A history that takes more than this is too wide to be checked, which is no verdict. */
const MOST_SITUATIONS = 500_000;

/**
 * Whether operations of one stream are consistent with the model: whether there is an order of them, one at a time, in which the
 * model gives every answer that was given, and which keeps to {@link precedes}. An operation without an answer may be left
 * out. The search is Wing and Gong's: any operation that nothing else must precede may be the next one, and what was tried
 * before in the same situation is not tried again.
 */
export function checkHistory<State, Input, Answer>(
  history: readonly Operation<Input, Answer>[],
  model: Model<State, Input, Answer>,
): Verdict<Input, Answer> {
  const operations = [...history].sort((a, b) => a.start - b.start);
  const followers = operations.map((one) =>
    operations.flatMap((other, index) => (other !== one && precedes(one, other) ? [index] : [])),
  );
  const waitsFor = operations.map(() => 0);
  for (const indexes of followers) for (const index of indexes) waitsFor[index]!++;
  const isPlaced = operations.map(() => false);
  const order: number[] = [];
  let missing = operations.filter(isAnswered).length;
  let furthest: number[] = [];
  const tried = new Set<string>();

  const place = (index: number, step: 1 | -1) => {
    isPlaced[index] = step === 1;
    if (step === 1) order.push(index);
    else order.pop();
    if (isAnswered(operations[index]!)) missing -= step;
    for (const follower of followers[index]!) waitsFor[follower]! -= step;
  };

  const search = (state: State): boolean => {
    if (order.length >= furthest.length) furthest = [...order];
    if (missing === 0) return true;
    const situation = `${situationOf(isPlaced)} ${JSON.stringify(state)}`;
    if (tried.has(situation)) return false;
    tried.add(situation);
    if (tried.size > MOST_SITUATIONS) throw new Error('The history has too many operations at the same time');
    // Answered ones first: most of those without an answer never happened.
    for (const answered of [true, false]) {
      for (const [index, operation] of operations.entries()) {
        if (isPlaced[index] || waitsFor[index]! > 0 || isAnswered(operation) !== answered) continue;
        const next = model.apply(state, operation.input);
        if (answered && !isEqual(next.answer, operation.answer)) continue;
        place(index, 1);
        if (search(next.state)) return true;
        place(index, -1);
      }
    }
    return false;
  };

  if (search(model.initial)) return { consistent: true, order: order.map((index) => operations[index]!) };
  return { consistent: false, problem: explain() };

  function explain(): string {
    let state = model.initial;
    for (const index of furthest) state = model.apply(state, operations[index]!.input).state;
    const done = new Set(furthest);
    const stuck = operations.flatMap((operation, index) => {
      if (done.has(index) || !isAnswered(operation)) return [];
      const before = operations.find(
        (other, at) => !done.has(at) && other !== operation && precedes(other, operation),
      );
      const why = before
        ? `must follow ${show(before)}`
        : `would be answered ${JSON.stringify(model.apply(state, operation.input).answer)}`;
      return [`${show(operation)} ${why}`];
    });
    return `after ${furthest.length} of ${operations.length} operations none can be next: ${stuck.slice(0, 5).join('; ')}`;
  }
}

const show = ({ client, input, answer, seq }: Operation<unknown, unknown>) =>
  `${client}'s ${JSON.stringify({ ...(input as object), answer, seq })}`;

/** Every stream by itself; what is wrong with those that are not consistent. */
export function checkStreams<State, Input extends { stream: string }, Answer>(
  history: readonly Operation<Input, Answer>[],
  model: Model<State, Input, Answer>,
): string[] {
  const streams = new Set(history.map(({ input }) => input.stream));
  return [...streams].flatMap((stream) => {
    const verdict = checkHistory(
      history.filter(({ input }) => input.stream === stream),
      model,
    );
    return verdict.consistent ? [] : [`${stream}: ${verdict.problem}`];
  });
}

/** Whether one must stand before the other. Where both must stand before each other, no order will do. */
function precedes<Input, Answer>(one: Operation<Input, Answer>, other: Operation<Input, Answer>): boolean {
  if (one.seq !== undefined && other.seq !== undefined) {
    if (one.seq < other.seq) return true;
    // What was read at a position holds the entry at that position.
    if (one.seq === other.seq && !isRead(one) && isRead(other)) return true;
  }
  if (isRead(other)) return one.seq !== undefined && one.seq <= other.atLeast! && !isRead(one);
  return one.end !== undefined && one.end < other.start;
}

const isRead = (operation: Operation<unknown, unknown>) => operation.atLeast !== undefined;
const isAnswered = (operation: Operation<unknown, unknown>) => operation.end !== undefined;
const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** Which operations are placed: mostly all up to one, and few after it. */
function situationOf(isPlaced: readonly boolean[]): string {
  const first = isPlaced.indexOf(false);
  const later: number[] = [];
  for (let index = first; index < isPlaced.length; index++) if (isPlaced[index]) later.push(index);
  return `${first} ${later}`;
}

/** An operation: tokens, when it was made, whether a rollback took it back, and what became of its result. */
export interface ModelOperation {
  name: string;
  tokens: number;
  at: number;
  discarded: boolean;
  /** What leaves and what stays when its result collapses. */
  result: number;
  summary: number;
  phase: 'pending' | 'consumed' | 'collapsed';
}

/** The fold door as simple as it can be said: a list of branches, and sums over it. */
export interface ModelBranch {
  name: string;
  parent: ModelBranch | null;
  depth: number;
  status: 'active' | 'folded' | 'discarded' | 'expired';
  prompt: number;
  operations: ModelOperation[];
  summary: number;
  madeAt: number;
}

export class Model {
  branches: ModelBranch[] = [];
  main: ModelBranch['operations'] = [];
  #time = 0;

  get path(): ModelBranch[] {
    return this.branches
      .filter(({ status }) => status === 'active')
      .sort((one, other) => one.depth - other.depth);
  }

  get active(): ModelBranch | null {
    return this.path.at(-1) ?? null;
  }

  tokensOf(branch: ModelBranch | null): number {
    const operations = branch === null ? this.main : branch.operations;
    const own = operations.filter(({ discarded }) => !discarded).reduce((sum, { tokens }) => sum + tokens, 0);
    const summaries = this.branches
      .filter(({ parent, status }) => parent === branch && status === 'folded')
      .reduce((sum, { summary }) => sum + summary, 0);
    return (branch?.prompt ?? 0) + own + summaries;
  }

  get collapsible(): number {
    return this.open
      .filter(({ phase }) => phase === 'consumed')
      .reduce((sum, { result, summary }) => sum + Math.max(0, result - summary), 0);
  }

  /** What stands in the window by itself, folded branches left out. */
  get open(): ModelOperation[] {
    return [this.main, ...this.path.map(({ operations }) => operations)]
      .flat()
      .filter(({ discarded }) => !discarded);
  }

  /** Every operation whose result could still be collapsed. */
  get live(): ModelOperation[] {
    const kept = this.branches.filter(({ status }) => status === 'active' || status === 'folded');
    return [this.main, ...kept.map(({ operations }) => operations)]
      .flat()
      .filter(({ discarded }) => !discarded);
  }

  get total(): number {
    return [null, ...this.path].reduce((sum, branch) => sum + this.tokensOf(branch), 0);
  }

  get foldedTotal(): number {
    return this.branches
      .filter(({ status }) => status === 'folded')
      .reduce((sum, branch) => sum + this.tokensOf(branch), 0);
  }

  branch(name: string, prompt: number): void {
    const parent = this.active;
    const depth = (parent?.depth ?? 0) + 1;
    const madeAt = this.#time++;
    this.branches.push({ name, parent, depth, status: 'active', prompt, operations: [], summary: 0, madeAt });
  }

  operate(branch: ModelBranch | null, tokens: number, result = { name: '', tokens: 0, summary: 0 }): void {
    (branch?.operations ?? this.main).push({
      name: result.name,
      tokens,
      at: this.#time++,
      discarded: false,
      result: result.tokens,
      summary: result.summary,
      phase: 'pending',
    });
  }

  consume(operation: ModelOperation): void {
    if (operation.phase === 'pending') operation.phase = 'consumed';
  }

  collapse(operation: ModelOperation, summary: number): void {
    if (operation.phase === 'collapsed') return;
    operation.phase = 'collapsed';
    operation.tokens += summary - operation.result;
  }

  fold(branch: ModelBranch, summary: number): void {
    for (const open of this.path) if (open.depth >= branch.depth) open.status = 'folded';
    branch.summary = summary;
  }

  /** Answers the tokens that went out of the total by discarding. */
  rollback(target: ModelBranch | null, restore: boolean): number {
    const later = this.branches.filter(
      ({ madeAt, status }) => status !== 'discarded' && madeAt > (target?.madeAt ?? -1),
    );
    for (let branch = target; branch !== null; branch = branch.parent) {
      if (branch.status !== 'folded') continue;
      branch.status = 'active';
      branch.summary = 0;
    }
    const reopened = this.total;
    for (const branch of later) branch.status = 'discarded';
    const first = later[0];
    if (restore && first) {
      for (const operation of target?.operations ?? this.main) {
        if (operation.at > first.madeAt) operation.discarded = true;
      }
    }
    return reopened - this.total;
  }

  /** Answers the tokens that went out of the total. */
  abandon(branch: ModelBranch): number {
    const before = this.total;
    for (const open of this.path) if (open.depth >= branch.depth) open.status = 'discarded';
    return before - this.total;
  }

  /** What was folded in a branch that was abandoned cannot be opened again. */
  isClosed(branch: ModelBranch | null): boolean {
    if (branch === null) return false;
    return branch.status === 'discarded' || this.isClosed(branch.parent);
  }

  expire(): void {
    for (const branch of this.path) branch.status = 'expired';
  }
}

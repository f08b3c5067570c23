import { InfoldError } from '../kernel/errors.ts';

export function itemNotFound(id: string): InfoldError {
  return new InfoldError(
    'not_found',
    `Item not found: ${id.slice(0, 200)} (unknown, forgotten, or not yours)`,
  );
}

export function relationToMissing(type: string, id: string): InfoldError {
  return new InfoldError(
    'invalid_arguments',
    `A relation "${type}" names an item that does not exist: ${id.slice(0, 200)}. Write that item first, or remove the relation`,
    { details: { relation: { type, id } } },
  );
}

export function supersessionCycle(path: readonly string[]): InfoldError {
  return new InfoldError(
    'conflict',
    `This would make a cycle of supersession: ${path.join(' supersedes ')}; nothing was written`,
    { details: { cycle: path } },
  );
}

export function notRelated(item: string, type: string, id: string | undefined): InfoldError {
  return new InfoldError(
    'not_found',
    id === undefined
      ? `${item.slice(0, 200)} has no relation "${type}" to take back`
      : `${item.slice(0, 200)} has no relation "${type}" to ${id.slice(0, 200)}; "related" lists those that it has`,
  );
}

export function nothingStandsAgain(item: string): InfoldError {
  return new InfoldError(
    'conflict',
    `Nothing that ${item.slice(0, 200)} superseded would stand again; take the relation back without "withdraw"`,
  );
}

export function heldElsewhere(id: string): InfoldError {
  return new InfoldError(
    'forbidden',
    `${id.slice(0, 200)} also names an item that you cannot read, and forgetting is for all of them: ask the owner of the data folder ("infold forget --item")`,
  );
}

export function tooNarrow(scope: string, other: string, id: string): InfoldError {
  return new InfoldError(
    'forbidden',
    `An item of scope "${scope}" cannot supersede ${id}, which has scope "${other}": its other readers would lose it`,
  );
}

export function keyReused(): InfoldError {
  return new InfoldError(
    'conflict',
    'idempotency_key was already used for a different request; use a new key',
  );
}

export function diaryDenied(agentId: string): InfoldError {
  return new InfoldError('forbidden', `Diary access denied: ${agentId} (it is kept for another principal)`);
}

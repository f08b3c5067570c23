import { type Edit, indentAt, lineEndOf, lineStart, type TextSpan } from './text.ts';

/** Items between brackets with commas, as JSON, TOML and YAML all have them. */
export interface List {
  /** Behind the opening bracket, and before the closing one. */
  inside: TextSpan;
  items: readonly TextSpan[];
  /** How a comment begins that lasts to the end of its line. */
  comment: '//' | '#';
  /** Whether an item may stand on a line of its own. */
  canBreak: boolean;
  /** One step of indentation, for a list that was empty. */
  step: string;
}

/** What is between two items: white space, comments and at most one comma. */
interface Gap {
  comma: number | undefined;
  comments: readonly TextSpan[];
}

function gapIn(text: string, { from, to }: TextSpan, mark: List['comment']): Gap {
  let comma: number | undefined;
  const comments: TextSpan[] = [];
  for (let at = from; at < to; at++) {
    if (text[at] === ',') comma = at;
    const isLine = text.startsWith(mark, at);
    if (!isLine && !(mark === '//' && text.startsWith('/*', at))) continue;
    const stop = isLine ? lineCommentEnd(text, at) : text.indexOf('*/', at) + 2;
    comments.push({ from: at, to: stop });
    at = stop - 1;
  }
  return { comma, comments };
}

function lineCommentEnd(text: string, at: number): number {
  const found = /[\r\n]/.exec(text.slice(at));
  return found ? at + found.index : text.length;
}

/** Adds an item behind the others. `item` is given the indentation of its first line. */
export function appended(text: string, list: List, item: (indent: string | undefined) => string): Edit[] {
  const last = list.items.at(-1);
  return last === undefined ? appendedToNone(text, list, item) : appendedBehind(text, list, last, item);
}

function appendedToNone(text: string, list: List, item: (indent?: string) => string): Edit[] {
  const { inside, step } = list;
  const { comments } = gapIn(text, inside, list.comment);
  const outer = indentAt(text, inside.from);
  const end = lineEndOf(text);
  const note = comments.at(-1);
  if (note === undefined) {
    const whole = list.canBreak ? `${end}${outer}${step}${item(outer + step)}${end}${outer}` : ` ${item()} `;
    return [{ ...inside, text: whole }];
  }
  const rest = text.slice(note.to, inside.to);
  const closing = rest.includes('\n') ? '' : end + outer;
  return [{ from: note.to, to: note.to, text: `${end}${outer}${step}${item(outer + step)}${closing}` }];
}

function appendedBehind(text: string, list: List, last: TextSpan, item: (indent?: string) => string): Edit[] {
  const { comma, comments } = gapIn(text, { from: last.to, to: list.inside.to }, list.comment);
  const before = text.slice(lineStart(text, last.from), last.from);
  const isOnOwnLine = /^[ \t]*$/.test(before) && list.inside.from <= lineStart(text, last.from);
  if (!isOnOwnLine) {
    const at = comma === undefined ? last.to : comma + 1;
    return [{ from: at, to: at, text: comma === undefined ? `, ${item()}` : ` ${item()},` }];
  }
  let at = comma === undefined ? last.to : comma + 1;
  // What is said about the last item on its line stays with it.
  for (const note of comments) {
    if (note.from >= at && !text.slice(at, note.from).includes('\n')) at = note.to;
  }
  const line = `${lineEndOf(text)}${before}${item(before)}`;
  if (comma !== undefined) return [{ from: at, to: at, text: `${line},` }];
  return [
    { from: last.to, to: last.to, text: ',' },
    { from: at, to: at, text: line },
  ];
}

/** Takes one item away, with the white space before it and one comma. Comments stay. */
export function removed(text: string, list: List, index: number): Edit[] {
  const { items, inside, comment } = list;
  const item = items[index]!;
  const previous = items[index - 1];
  const next = items[index + 1];
  const before = gapIn(text, { from: previous?.to ?? inside.from, to: item.from }, comment);
  const after = gapIn(text, { from: item.to, to: next?.from ?? inside.to }, comment);
  const note = before.comments.at(-1);
  let from = Math.max(previous?.to ?? inside.from, (before.comma ?? -1) + 1, note?.to ?? 0);
  const behind = after.comma === item.to ? item.to + 1 : item.to;
  // The line end that ends a comment must not go with the item, or the comment would swallow what follows.
  const isLineComment = note !== undefined && from === note.to && !text.startsWith('/*', note.from);
  if (isLineComment && !/^[ \t]*(\r?\n|$)/.test(text.slice(behind))) from = item.from;
  const edits: Edit[] = [{ from, to: item.to, text: '' }];
  if (after.comma !== undefined) edits.push({ from: after.comma, to: after.comma + 1, text: '' });
  else if (before.comma !== undefined) edits.push({ from: before.comma, to: before.comma + 1, text: '' });
  return edits;
}

/**
 * Asks for the text that stands in for a tool result: undefined leaves it as it is. `part` is the object that holds
 * the content, so that an answer can be remembered for as long as the message lives. `isData` tells that the content
 * is not text or a list of parts, but a value that the SDK writes as JSON.
 */
export type Shrink = (
  callId: unknown,
  content: unknown,
  part: object,
  isData?: boolean,
) => string | undefined;

/** How one model SDK writes tool results into messages. */
export interface MessageFormat<Message = unknown> {
  readonly name: string;
  /** The message, or a copy whose tool results are replaced where `shrink` says so. Never changes the message. */
  project(message: Message, shrink: Shrink): Message;
}

/** A copy of `parts` with some replaced, or undefined when none is: most messages stay the same object. */
export function replaceParts<Part>(
  parts: readonly Part[],
  replace: (part: Part) => Part | undefined,
): Part[] | undefined {
  let copy: Part[] | undefined;
  for (let place = 0; place < parts.length; place++) {
    const part = parts[place]!;
    if (typeof part !== 'object' || part === null) continue;
    const replaced = replace(part);
    if (replaced === undefined) continue;
    copy ??= parts.slice();
    copy[place] = replaced;
  }
  return copy;
}

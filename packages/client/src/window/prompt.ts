import { valueAt } from './dialects/dialect.ts';
import { isData, textIn, withoutBilling } from './dialects/values.ts';
import { layOut, Results, weighResult } from './layout.ts';
import { type Digest, FORMATS, type Reading } from './read.ts';
import type { Decision, Message, Part, Rule } from './types.ts';

/** A piece of a prompt: as its host asked for it, and what became of it. */
export interface PromptBlock {
  /** Its message; undefined for what stands before them. */
  message: number | undefined;
  role: Message['role'];
  kind: 'system' | 'tools' | Part['kind'];
  /** Of calls and results. */
  tool: string | undefined;
  call: string | undefined;
  /** By estimate. Nothing sent: it left. */
  tokens: { asked: number; sent: number };
  /** What it left by, or was replaced by, and what brings it back. */
  rule: Rule | undefined;
  handle: string | undefined;
  /** What stands there instead. */
  instead: string | undefined;
  part: Part | undefined;
}

/**
 * The blocks of a request, in the order in which they were asked for, as decisions leave them: by the very steps that made of it
 * what was sent. Without decisions, as it came.
 */
export function blocksOf(reading: Reading, decisions: readonly Decision[], digest: Digest): PromptBlock[] {
  const { conversation } = reading;
  const { system, tools, messages } = conversation;
  const layout = layOut(reading, new Results(reading, digest), decisions);
  const stays = new Set([...layout.moved.values()].flat());
  const names = new Map<string, string>();
  const before = (kind: 'system' | 'tools', tokens: number): PromptBlock[] =>
    tokens === 0 ? [] : [{ ...NOTHING, role: 'system', kind, tokens: { asked: tokens, sent: tokens } }];
  const blocks = [...before('system', system.tokens), ...before('tools', tools.tokens)];
  for (const [message, { role, parts }] of messages.entries()) {
    for (const part of parts) {
      if (part.kind === 'call') names.set(part.id, part.name);
      const id = part.kind === 'call' || part.kind === 'result' ? part.id : undefined;
      const gone = stays.has(part) ? undefined : layout.dropped.get(message);
      const replaced = part.kind === 'result' && !gone ? layout.texts.get(part.id) : undefined;
      const decision = gone ?? replaced?.decision;
      const weight = part.kind === 'result' ? weighResult(part, layout) : part.tokens;
      blocks.push({
        ...{ message, role, kind: part.kind, part, call: id, tool: id && names.get(id) },
        tokens: { asked: part.tokens, sent: gone ? 0 : weight },
        ...{ rule: decision?.rule, handle: decision?.handle, instead: replaced?.text },
      });
    }
  }
  return blocks;
}

const NOTHING = {
  ...{ message: undefined, tool: undefined, call: undefined, part: undefined },
  ...{ rule: undefined, handle: undefined, instead: undefined },
};

/** A block as a person reads it, as it was asked for. */
export function textOfBlock({ body, conversation }: Reading, { kind, part }: PromptBlock): string {
  if (!part) {
    const { system, tools } = FORMATS[conversation.dialect].before(body);
    return kind === 'system' ? plain(withoutBilling(system)) : tools.map(jsonOf).join('\n');
  }
  if (part.kind === 'text') return part.text;
  if (part.kind === 'call') return `${part.name} ${plain(part.input)}`;
  if (part.kind === 'result' && !part.isFixed) return part.text;
  return plain(valueAt(body, part.path));
}

/**
 * Whether the provider read a block from its cache, by the share of the prompt that it says it did: it holds beginnings, so that is
 * the blocks up to there. Undefined for what was not sent.
 */
export function cachedOf(
  blocks: readonly Pick<PromptBlock, 'tokens'>[],
  share: number,
): (boolean | undefined)[] {
  const held = share * blocks.reduce((sum, { tokens }) => sum + tokens.sent, 0);
  let before = 0;
  return blocks.map(({ tokens: { sent } }) => {
    if (sent === 0) return undefined;
    before += sent;
    return before - sent / 2 <= held;
  });
}

function plain(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(plain).join('\n');
  const text = textIn(value, 'text');
  if (text !== undefined) return text;
  return isData(value) && Array.isArray(value.parts) ? plain(value.parts) : jsonOf(value);
}

/** Longer words are no words: pictures and files, of which a beginning says what they are. */
const LONGEST_WORD = 2000;
const SHOWN = 60;

function jsonOf(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) => {
      if (typeof inner !== 'string' || inner.length <= LONGEST_WORD) return inner;
      if (/\s/.test(inner.slice(0, LONGEST_WORD))) return inner;
      return `${inner.slice(0, SHOWN)}… (${inner.length} characters)`;
    }) ?? ''
  );
}

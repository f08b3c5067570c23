import { yaml } from '../../kernel/formats/yaml.ts';

export interface FrontMatter {
  /** What the front matter says, as plain data. Empty where there is none. */
  values: Record<string, unknown>;
  /** What follows it. */
  body: string;
}

const BLOCK = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/;
const MOST_BYTES = 64 * 1024;
/** Keys whose plain text is the same in YAML and as it stands; anything else goes to the real parser. */
const PLAIN_LINE = /^([A-Za-z][\w-]*):[ \t]+([A-Za-z][\w ,.()/'-]*)$/;
const NOT_TEXT = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** Never throws: a file is not worth less because its front matter is not YAML. */
export function readFrontMatter(text: string): FrontMatter {
  if (!text.startsWith('---') && !text.startsWith('\uFEFF---')) return { values: {}, body: text };
  const match = BLOCK.exec(text);
  if (!match || match[1]!.length > MOST_BYTES) return { values: {}, body: text };
  return { values: plainValues(match[1]!) ?? yamlValues(match[1]!), body: text.slice(match[0].length) };
}

/** Most front matter is a few plain lines, and the YAML parser takes longer than the rest of an import. */
function plainValues(block: string): Record<string, unknown> | undefined {
  const values: Record<string, unknown> = {};
  for (const line of block.split(/\r?\n/)) {
    if (line === '') continue;
    const match = PLAIN_LINE.exec(line);
    const value = match?.[2]?.trimEnd();
    if (!match || value === undefined || NOT_TEXT.test(value) || match[1]! in values) return undefined;
    values[match[1]!] = value;
  }
  return values;
}

function yamlValues(block: string): Record<string, unknown> {
  try {
    const value: unknown = yaml().parse(block, { maxAliasCount: 100, logLevel: 'silent' });
    return isRecord(value) ? (JSON.parse(JSON.stringify(value)) as Record<string, unknown>) : {};
  } catch {
    // Cursor's rules say `globs: *.ts`, which is an alias to YAML: take line by line what can be read so.
    return Object.fromEntries(
      [...block.matchAll(/^([A-Za-z][\w-]*):[ \t]*(.*)$/gm)].map(([, key, value]) => [
        key!,
        value!.trim().replace(/^(["'])(.*)\1$/, '$2'),
      ]),
    );
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

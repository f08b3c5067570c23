/** A JSON schema, as a server sends it: nothing in it is taken for granted. */
export type Schema = Readonly<Record<string, unknown>>;

export type Format = 'date' | 'date-time' | 'email' | 'uri' | 'uuid';
const FORMATS: readonly string[] = ['date', 'date-time', 'email', 'uri', 'uuid'];

export type Choice = string | number | boolean | null;

/** What a field of a form asks for. `json` is for everything that no field is made for. */
export type Kind =
  | {
      kind: 'text';
      isLong: boolean;
      format: Format | undefined;
      least: number;
      most: number;
      pattern: RegExp | undefined;
    }
  | { kind: 'number'; isWhole: boolean; least: number; most: number; above: number; below: number }
  | { kind: 'boolean' }
  | { kind: 'choice'; choices: readonly Choice[] }
  | { kind: 'list'; item: Kind; least: number; most: number }
  | { kind: 'record'; fields: readonly Field[] }
  | { kind: 'json'; types: readonly string[] };

export interface Field {
  name: string;
  about: string | undefined;
  isRequired: boolean;
  /** What the server takes where nothing is given. */
  initial: unknown;
  kind: Kind;
}

/** Beyond this depth, and for what refers to itself, there is JSON. */
const DEEPEST = 4;
/** What is called so holds sentences, and gets room for more than a line. */
const SENTENCES =
  /^(content|message|prompt|body|text|summary|description|finding|reason|instructions?|notes?|goal)$/i;

/** The fields of a tool's input; required ones first, each group in the schema's order. */
export function fieldsOf(schema: Schema): Field[] {
  const fields = propertiesOf(schema, schema, 0) ?? [];
  return [
    ...fields.filter(({ isRequired }) => isRequired),
    ...fields.filter(({ isRequired }) => !isRequired),
  ];
}

function propertiesOf(schema: Schema, root: Schema, depth: number): Field[] | undefined {
  const { properties, required } = schema;
  if (!isObject(properties)) return undefined;
  const names = Array.isArray(required) ? required : [];
  return Object.entries(properties).map(([name, given]) => {
    const own = isObject(given) ? given : {};
    const resolved = resolve(own, root);
    const about = own.description ?? resolved.description;
    return {
      name,
      about: typeof about === 'string' && about !== '' ? about : undefined,
      isRequired: names.includes(name),
      initial: own.default ?? resolved.default,
      kind: kindOf(own, root, depth + 1, name),
    };
  });
}

function kindOf(given: Schema, root: Schema, depth: number, name: string): Kind {
  const schema = resolve(given, root);
  const types = typesOf(schema);
  const json: Kind = { kind: 'json', types };
  if (depth > DEEPEST) return json;
  const choices = choicesOf(schema);
  if (choices) return { kind: 'choice', choices };
  if (types.length !== 1 || ['anyOf', 'oneOf', 'allOf', 'not'].some((name) => name in schema)) return json;
  switch (types[0]) {
    case 'string':
      return textKind(schema, name);
    case 'number':
    case 'integer':
      return {
        kind: 'number',
        isWhole: types[0] === 'integer',
        least: numberOr(schema.minimum, Number.NEGATIVE_INFINITY),
        most: numberOr(schema.maximum, Number.POSITIVE_INFINITY),
        above: numberOr(schema.exclusiveMinimum, Number.NEGATIVE_INFINITY),
        below: numberOr(schema.exclusiveMaximum, Number.POSITIVE_INFINITY),
      };
    case 'boolean':
      return { kind: 'boolean' };
    case 'array': {
      if (!isObject(schema.items) || 'prefixItems' in schema) return json;
      const item = kindOf(schema.items, root, depth + 1, name);
      if (item.kind === 'json') return json;
      const least = numberOr(schema.minItems, 0);
      return { kind: 'list', item, least, most: numberOr(schema.maxItems, Number.POSITIVE_INFINITY) };
    }
    case 'object': {
      // One of several things, or names that are not known: no form says that better than the thing itself.
      if ('maxProperties' in schema || isObject(schema.additionalProperties)) return json;
      const fields = propertiesOf(schema, root, depth);
      return fields && fields.length > 0 ? { kind: 'record', fields } : json;
    }
    default:
      return json;
  }
}

function textKind(schema: Schema, name: string): Kind {
  const format = FORMATS.includes(schema.format as string) ? (schema.format as Format) : undefined;
  const most = numberOr(schema.maxLength, Number.POSITIVE_INFINITY);
  const pattern = patternOf(schema.pattern);
  return {
    kind: 'text',
    isLong: SENTENCES.test(name) && format === undefined && pattern === undefined,
    format,
    least: numberOr(schema.minLength, 0),
    most,
    pattern,
  };
}

/** The same without what may also be null, and with what it refers to. */
function resolve(schema: Schema, root: Schema, hops = 0): Schema {
  if (typeof schema.$ref === 'string' && hops < DEEPEST) {
    const { $ref, ...rest } = schema;
    const target = targetOf($ref as string, root);
    return target ? resolve({ ...target, ...rest }, root, hops + 1) : schema;
  }
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const others = anyOf.filter((one) => isObject(one) && one.type !== 'null') as Schema[];
  return others.length === 1 ? resolve({ ...others[0], ...rest }, root, hops + 1) : schema;
}

function targetOf(reference: string, root: Schema): Schema | undefined {
  if (!reference.startsWith('#/')) return undefined;
  let place: unknown = root;
  for (const part of reference.slice(2).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    place = isObject(place) && Object.hasOwn(place, name) ? place[name] : undefined;
  }
  return isObject(place) ? place : undefined;
}

function typesOf({ type }: Schema): string[] {
  const types = Array.isArray(type) ? type : [type];
  return types.filter((one): one is string => typeof one === 'string' && one !== 'null');
}

function choicesOf(schema: Schema): readonly Choice[] | undefined {
  if ('const' in schema) return isChoice(schema.const) ? [schema.const] : undefined;
  const given = schema.enum;
  return Array.isArray(given) && given.length > 0 && given.every(isChoice) ? given : undefined;
}

function isChoice(value: unknown): value is Choice {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

/** A pattern that the browser does not know is left to the server. */
function patternOf(given: unknown): RegExp | undefined {
  if (typeof given !== 'string') return undefined;
  try {
    return new RegExp(given, 'u');
  } catch {
    return undefined;
  }
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { choiceKey, type Draft, draftsOf, inputOf, withProject } from './drafts.ts';
import { type Field, fieldsOf } from './fields.ts';

const schemaOf = (properties: object, required: string[] = []) => ({ type: 'object', properties, required });
const kinds = (properties: object) => fieldsOf(schemaOf(properties)).map(({ kind }) => kind.kind);
const problemsFor = (properties: object, drafts: Record<string, Draft>, required: string[] = []) =>
  inputOf(fieldsOf(schemaOf(properties, required)), drafts).problems;

describe('the fields of a schema', () => {
  test('ask for texts, numbers, booleans, choices, lists and records', () => {
    expect(
      kinds({
        a: { type: 'string' },
        b: { type: 'integer' },
        c: { type: 'number' },
        d: { type: 'boolean' },
        e: { type: 'string', enum: ['x', 'y'] },
        f: { const: 7 },
        g: { type: 'array', items: { type: 'string' } },
        h: { type: 'object', properties: { one: { type: 'string' } } },
        i: { type: 'array', items: { type: 'object', properties: { one: { type: 'string' } } } },
      }),
    ).toEqual(['text', 'number', 'number', 'boolean', 'choice', 'choice', 'list', 'record', 'list']);
  });

  test('are JSON for everything else', () => {
    expect(
      kinds({
        a: {},
        b: { type: ['string', 'number'] },
        c: { anyOf: [{ type: 'string' }, { type: 'number' }] },
        d: { type: 'object' },
        e: { type: 'object', additionalProperties: { type: 'string' } },
        f: { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'string' } },
        g: { type: 'array' },
        h: { enum: [{ deep: true }] },
        i: { type: 'object', properties: { a: { type: 'string' } }, maxProperties: 1 },
        j: { $ref: '#/nowhere' },
        k: true,
      }),
    ).toEqual(Array.from({ length: 11 }, () => 'json'));
  });

  test('follow references and leave out null', () => {
    const schema = {
      ...schemaOf({
        a: { $ref: '#/$defs/Name', description: 'own words' },
        b: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
        c: { type: ['string', 'null'] },
      }),
      $defs: { Name: { type: 'string', maxLength: 10, description: 'its words' } },
    };
    const [a, b, c] = fieldsOf(schema);
    expect(a).toMatchObject({ about: 'own words', kind: { kind: 'text', most: 10 } });
    expect([b!.kind.kind, c!.kind.kind]).toEqual(['number', 'text']);
  });

  test('end where a schema refers to itself', () => {
    const node = { type: 'object', properties: { child: { $ref: '#/$defs/Node' } } };
    const fields = fieldsOf({ ...schemaOf({ a: { $ref: '#/$defs/Node' } }), $defs: { Node: node } });
    expect(JSON.stringify(fields)).toContain('json');
    expect(kinds({ a: { $ref: '#/properties/a' } })).toEqual(['json']);
  });

  test('have room for sentences where one writes some', () => {
    const isLong = fieldsOf(schemaOf({ content: { type: 'string' }, model: { type: 'string' } })).map(
      ({ kind }) => kind.kind === 'text' && kind.isLong,
    );
    expect(isLong).toEqual([true, false]);
  });

  test('begin with what is required', () => {
    const fields = fieldsOf(
      schemaOf({ a: { type: 'string' }, b: { type: 'string' }, c: { type: 'string' } }, ['c', 'b']),
    );
    expect(fields.map(({ name }) => name)).toEqual(['b', 'c', 'a']);
  });

  test('can be made of anything that a server sends', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (properties, required) => {
        const fields = fieldsOf({ type: 'object', properties, required } as never);
        inputOf(fields, draftsOf(fields, {}));
      }),
    );
  });
});

describe('the input that a form makes', () => {
  const fields = fieldsOf(
    schemaOf(
      {
        text: { type: 'string' },
        count: { type: 'integer', default: 24 },
        isDeep: { type: 'boolean' },
        layer: { enum: ['wake', 'recall', 1] },
        tags: { type: 'array', items: { type: 'string' } },
        findings: {
          type: 'array',
          minItems: 1,
          items: {
            type: 'object',
            properties: { finding: { type: 'string' }, metadata: { type: 'object' } },
            required: ['finding'],
          },
        },
      },
      ['text', 'findings'],
    ),
  );

  test('leaves out what was not given, and has what the server would take', () => {
    const drafts = { ...draftsOf(fields, {}), text: 'a', findings: [{ finding: 'f', metadata: '' }] };
    expect(inputOf(fields, drafts)).toEqual({
      input: { text: 'a', count: 24, findings: [{ finding: 'f' }] },
      problems: {},
    });
  });

  test('says by field what is missing or wrong', () => {
    const drafts = {
      ...draftsOf(fields, {}),
      count: '1.5',
      tags: ['a', ''],
      findings: [{ finding: '', metadata: '{' }],
    };
    const { problems } = inputOf(fields, drafts);
    expect(Object.keys(problems).sort()).toEqual(
      ['text', 'count', 'tags.1', 'findings.0.finding', 'findings.0.metadata'].sort(),
    );
    expect(problems.text).toBe('This is required.');
    expect(problems['findings.0.metadata']).toMatch(/^This is not JSON/);
    expect(inputOf(fields, draftsOf(fields, {})).problems).toHaveProperty('findings');
  });

  test('is what was given, whatever it was', () => {
    fc.assert(
      fc.property(
        fc.record({
          text: fc.string().filter((text) => text.trim() !== ''),
          count: fc.integer(),
          isDeep: fc.boolean(),
          layer: fc.constantFrom('wake', 'recall', 1),
          tags: fc.array(
            fc.string().filter((text) => text.trim() !== ''),
            { minLength: 1 },
          ),
          findings: fc.array(
            fc.record({
              finding: fc.string().filter((text) => text.trim() !== ''),
              metadata: fc.dictionary(fc.string(), fc.jsonValue()),
            }),
            { minLength: 1 },
          ),
        }),
        (input) => {
          const given = JSON.parse(JSON.stringify(input)) as typeof input;
          expect(inputOf(fields, draftsOf(fields, given))).toEqual({ input: given, problems: {} });
        },
      ),
    );
  });

  test.each<[string, object, string, boolean]>([
    ['a number', { type: 'number', minimum: 1, maximum: 5 }, '5', true],
    ['a number that is too large', { type: 'number', maximum: 5 }, '6', false],
    ['a number that is too small', { type: 'number', minimum: 1 }, '0', false],
    ['a number at an open end', { type: 'number', exclusiveMinimum: 0 }, '0', false],
    ['no number', { type: 'number' }, 'many', false],
    ['a short text', { type: 'string', minLength: 3 }, 'ab', false],
    ['a long text', { type: 'string', maxLength: 2 }, 'abc', false],
    ['a text of two characters, not four', { type: 'string', maxLength: 2 }, '😀😀', true],
    ['a pattern', { type: 'string', pattern: '^[a-z]+$' }, 'A', false],
    ['a pattern that nobody understands', { type: 'string', pattern: '(' }, 'A', true],
    ['a day', { type: 'string', format: 'date' }, '2026-13-01', false],
    ['a time', { type: 'string', format: 'date-time' }, '2026-01-31T09:30:00Z', true],
    ['an address', { type: 'string', format: 'uri' }, 'example', false],
    ['a mail address', { type: 'string', format: 'email' }, 'a@b.c', true],
    ['a UUID', { type: 'string', format: 'uuid' }, 'abc', false],
    ['a choice', { enum: [1, '1'] }, choiceKey('1'), true],
  ])('is checked: %s', (_what, schema, draft, isRight) => {
    expect(problemsFor({ field: schema }, { field: draft })).toEqual(
      isRight ? {} : { field: expect.any(String) },
    );
  });

  test('lists have sizes', () => {
    const list = { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 3 };
    expect(problemsFor({ list }, { list: ['a'] })).toHaveProperty('list');
    expect(problemsFor({ list }, { list: ['a', 'b', 'c', 'd'] })).toHaveProperty('list');
    expect(problemsFor({ list }, { list: ['a', 'b'] })).toEqual({});
    expect(problemsFor({ list }, { list: [] })).toEqual({});
  });

  test('a field is found by its name alone', () => {
    const hostile: Field[] = fieldsOf(
      schemaOf({ __proto__: { type: 'string' }, toString: { type: 'string' } }),
    );
    expect(inputOf(hostile, draftsOf(hostile, {})).input).toEqual({});
  });
});

test('the chosen project goes where one must be named and nobody wrote any', () => {
  const text = { type: 'string' };
  const fields = fieldsOf(
    schemaOf({ project_path: text, project: text, project_id: text, prompt: text }, [
      'project_path',
      'prompt',
    ]),
  );
  const empty = draftsOf(fields, {});
  const chosen = withProject(fields, empty, 'one');
  expect(chosen).toEqual({ ...empty, project_path: 'one' });
  expect(withProject(fields, chosen, 'two', 'one')).toEqual({ ...empty, project_path: 'two' });
  expect(withProject(fields, chosen, undefined, 'one')).toEqual(empty);
  const written = { ...empty, project_path: '/mine' };
  expect(withProject(fields, written, 'two', 'one')).toEqual(written);
});

import fc from 'fast-check';

/** Texts that people could have written, for the properties of editors. */

const name = fc.constantFrom('alpha', 'beta', 'gamma', 'mcpServers', 'hooks', 'a b', 'ä"x', 'x.y', 'on');
const scalar = fc.oneof(
  fc.boolean(),
  fc.integer({ min: -99, max: 99_999 }),
  fc.constantFrom(
    '',
    'text',
    'with "quotes"',
    '# no comment',
    '// neither',
    'C:\\path',
    'two\nlines',
    'é ✓ 𝛼',
    '[x]',
    '{',
    ',',
  ),
);
const lineEnd = fc.constantFrom('\n', '\r\n');

const space = (line: string) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('', ' ') },
    { weight: 3, arbitrary: fc.constantFrom(line, `${line}  `, `${line}\t`, `${line}${line}    `) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        ` // , note "}${line}`,
        ' /* a , ] } */ ',
        `${line}  // x${line}  `,
        `/* a${line} b */`,
      ),
    },
  );

interface Written {
  text: string;
}

/** JSON with comments, trailing commas and any white space. */
export const jsoncText: fc.Arbitrary<string> = lineEnd.chain((line) => {
  const gap = space(line);
  const { document } = fc.letrec<{ value: Written; object: Written; document: Written }>((tie) => {
    const items = (one: fc.Arbitrary<string>, open: string, close: string) =>
      fc
        .tuple(fc.array(fc.tuple(gap, one, gap), { maxLength: 4 }), gap, fc.boolean())
        .map(([list, end, hasTrailing]) => {
          const inner = list.map(([before, item, after]) => before + item + after).join(',');
          return { text: open + inner + (hasTrailing && list.length > 0 ? ',' : '') + end + close };
        });
    const value = tie('value');
    return {
      value: fc.oneof(
        { maxDepth: 3, depthSize: 'small' },
        scalar.map((one) => ({ text: JSON.stringify(one) })),
        tie('object'),
        items(
          value.map(({ text }) => text),
          '[',
          ']',
        ),
      ),
      object: fc.uniqueArray(name, { maxLength: 4 }).chain((names) =>
        fc.tuple(...names.map((key) => fc.tuple(gap, gap, value, gap, fc.constant(key)))).chain((list) =>
          fc.tuple(gap, fc.boolean()).map(([end, hasTrailing]) => ({
            text: `{${list
              .map(
                ([before, mid, { text }, after, key]) =>
                  `${before}${JSON.stringify(key)}:${mid}${text}${after}`,
              )
              .join(',')}${hasTrailing && list.length > 0 ? ',' : ''}${end}}`,
          })),
        ),
      ),
      document: tie('object'),
    };
  });
  return fc
    .tuple(gap, document, gap, fc.constantFrom('', line))
    .map(([before, { text }, after, end]) => before + text + after + end);
});

/** JSON as a program writes it. */
export const formattedJson: fc.Arbitrary<string> = fc
  .tuple(
    fc.dictionary(name, fc.oneof(scalar, fc.dictionary(name, scalar), fc.array(scalar)), {
      noNullPrototype: true,
    }),
    fc.constantFrom(0, 2, 4, '\t'),
    lineEnd,
    fc.constantFrom('', '\n'),
  )
  .map(([value, indent, line, end]) => (JSON.stringify(value, null, indent) + end).replaceAll('\n', line));

const tomlKey = (key: string) => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key));
const tomlScalar = fc.oneof(
  scalar.map((one) => JSON.stringify(one)),
  fc.constantFrom(
    '1979-05-27',
    "'literal \\'",
    '"""a\nb"""',
    '[1, 2]',
    '[\n  1, # one\n  2,\n]',
    '{ x = 1, y = "b" }',
    '{}',
    '[]',
    '0xff',
    'inf',
  ),
);
const tomlNote = fc.constantFrom('', '', '', ' # note', '# [not.a.table]', '   ');
const tomlLines = fc
  .uniqueArray(name, { maxLength: 3 })
  .chain((names) =>
    fc
      .tuple(
        ...names.map((key) =>
          fc.tuple(fc.constant(key), tomlScalar, tomlNote, fc.constantFrom('', '\n', '# a\n')),
        ),
      )
      .map((list) =>
        list
          .map(
            ([key, value, note, before]) =>
              `${before}${tomlKey(key)} = ${value}${note.trim() && ` ${note.trim().replace(/^#?/, '#')}`}\n`,
          )
          .join(''),
      ),
  );

/** TOML with comments, tables, lists of tables, inline tables. */
export const tomlText: fc.Arbitrary<string> = fc
  .tuple(
    tomlLines,
    fc.uniqueArray(fc.constantFrom('one', 'two', 'mcp_servers', 'mcp_servers.other', 'features', '"q.r"'), {
      maxLength: 4,
    }),
    fc.array(tomlLines, { minLength: 6, maxLength: 6 }),
    fc.constantFrom('', '\n', '# last', '# last\n', '[[list]]\nx = 1\n\n[[list]]\n', '\n\n'),
    lineEnd,
    fc.boolean(),
  )
  .map(([top, tables, bodies, end, line, isEnded]) => {
    const text = top + tables.map((table, index) => `\n[${table}] # t\n${bodies[index]}`).join('') + end;
    return (isEnded ? text : text.replace(/\n+$/, '')).replaceAll('\n', line);
  });

const yamlScalar = fc.oneof(
  scalar.map((one) => JSON.stringify(one)),
  fc.constantFrom(
    'plain text',
    "'single'",
    '~',
    '',
    '{a: 1, b: [x, y]}',
    '[]',
    '{}',
    '|\n      block\n      text',
    '>-\n      folded',
    '2024-01-01',
  ),
);
const yamlNote = fc.constantFrom('', '', '', ' # note');

/** YAML in blocks, with comments and brackets here and there. */
export const yamlText: fc.Arbitrary<string> = fc
  .tuple(
    fc.uniqueArray(fc.constantFrom('alpha', 'beta', 'extensions', 'list', 'GOOSE_MODE', '"q r"'), {
      maxLength: 5,
    }),
    fc.array(
      fc.tuple(
        fc.constantFrom('scalar', 'map', 'list', 'deep'),
        yamlScalar,
        yamlNote,
        fc.constantFrom('', '\n', '# about\n', '  # indented\n'),
        fc.array(yamlScalar, { minLength: 1, maxLength: 3 }),
      ),
      { minLength: 5, maxLength: 5 },
    ),
    fc.constantFrom('', '---\n', '# first\n'),
    fc.constantFrom('', '# last\n', '\n'),
    lineEnd,
    fc.boolean(),
  )
  .map(([keys, parts, start, end, line, isEnded]) => {
    const body = keys.map((key, index) => {
      const [kind, value, note, before, inner] = parts[index]!;
      const own = value.includes('\n') ? '' : note;
      if (kind === 'scalar') return `${before}${key}: ${value}${own}\n`;
      if (kind === 'map')
        return `${before}${key}:${note}\n${inner.map((one, at) => `    k${at}: ${one}\n`).join('')}`;
      if (kind === 'list') return `${before}${key}:\n${inner.map((one) => `  - ${one}\n`).join('')}`;
      return `${before}${key}:\n  other:\n    type: stdio${note}\n    args:\n    - ${inner[0]}\n`;
    });
    const text = start + body.join('') + end;
    return (isEnded ? text : text.replace(/\n+$/, '')).replaceAll('\n', line);
  });

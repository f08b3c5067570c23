import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { examples } from './examples/index.suite.ts';
import { alnum, base64, encode, hex, jwt, uuid } from './examples/sample.suite.ts';
import { createScrubber } from './index.ts';

const scrubber = createScrubber();
const github = `gh${'p_'}${alnum(36)}`;
const password = `${alnum(9)}!7k`;

/** A shell's variable, as configurations refer to it. */
const reference = (name: string): string => ['$', '{', name, '}'].join('');

function keyBlock(label: string, lines: number, separator = '\n'): string {
  const body = Array.from({ length: lines }, () => base64(64)).join(separator);
  return [`-----BEGIN ${label}-----`, body, `-----END ${label}-----`].join(separator);
}

describe('text', () => {
  it('without secrets comes back as it was', () => {
    const text = 'The token count is 4096; see https://example.com/a:b and commit 3f2a.';
    expect(scrubber.scrub(text)).toEqual({ text, count: 0, kinds: [] });
  });

  it('is counted and its kinds are listed once, sorted', () => {
    const result = scrubber.scrub(`${github} DB_PASSWORD=${password}\n${github}`);
    expect(result.count).toBe(3);
    expect(result.kinds).toEqual(['github-token', 'password']);
    expect(result.text).toBe(
      '[REDACTED:github-token] DB_PASSWORD=[REDACTED:password]\n[REDACTED:github-token]',
    );
  });

  it('that was scrubbed before stays as it is', () => {
    const text = 'password=[REDACTED:password] and "token": "[REDACTED:github-token]" [REDACTED:api-key]: x';
    expect(scrubber.scrub(text)).toEqual({ text, count: 0, kinds: [] });
  });
});

describe('private keys', () => {
  it.each([
    'RSA PRIVATE KEY',
    'PRIVATE KEY',
    'EC PRIVATE KEY',
    'OPENSSH PRIVATE KEY',
    'ENCRYPTED PRIVATE KEY',
  ])('%s goes whole', (label) => {
    expect(scrubber.scrub(`before\n${keyBlock(label, 12)}\nafter`).text).toBe(
      'before\n[REDACTED:private-key]\nafter',
    );
  });

  it('go whole when their lines are escaped in JSON', () => {
    const text = `{"private_key": "${keyBlock('PRIVATE KEY', 12, '\\n')}\\n", "client_email": "a@b.c"}`;
    expect(scrubber.scrub(text).text).toBe(
      '{"private_key": "[REDACTED:private-key]\\n", "client_email": "a@b.c"}',
    );
  });

  it('go as far as they reach when they are cut off, and the text after them stays', () => {
    const cut = keyBlock('RSA PRIVATE KEY', 6).split('-----END')[0]!;
    expect(scrubber.scrub(`${cut}and then the log went on as before`).text).toBe(
      '[REDACTED:private-key]\nand then the log went on as before',
    );
  });

  it('of PGP and PuTTY go too', () => {
    expect(scrubber.scrub(keyBlock('PGP PRIVATE KEY BLOCK', 10)).kinds).toEqual(['pgp-private-key']);
    const putty = `PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nComment: x\nPublic-Lines: 1\n${base64(64)}\nPrivate-Lines: 2\n${base64(64)}\n${base64(40)}\nPrivate-MAC: ${hex(40)}`;
    expect(scrubber.scrub(putty).text).toBe('[REDACTED:putty-private-key]');
  });

  it('that are public, or only described, stay', () => {
    for (const text of [
      keyBlock('PUBLIC KEY', 4),
      keyBlock('CERTIFICATE', 4),
      `-----BEGIN ${'PRIVATE'} KEY-----\n...\n-----END PRIVATE KEY-----`,
    ]) {
      expect(scrubber.scrub(text).count).toBe(0);
    }
  });
});

describe('addresses', () => {
  it.each(['postgres', 'mongodb+srv', 'redis', 'amqps', 'https', 'jdbc:mysql', 'sftp'])(
    '%s loses its password only',
    (scheme) => {
      expect(scrubber.scrub(`${scheme}://bob:${password}@db.internal:5432/app`).text).toBe(
        `${scheme}://bob:[REDACTED:url-password]@db.internal:5432/app`,
      );
    },
  );

  it('keep a user that was redacted before', () => {
    const result = scrubber.scrub(`https://${github}@github.com/a/b`);
    expect(result).toEqual({
      text: 'https://[REDACTED:github-token]@github.com/a/b',
      count: 1,
      kinds: ['github-token'],
    });
  });

  it.each(['redis://:', 'postgres://user.name:', 'mysql://a%40b:'])('%s… too', (beginning) => {
    expect(scrubber.scrub(`${beginning}${password}@host/x`).text).toBe(
      `${beginning}[REDACTED:url-password]@host/x`,
    );
  });

  it.each([
    'http://localhost:3000/a@b',
    'postgres://user:password@host/db',
    `redis://user:${reference('PASS')}@host`,
    'https://a.b/c:d@e',
    'ssh://git@host:22/x',
    'mongodb+srv://<username>:<password>@cluster0.mongodb.net/',
  ])('%s stays', (text) => {
    expect(scrubber.scrub(text).count).toBe(0);
  });
});

describe('assignments', () => {
  const value = `${alnum(14)}9${alnum(13)}`;
  it.each([
    ['API_KEY=', ''],
    ['export SECRET_TOKEN="', '"'],
    ['"apiKey": "', '"'],
    ["'client_secret' => '", "'"],
    ['api_token: ', '\n'],
    ['auth_token := `', '`'],
    ['<apiKey>', '</apiKey>'],
    ['<add key="ApiKey" value="', '"/>'],
    ['setApiKey("', '")'],
    ['os.environ.get("API_TOKEN", "', '")'],
    ['--api-key=', ' -v'],
    ['--token ', ''],
    ['X-Api-Key: ', ''],
    ['{\\"api_key\\": \\"', '\\"}'],
    ['headers["x-auth-token"] = "', '"'],
    ['var accessToken string = "', '"'],
    ['let token: &str = "', '"'],
    ['?access_token=', '&x=1'],
    ['- name: SECRET_KEY\n  value: ', ''],
    ['api_key = "', '"'],
    ['ACCESS_KEY ?= ', ''],
    ['my api key is ', '.'],
    ['the token for the build server is: ', '\n'],
    ['Secret ID    = ', '\n'],
    ['"api_keys": ["', '"]'],
    ['app.secret_key = b"', '"'],
    ['setx API_TOKEN ', ''],
    ['-apikey ', ' -v'],
    ['Authorization: GenieKey ', ''],
    ['API_KEY_ACME=', ''],
  ])('%s…%s', (before, after) => {
    const result = scrubber.scrub(before + value + after);
    expect(result.text).not.toContain(value.slice(0, 8));
    expect(result.text.startsWith(before) && result.text.endsWith(after)).toBe(true);
  });

  it.each([
    `password: "${password}"`,
    `DB_PASSWORD=${password}`,
    `--password ${password}`,
    `PGPASSWORD=${password} psql`,
    `Server=x;Uid=y;Pwd=${password};`,
    `machine h login bob password ${password}`,
    `IDENTIFIED BY '${password}'`,
    `the password is ${password}`,
    `<password>${password}</password>`,
    `pw for the vpn is: ${password}`,
    `define( 'DB_PASSWORD', '${password}' );`,
    `Parameters:\n  DBPassword:\n    Type: String\n    Default: ${password}`,
    `"adminPassword": { "value": "${password}" }`,
    `variable "db_password" {\n  type = string\n  default = "${password}"\n}`,
    `keytool -list -storepass ${password} -v`,
    `psk="${password}"`,
    `data:\n  password: ${encode('Juniper509')}`,
  ])('with a password are found: %#', (text) => {
    expect(scrubber.scrub(text).text).not.toContain(password.slice(0, 8));
  });

  it.each([
    `password=${reference('DB_PASSWORD')}`,
    'token: process.env.TOKEN',
    'api_key = os.environ["KEY"]',
    'password: <password>',
    'secret=xxxxxxxxxxxxxxxx',
    'token = "your-token-here"',
    'password: changeme',
    'max_tokens: 4096',
    'next_page_token=CAUQAA1b2c3d4e5f6',
    'password: string;',
    'const token = getToken(request2);',
    'key: "user.profile.title"',
    'public_key = "9Cnzj4p4WGeKLs1Pt8QuKUpRKfFL"',
    'token_url=https://a.b/oauth/token2',
    'keyFile: /etc/ssl/private/server1.pem',
    'tokenVersion: 1.2.3-beta.4',
    `integrity: sha512-${'a1B2'.repeat(20)}==`,
    'secretName: my-app-tls-2',
    'csrf_token: 3f2a9c',
    'author = "jane.doe2@example.com"',
    'password_reset_token_expiry=3600',
    'passwordField.value = input1.text',
    'Token ID: 3f2a9c1e-7c1b-4b0e-9c59-5f4b8f1e2a3c',
    'progressToken: ProgressTokenSchema$1',
    '#define CKM_AES_KEY_WRAP            0xce534351UL',
    'API_KEY_FILE=/run/secrets/key2',
  ])('that hold none stay: %s', (text) => {
    expect(scrubber.scrub(text)).toEqual({ text, count: 0, kinds: [] });
  });

  it('with letters in them that happen to spell an instruction are found', () => {
    for (const value of [
      `9bde0cfebac2c74a70e125de7f7${'add'}0f`,
      `6u08hz8b5k$fk4ceqga&43pto0qpu^${'put'}6qq2t(4g4x4jh2`,
    ])
      expect(scrubber.scrub(`API_KEY="${value}"`).count).toBe(1);
  });

  it('with a password in groups of four are found whole', () => {
    const groups = 'gruz gvob zfwx zbff';
    for (const text of [`EMAIL_PASSWORD=${groups}\n`, `password: "${groups}"`])
      expect(scrubber.scrub(text).text).not.toContain('zbff');
  });

  it('leave identifiers and digests under other names alone', () => {
    for (const text of [
      `id: ${uuid()}`,
      `sha: ${hex(40)}`,
      `digest: sha256:${hex(64)}`,
      `"resolved": "https://r.n/a.tgz#${hex(40)}"`,
      `clientId=${uuid()}`,
    ]) {
      expect(scrubber.scrub(text).count).toBe(0);
    }
  });
});

describe('headers and commands', () => {
  it.each([
    `Authorization: Bearer ${alnum(40)}`,
    `authorization: Token ${hex(40)}`,
    `Authorization: Basic ${encode(`bob:${password}`)}`,
    `curl -H "Authorization: Bearer ${jwt()}" https://a.b`,
    `curl -u bob:${password} https://a.b`,
    `curl --user "bob:${password}" https://a.b`,
    `Cookie: theme=dark; sid=${alnum(32)}`,
    `Set-Cookie: session=${hex(40)}; Path=/`,
  ])('%#', (text) => {
    expect(scrubber.scrub(text).count).toBeGreaterThan(0);
  });

  it.each([
    'Authorization: Bearer <token>',
    'Authorization: Basic ...',
    'Bearer authentication is required',
    'curl -u user:pass https://a.b',
    'docker run -u 1000:1000 x',
    'Bearer $TOKEN',
  ])('%s stays', (text) => {
    expect(scrubber.scrub(text).count).toBe(0);
  });
});

describe('encodings', () => {
  const unicode = (text: string): string =>
    [...text].map((character) => `\\u00${character.charCodeAt(0).toString(16)}`).join('');
  const percent = (text: string): string =>
    [...text].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');
  it.each([
    ['a \\u escape at its beginning', `x=${unicode(github.slice(0, 1))}${github.slice(1)} y`],
    ['\\u escapes throughout', `x ${unicode(github)} y`],
    ['an escaped line break before it', `"a\\n${github}\\nb"`],
    ['percent signs before it', `q%3D${github}%26z`],
    ['percent signs throughout', `q ${percent(github)} z`],
    ['base64', `blob ${encode(`token is ${github} ok`)} end`],
    ['base64, one byte further', `blob ${encode(`a token is ${github} ok`)} end`],
    ['base64, two bytes further', `blob ${encode(`an token is ${github} ok`)} end`],
    ['HTML', `&quot;token&quot;: &quot;${github}&quot;`],
  ])('%s', (_name, text) => {
    const result = scrubber.scrub(text);
    expect(result.kinds).toContain('github-token');
    expect(result.text).not.toContain(github.slice(-8));
    expect(result.text).toMatch(/^.{1,30}\[REDACTED:github-token\]/);
  });

  it('a private key in base64 goes whole', () => {
    expect(scrubber.scrub(`tls.key: ${encode(keyBlock('RSA PRIVATE KEY', 12))}\n`).text).toBe(
      'tls.key: [REDACTED:private-key]\n',
    );
  });
});

describe('properties', () => {
  const secrets = [...examples.values()].flat().map((sample) => sample.true[0]!);
  const anything = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc
      .array(
        fc.oneof(
          fc.constantFrom(
            'key=',
            'password: ',
            '"',
            "'",
            '\\',
            '\n',
            '://a:',
            '@',
            'Bearer ',
            '%41',
            '\\u0041',
            '[REDACTED:',
            ']',
            '\uD800',
            '-----BEGIN PRIVATE KEY-----',
            'eyJ.',
            ' is ',
          ),
          fc.string({ maxLength: 12 }),
          fc.constantFrom(...secrets),
        ),
        { maxLength: 12 },
      )
      .map((parts) => parts.join('')),
  );

  it('never throws, and a second time changes and counts nothing', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const once = scrubber.scrub(text);
        expect(scrubber.scrub(once.text)).toEqual({ text: once.text, count: 0, kinds: [] });
        if (once.count === 0) expect(once.text).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });

  it('takes the word after a command for the password also where another word follows', () => {
    const { secret } = [...examples.values()]
      .flat()
      .find(({ true: [text] }) => text?.startsWith('NickServ identify'))!;
    for (const text of [`NickServ identify ${secret} settings`, `NickServ identify somebody ${secret}`]) {
      expect(scrubber.scrub(text).text).not.toContain(secret);
    }
  });

  it('leaves no eight characters of a planted secret', () => {
    const tokens = [...examples.values()]
      .flat()
      .filter((sample) => sample.true.length > 1 && sample.true[0] !== sample.secret);
    fc.assert(
      fc.property(
        fc.constantFrom(...tokens),
        fc.lorem({ maxCount: 8 }),
        fc.constantFrom(' ', '\n', '"', "'", '`', '(', '<', '\t', ' -> '),
        (sample, prose, edge) => {
          const result = scrubber.scrub(
            `${prose}${edge}${sample.true[0]}${edge === '(' ? ')' : edge === '<' ? '>' : edge}${prose}`,
          );
          for (let index = 0; index + 8 <= sample.secret.length; index++) {
            expect(result.text).not.toContain(sample.secret.slice(index, index + 8));
          }
        },
      ),
      { numRuns: 1000 },
    );
  });
});

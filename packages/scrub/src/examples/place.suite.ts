import {
  alnum,
  base58,
  base64,
  digits,
  type Examples,
  hex,
  inText,
  lower,
  named,
  type Sample,
  token,
  upper,
  uuid,
  word,
} from './sample.suite.ts';

/** A password as a person or a generator would make it, new each time. */
const chosen = (): string => `Maple_${lower(4)}7${alnum(5)}`;

/** The secret where `§` stands in the texts; the same texts with what documentation writes there must stay. */
function placed(secret: string, texts: readonly string[], stays: readonly string[] = []): Sample {
  const fill = (value: string): string[] => texts.map((text) => text.replaceAll('§', () => value));
  return { secret, true: fill(secret), false: [...fill('<password>'), ...fill('$PASSWORD'), ...stays] };
}

export const commandExamples: Examples = {
  'command-password': [
    placed(
      chosen(),
      [
        'mysql -uroot -p§ -e "show tables"',
        'mysqldump -h db -u app -p§ shop',
        '["mysqladmin", "-p§", "ping"]',
      ],
      ['mysql -uroot -p shop2024', 'see the mysql -p flag'],
    ),
    placed(chosen(), ['7z a -p§ out.7z x', 'sshpass -p § ssh a@b', "sshpass -p '§' scp x a@b:"]),
    placed(
      chosen(),
      ['redis-cli -h cache -a § ping', 'valkey-cli --pass § info', 'redis-cli AUTH §'],
      ['redis-cli -h cache01 ping'],
    ),
    placed(chosen(), ['ldapsearch -x -D "cn=admin" -w § -b dc=a', 'ldappasswd -s § uid=x']),
    placed(chosen(), [
      'mongosh -u admin -p § --quiet',
      'mongodump --username a -p § \\\n  --out x',
      'cqlsh -u a -p § host',
    ]),
    placed(
      chosen(),
      [
        'docker login -u ci -p § r.acme.io',
        'az acr login -n x -u y -p §',
        'helm registry login -u a -p § r.io',
      ],
      ['docker run -p 8080:80 nginx1.25', 'docker login -u ci'],
    ),
    placed(chosen(), [
      'sqlcmd -S db -U sa -P § -Q "select 1"',
      'mosquitto_pub -u a -P § -t x',
      'unzip -P § a.zip',
      'zip -P § a.zip b',
    ]),
    placed(chosen(), [
      'plink -pw § a@b',
      'ssh-keygen -t ed25519 -N § -f k',
      'smbclient //a/b -U bob%§',
      'lftp -u bob,§ ftp.a.io',
    ]),
    placed(chosen(), ['snmpwalk -v3 -u ops -a SHA -A § -x AES 10.0.0.1', 'snmpget -v3 -u o -X § h']),
    placed(
      chosen(),
      ['http -a bob:§ a.io', 'curl -sSL -ubob:§ https://a.io', 'curl -x p:8080 -U bob:§ https://a.io'],
      ['curl -sSLO https://a.io/v1.2:3'],
    ),
    placed(chosen(), [
      'xfreerdp /u:bob /p:§ /v:h',
      'schtasks /create /tn j /ru svc /rp §',
      'cmdkey /add:h /user:u /pass:§',
    ]),
    placed(chosen(), [
      'htpasswd -bc .htpasswd bob §',
      'openssl enc -aes-256-cbc -k § -in a',
      'openssl passwd -6 §',
      'openssl rsa -passin pass:§ -in k',
    ]),
    placed(chosen(), [
      'security add-generic-password -a me -s x -w §',
      'java -jar jenkins-cli.jar -auth bob:§ list-jobs',
    ]),
    placed(chosen(), [
      'wpa_passphrase Acme §',
      'nmcli dev wifi connect Acme password §',
      'rabbitmqctl add_user bob §',
      'bw unlock §',
    ]),
    placed(chosen(), [
      'aws ssm put-parameter --name /a --type SecureString --value §',
      'kubectl create secret generic a --from-literal=b=§',
    ]),
    placed(chosen(), [
      'mc alias set local http://127.0.0.1:9000 root §',
      'net use Z: \\\\h\\s /user:A\\b §',
      'net user bob § /add',
    ]),
    placed(
      chosen(),
      ['sqlplus hr/§@ora1:1521/XE', 'jdbc:oracle:thin:app/§@//h:1521/X'],
      ['sqlplus / as sysdba', 'jdbc:oracle:thin:@//h:1521/X1'],
    ),
  ],
  'command-token': [
    placed(
      hex(40),
      ['wandb login §', 'shodan init §', 'ngrok config add-authtoken §'],
      ['please login again', 'user login 1f0c0b7e-2f2b-4e0e-9c59-5f4b8f1e2a3c'],
    ),
    placed(uuid(), ['bash <(curl -s https://codecov.io/bash) -t §']),
    placed(upper(32).replace(/[0189]/g, 'K'), ['oathtool --totp -b §'], ['oathtool --totp -b SECRET']),
  ],
  'vault-unseal-key': [
    placed(
      `${base64(43)}=`,
      ['Unseal Key 1: §', 'vault operator unseal §', '{"unseal_keys_b64":["§"]}'],
      ['The unseal key is not shown.'],
    ),
  ],
  'piped-password': [
    placed(
      chosen(),
      [
        "echo 'bob:§' | chpasswd",
        "echo '§' | sudo -S ls",
        'echo "§" | passwd --stdin bob',
        'echo -n § | docker login --password-stdin',
        'gh auth login --with-token <<< §',
      ],
      ['echo done2 | tee log'],
    ),
  ],
  'prompted-password': [
    placed(
      chosen(),
      [
        'NickServ identify §',
        'a1 LOGIN bob@a.io §',
        'USER bob\nPASS §',
        'ConvertTo-SecureString "§" -AsPlainText',
      ],
      ['We identify users2 by name.'],
    ),
  ],
  'router-secret': [
    placed(
      chosen(),
      [
        'enable secret 0 §',
        'snmp-server community § RO',
        'username bob privilege 15 secret 0 §\n',
        'requirepass §',
      ],
      ['enable password protection', 'username bob password required\n'],
    ),
  ],
  'rails-master-key': [
    placed(hex(32), ['$ cat config/master.key\n§', 'config/master.key: §'], ['config/master.key is ignored']),
  ],
  'terraform-random-password': [
    placed(`${alnum(14)}9a`, [
      '{"type":"random_password","instances":[{"attributes":{"length":16,"result":"§"}}]}',
    ]),
  ],
};

export const addressExamples: Examples = {
  webhook: [
    placed(
      lower(26),
      ['https://chat.acme.io/hooks/§', 'https://hook.eu1.make.com/§'],
      ['src/hooks/useSomethingLong.ts', 'https://docs.acme.io/webhooks/getting-started-with-webhooks'],
    ),
    placed(hex(24), ['https://api.netlify.com/build_hooks/§?x=1']),
    inText('https://api.render.com/deploy/srv-cabc12d3e4f5g6h7i8j0?key=', `k9${alnum(9)}`),
    placed(uuid(), ['https://logs-01.loggly.com/inputs/§/tag/http/']),
  ],
  'signed-url': [
    placed(hex(512), ['https://storage.googleapis.com/b/o?X-Goog-Expires=1&X-Goog-Signature=§']),
    placed(
      base64(44),
      ['https://d1.cloudfront.net/x?Expires=1&Signature=§&Key-Pair-Id=K1'],
      ['the &signature= parameter'],
    ),
  ],
  'url-key': [placed(hex(32), ['https://api.acme.io/data?q=Oslo&appid=§'], ['https://a.io/?key=value&x=1'])],
  'session-cookie': [
    placed(
      alnum(32),
      ["curl -b 'PHPSESSID=§' https://a.io", 'JSESSIONID=§; Path=/'],
      ['JSESSIONID=...', 'session=active'],
    ),
  ],
  'login-line': [
    placed(
      chosen(),
      ['db.acme.io:5432:orders:app:§', '*:*:*:postgres:§', '[smtp.acme.io]:587 bob@acme.io:§'],
      ['localhost:5432:latest'],
    ),
  ],
  'url-user-token': [
    placed(
      `${alnum(9)}4x${alnum(9)}`,
      ['https://§@push.acme.io/a', 'https://§:x-oauth-basic@git.acme.io/a'],
      ['https://deploy-bot@git.acme.io/a', 'ssh://git@host/a'],
    ),
  ],
};

export const callExamples: Examples = {
  'call-secret': [
    placed(
      `${alnum(19)}4x${alnum(19)}`,
      [
        'c = Client("abc", "§")',
        "algoliasearch('APP', '§')",
        'new RestClient(new Uri(base), "§")',
        'boto3.client("s3", "id", "§")',
      ],
      ['new Client("https://api.acme.io/v1/customers")', `new Client("${uuid()}")`],
    ),
    placed(uuid(), ['KucoinClient("abc", "§", "x")']),
  ],
  'call-password': [
    placed(
      chosen(),
      ["server.login('a@b.io', '§')", 'HTTPBasicAuth("bob", "§")', 'requests.get(u, auth=("bob", "§"))'],
      ["page.login('bob', 'password')", 'new BasicAuth("user", "pass")'],
    ),
  ],
  'signing-secret': [
    placed(
      alnum(30),
      ["jwt.sign({ id: user.id }, '§', { expiresIn: '1h' })", 'jwt.encode(claims, "§", algorithm="HS256")'],
      ["jwt.sign({ foo: 'bar' }, 'shhhhh')"],
    ),
  ],
  'encryption-key': [placed(`${base64(43)}=`, ['Fernet(b"§")'])],
};

const WORDS = 'wish achieve accuse wise access abandon absorb witness wood wire absent absurd';

export const walletExamples: Examples = {
  mnemonic: [
    {
      secret: WORDS,
      true: [`MNEMONIC="${WORDS}"`, `seed phrase: ${WORDS}`, `{ mnemonic: '${WORDS}' }`],
      false: [
        'A mnemonic is a list of words',
        'mnemonic: "word word word"',
        'The seed phrase: never share it with anybody, whoever asks you for it.',
      ],
    },
  ],
  'wif-key': [
    placed(`K${base58(51)}`, ['bitcoin-cli importprivkey § "cold"', 'wif: §', 'private key (WIF): §']),
    named('BITCOIN_KEY', `L${base58(51)}`),
  ],
  'ethereum-private-key': [
    placed(
      `0x${hex(64)}`,
      ['accounts: ["§"], // hardhat', '--private-key §'],
      [`transaction 0x${hex(64)} was mined`],
    ),
  ],
  'solana-key': [named('SOLANA_KEYPAIR', base58(88))],
};

/** Kinds that take a look around them, and so are no rules of a family. */
export const documentExamples: Examples = {
  'jwk-private-key': [
    placed(
      word(43),
      ['{"kty":"EC","crv":"P-256","x":"a","d":"§"}', '{"d":"§","kty":"OKP"}'],
      ['{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"}'],
    ),
  ],
  'kubernetes-secret': [
    placed(
      'c3VtbWVy',
      ['apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  pin: §\n'],
      ['kind: ConfigMap\ndata:\n  color: c3VtbWVy\n', 'kind: Secret\nmetadata:\n  name: db-credentials\n'],
    ),
  ],
  'url-password': [placed(chosen(), ['app:§@tcp(db:3306)/shop'], ['listening @tcp(db:3306)'])],
  'password-hash': [
    placed(
      `$2y$10$${alnum(53)}`,
      ['bob:§', "INSERT INTO users (email, hash) VALUES ('a@b.io', '§')"],
      [`see $2y$10$${alnum(53)} above`],
    ),
    placed(`$apr1$${alnum(8)}$${alnum(22)}`, ['ops:§\n']),
    placed(`$6$${alnum(16)}$${alnum(86)}`, ['root:§:19700:0:99999:7:::']),
  ],
  'prompted-password': [placed(chosen(), ['expect "password:"\nsend "§\\r"'], ['send "hello world2\\r"'])],
};

export const moreTokens: Examples = {
  'nats-seed': [token('SUA', upper(55).replace(/[0189]/g, 'K'))],
  'telnyx-key': [token('KEY0', `1${upper(30).replace(/[G-Z]/g, 'A')}_${alnum(22)}`)],
  'teamcity-token': [token('eyJ0eXAiOiAiVENWMiJ9.', `${word(36)}.${word(48)}`)],
  'bitwarden-token': [named('BWS_ACCESS_TOKEN', `0.${uuid()}.${alnum(30)}:${base64(22)}==`)],
  'facebook-app-token': [inText('access_token=', `${digits(16)}|${word(27)}`)],
  'portainer-token': [token('ptr_', `${base64(43)}=`)],
  'dbt-token': [token('dbtc_', word(40))],
  'wordpress-salt': [
    placed(
      `${alnum(30)}|#${alnum(32)}`,
      ["define( 'AUTH_KEY',         '§' );"],
      ["define( 'AUTH_KEY', 'put your unique phrase here' );"],
    ),
  ],
  'prefixed-key': [
    token('acme_sk_', `${alnum(12)}7x${alnum(12)}`),
    token('private_', `${alnum(12)}7x${alnum(12)}`),
  ],
};

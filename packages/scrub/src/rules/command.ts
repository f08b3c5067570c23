import type { RuleFamily, TokenRule } from '../detect/types.ts';
import { base64, hex, uuid } from './alphabet.ts';

/** The rest of a command up to the flag, over continued lines, but not past a pipe or a semicolon. */
const BODY = '(?=[ \\t"\'])(?:[^\\n|;\\\\]|\\\\[\\s\\S]){0,160}?';
/** A word of its own, plain or as an element of a list: `-p x`, `"-p", "x"`. */
const GAP = '[ \\t"\',]{1,5}';
const VALUE = '([^\\s"\'`,;|]{4,1000})';

/** `program … flag value`: the flag means a password only to these programs. */
function flag(programs: string, flags: string): TokenRule {
  return {
    kind: 'command-password',
    keywords: programs.split(' '),
    pattern: `(?:\\.exe)?${BODY}${GAP}(?:${flags})${VALUE}`,
    group: 1,
    left: 'strict',
    right: 'none',
    chosen: true,
  };
}

/** `program words value`: the words are part of the keyword, the password follows other arguments. */
function argument(commands: readonly string[], before: string): TokenRule {
  return {
    kind: 'command-password',
    keywords: commands,
    pattern: `${before}["']?${VALUE}`,
    group: 1,
    left: 'strict',
    right: 'none',
    chosen: true,
  };
}

const ONE = '[ \\t]{1,4}[^\\s]{1,80}';

/** Passwords and tokens as arguments of command-line tools, and in what such tools read and print. */
export const command: RuleFamily = {
  tokens: [
    flag(
      'mysql mysqldump mysqladmin mysqlimport mysqlcheck mysqlshow mysqlsh mysqlpump mariadb mariadb-dump mariadb-admin',
      '-p',
    ),
    flag('7z 7za 7zz rar unrar', '-h?p'),
    flag('sshpass', '-p[ \\t]{0,3}["\']?'),
    flag(
      'redis-cli valkey-cli keydb-cli redis-benchmark',
      `(?:-a|--pass|--askpass=)[ \\t=]{1,3}["']?|AUTH${GAP}`,
    ),
    flag(
      'ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami ldapcompare ldapmodrdn ldappasswd',
      `-[ws]${GAP}`,
    ),
    flag(
      'mongosh mongo mongodump mongorestore mongoexport mongoimport mongostat cqlsh cypher-shell rdesktop psexec PsExec ' +
        'rpk kcadm kcadm.sh winexe evil-winrm twine unlock-keychain crackmapexec nxc ncrack couchbase-cli cbq nuxeo',
      `-p${GAP}`,
    ),
    {
      ...flag('', `-p${GAP}`),
      keywords: [
        ...[
          'docker',
          'podman',
          'nerdctl',
          'buildah',
          'skopeo',
          'oras',
          'registry',
          'auth',
          'az',
          'acr',
          'oc',
          'cf',
          'ibmcloud',
          'argocd',
        ].map((program) => `${program} login`),
      ],
    },
    flag('sqlcmd bcp osql isql tsql ipmitool mosquitto_pub mosquitto_sub unzip sqsh knife', `-P${GAP}`),
    flag('zip', `-[a-z0-9]{0,3}P${GAP}`),
    flag('plink pscp psftp putty kitty', `-pw${GAP}`),
    flag('ssh-keygen', `-[NP]${GAP}`),
    flag('smbclient rpcclient smbmap smbget pdbedit wmic', '-U[ \\t]{0,3}["\']?[^\\s%"\']{1,80}%'),
    flag('snmpwalk snmpget snmpset snmpgetnext snmpbulkwalk snmpbulkget snmptrap snmptable', `-[AX]${GAP}`),
    flag('lftp ncftp', `-u${GAP}[^\\s,"']{1,80},`),
    {
      ...flag('', ''),
      keywords: ['http -a ', 'http --auth ', 'http --auth=', 'https -a ', 'xh -a '],
      pattern: `["']?[^\\s:"']{1,80}:${VALUE}`,
    },
    flag(
      'curl',
      `(?:(?:-U|--proxy-user)[ \\t]{0,3}["']?|-[fsSLkvigXGP]{0,8}u["']?(?![\\s$-]))[^\\s:"']{1,80}:`,
    ),
    flag(
      'xfreerdp mstsc cmdkey schtasks schtasks.exe wmic winscp signtool runas',
      `/(?:p|pass|password|rp)(?:[:=]|[ \\t]{1,3})["']?`,
    ),
    flag('htpasswd', `-[a-zA-Z]{0,5}b[a-zA-Z]{0,5}(?:${ONE}){1,2}[ \\t]{1,4}["']?`),
    flag(
      'openssl',
      `-k[ \\t]{1,3}["']?|-K[ \\t]{1,3}["']?|passwd(?:[ \\t]-[a-z0-9]{1,8}){0,3}[ \\t]{1,3}["']?`,
    ),
    {
      ...flag('', `-[wp]${GAP}`),
      keywords: ['add-generic-password', 'add-internet-password', 'unlock-keychain'],
    },
    flag('etcdctl influx kcadm.sh', `--user(?:name)?[ =]["']?[^\\s:"']{1,80}:`),
    flag('jenkins-cli.jar', `-auth${GAP}[^\\s:"']{1,80}:`),
    flag('wpa_passphrase', `[^\\s"']{1,40}["']?[ \\t]{1,3}["']?`),
    flag('nmcli', `(?:password|psk|wifi-sec\\.psk)${GAP}`),
    flag('put-parameter put-secret-value create-secret update-secret', `--(?:value|secret-string)[ =]["']?`),
    flag('rabbitmqctl', `(?:add_user|change_password|authenticate_user)${ONE}[ \\t]{1,4}["']?`),
    argument(['bw unlock', 'bw login'], '[ \\t]{1,3}(?:\\S{1,80}@\\S{1,80}[ \\t]{1,3})?'),
    argument(['mc alias set', 'mc config host add', 'mcli alias set'], `${ONE}${ONE}${ONE}[ \\t]{1,4}`),
    argument(['net use', 'NET USE'], '[^\\n]{1,120}?/user:[^\\s]{1,80}[ \\t]{1,4}'),
    argument(
      ['net use', 'NET USE'],
      `${ONE}(?:[ \\t]{1,4}\\\\\\\\[^\\s]{1,80})?[ \\t]{1,4}(?=[^\\s/]{4,128}[ \\t]{1,4}/user:)`,
    ),
    argument(['net user', 'NET USER'], `${ONE}[ \\t]{1,4}(?=[^\\s/]{4,128}[ \\t]{1,4}/)`),
    argument(
      ['sqlplus', 'rman target', 'expdp', 'impdp', 'sqlldr', 'sqlcl', 'oracle:thin:', 'oracle:oci:'],
      '(?:[ \\t]{1,3}-\\w{1,3}){0,2}[ \\t]{0,3}["\']?[A-Za-z][\\w$#.-]{0,60}/(?=[^\\s@"\']{4,128}@)',
    ),
    {
      kind: 'command-password',
      keywords: ['--from-literal'],
      pattern: '[= ]["\']?[\\w.-]{1,80}=["\']?([^\\s"\'`]{4,256})',
      group: 1,
      left: 'none',
      right: 'none',
      chosen: true,
    },
    // openssl's `pass:` source, and the same in node's and Java's tools.
    {
      kind: 'command-password',
      keywords: ['-pass pass:', '-passin pass:', '-passout pass:', '-passwd pass:'],
      pattern: '["\']?([^\\s"\']{4,128})',
      group: 1,
      left: 'none',
      right: 'none',
      chosen: true,
    },
    // A token as the argument of a login: `wandb login …`, `ngrok config add-authtoken …`.
    {
      kind: 'command-token',
      keywords: [
        ' login ',
        ' auth ',
        ' authtoken ',
        ' add-authtoken ',
        ' unseal ',
        ' init ',
        ' apikey ',
        ' api-key ',
        ' authorize-account ',
        ' activate ',
        ' register ',
        ' unlock ',
        ' service install ',
        ' set-token ',
        ' set-key ',
      ],
      pattern: `[ \\t]{0,2}(?:(?:[a-z][\\w:/.@=-]{0,40}|-[a-z-]{1,20}|[0-9a-f]{24,26})[ \\t]{1,3}){0,3}["']?(?!${uuid})([A-Za-z0-9][A-Za-z0-9+/_:-]{18,200}={0,2})`,
      group: 1,
      left: 'none',
      right: 'strict',
      random: 20,
      guess: true,
    },
    {
      kind: 'command-token',
      keywords: ['codecov', 'cc-test-reporter', 'doctl auth init', 'k6 login cloud', 'cloudflared tunnel'],
      pattern: `[^\\n]{0,100}?[ \\t](?:-t|--token|-r|--id)[ =]["']?(${uuid}|${hex}{32,64}|[A-Za-z0-9_+/=-]{24,400})`,
      group: 1,
      left: 'none',
    },
    {
      kind: 'command-token',
      keywords: ['oathtool', 'totp -b', '--totp'],
      pattern: '[^\\n]{0,60}?[ \\t]["\']?([A-Z2-7]{16,64}|[a-f0-9]{32,128})',
      group: 1,
      left: 'none',
    },
    // Vault's keys have no mark; the words around them do.
    {
      kind: 'vault-unseal-key',
      keywords: [
        'unseal key',
        'recovery key',
        'operator unseal',
        'unseal_keys_b64',
        'unseal_keys_hex',
        'operator rekey',
        'keys_base64',
      ],
      pattern: `(?:["':= \\t]|\\[|\\(|\\)|\\d{1,2}(?!\\d)|\\s){1,30}(${base64}{43}=|${base64}{44}|${hex}{64,66})`,
      group: 1,
      ignoreCase: true,
      left: 'none',
      right: 'blob',
    },
    // What is piped into a program that asks for a password.
    {
      kind: 'piped-password',
      keywords: ['echo ', 'printf '],
      pattern:
        '[ \\t]{0,2}(?:-[neE]{1,2}[ \\t]{1,3})?(?:["\']?%s(?:\\\\n)?["\']?[ \\t]{1,3})?["\']?(?:[\\w.-]{1,40}:(?=[^|\\n]{1,200}\\|[ \\t]{0,3}(?:sudo )?chpasswd))?([^\\s"\'`|]{6,400})["\']?[ \\t]{0,3}\\|[ \\t]{0,3}(?:sudo[ \\t]{1,3}-S|(?:sudo[ \\t]{1,3})?(?:chpasswd|passwd[ \\t]{1,3}--stdin|smbpasswd|pdbedit|cryptsetup|kinit|su[ \\t]|ssh-add|gpg|vault|docker|podman|helm|az|gh|glab|oras|nerdctl|aws|wrangler|npx|vercel|fly|flyctl|kubectl|op|pass))',
      group: 1,
      left: 'strict',
      right: 'none',
      chosen: true,
    },
    {
      kind: 'piped-password',
      keywords: ['--with-token', '--password-stdin', '--stdin', 'chpasswd', 'smbpasswd', 'sudo -S'],
      pattern: '[^\\n]{0,60}?<<<[ \\t]{0,3}["\']?(?:[\\w.-]{1,40}:)?([^\\s"\'`:]{6,200})',
      group: 1,
      left: 'none',
      right: 'none',
      chosen: true,
    },
    // Without the name of an account, and with one: a word after the password is no reason to take it for a name.
    ...['', '[A-Za-z][\\w-]{1,30} '].map(
      (account): TokenRule => ({
        kind: 'prompted-password',
        keywords: ['IDENTIFY ', 'NickServ identify ', 'nickserv identify '],
        pattern: `${account}([^\\s"'.,]{8,64})(?=[\\r\\n"'\\\\<>)\`]|[ \\t]|$)`,
        group: 1,
        left: 'strict',
        right: 'none',
        chosen: true,
      }),
    ),
    {
      kind: 'prompted-password',
      keywords: [' LOGIN '],
      pattern: '["\']?[\\w.+-]{1,64}@[\\w.-]{1,80}["\']?[ ]["\']?([^\\s"\']{6,64})',
      group: 1,
      left: 'none',
      right: 'none',
      chosen: true,
    },
    {
      kind: 'prompted-password',
      keywords: ['USER '],
      pattern: '[\\w.@+-]{1,80}\\r?\\n(?:[^\\n]{0,80}\\n)?(?:C: )?PASS ([^\\s]{4,64})',
      group: 1,
      left: 'strict',
      right: 'none',
      chosen: true,
    },
    {
      kind: 'prompted-password',
      keywords: ['ConvertTo-SecureString', 'convertto-securestring'],
      pattern: '(?:[ \\t]{1,3}-String)?[ \\t(]{1,3}["\']([^"\'\\n$]{4,128})["\']',
      group: 1,
      right: 'none',
      chosen: true,
    },
    // Routers: `enable secret 0 …`, `username a privilege 15 password 7 …`, `snmp-server community … RO`.
    {
      kind: 'router-secret',
      keywords: [
        'enable secret',
        'enable password',
        'privilege 15 secret',
        'privilege 15 password',
        'snmp-server community',
        'radius-server key',
        'tacacs-server key',
        'isakmp key',
        'pre-shared-key',
        'key-string',
        'wpa-psk ascii',
        'ppp chap password',
        'ip ospf authentication-key',
        'message-digest-key 1 md5',
        'rocommunity',
        'rwcommunity',
        'requirepass',
        'rootpw --plaintext',
        'root-password password',
        ': XAUTH',
        ': EAP',
        'IDENTIFIED BY',
        'masterauth',
      ],
      pattern:
        '[ \\t]{1,3}(?:(?:[0-9]|local|ascii-text|level \\d{1,2})[ \\t]{1,3}){0,3}["\']?([^\\s"\']{6,128})',
      group: 1,
      right: 'none',
      chosen: true,
    },
    {
      kind: 'router-secret',
      keywords: ['username '],
      pattern:
        '[\\w.@-]{1,40}[ \\t]{1,3}(?:privilege \\d{1,2} )?(?:secret|password)[ \\t]{1,3}(?:\\d[ \\t]{1,3})?["\']?([^\\s"\']{6,128})(?=[\\r\\n]|$)',
      group: 1,
      right: 'none',
      chosen: true,
    },
    // Kubernetes, Rails and Terraform print secrets in forms of their own.
    {
      kind: 'rails-master-key',
      keywords: ['master.key', 'production.key', 'staging.key'],
      pattern: `["']?[ \\t]{0,3}(?:\\n|:|=|\\\\n)\\s{0,4}["']?(${hex}{32})`,
      group: 1,
    },
    {
      kind: 'terraform-random-password',
      keywords: ['random_password', 'random_string'],
      pattern:
        '[\\s\\S]{0,600}?\\\\?"(?:result|bcrypt_hash)\\\\?"\\s{0,3}:\\s{0,3}\\\\?"([^"\\\\\\n]{8,128})',
      group: 1,
      left: 'none',
      right: 'none',
      chosen: true,
    },
  ],
};

import type { RuleFamily } from '../types.ts';
import { alnum, base64, hex } from './alphabet.ts';

const WORD = '[a-z]{3,8}["\',]{0,3}[ ]{1,2}["\']?';

/** Keys to money, and passwords in the form that servers store them. */
export const wallet: RuleFamily = {
  tokens: [
    {
      kind: 'mnemonic',
      keywords: ['mnemonic', 'seed phrase', 'seed_phrase', 'seedphrase', 'seed-phrase', 'recovery phrase', 'recovery_phrase', 'secret phrase', 'backup phrase', 'seed words', 'wallet_seed', 'seed'],
      // 12, 15, 18, 21 or 24 words of the list's lengths.
      pattern: `[\\w() ]{0,20}["'\`]?[\\])]?\\s{0,4}(?:is|=>|:=|[:=,(])\\s{0,6}["'\`\\[]{0,3}((?:(?:${WORD}){3}){3,7}(?:${WORD}){2}[a-z]{3,8})(?=["'\`\\r\\n,;.<)\\\\]|\\s{0,2}$)`,
      group: 1,
      ignoreCase: true,
      left: 'none',
    },
    {
      kind: 'wif-key',
      keywords: ['importprivkey', 'wif', 'privkey', 'private key', 'private_key', 'privatekey'],
      pattern: '[\\w()]{0,20}["\']?\\)?\\s{0,3}[:=,]?\\s{0,3}["\']?([5KLc9][1-9A-HJ-NP-Za-km-z]{50,51})',
      group: 1,
      ignoreCase: true,
      left: 'none',
    },
    {
      kind: 'ethereum-private-key',
      keywords: ['accounts: [', 'accounts:[', 'accounts = [', 'private key', 'private_key', 'privatekey', 'private-key', 'deployer', 'new Wallet(', 'privateKeyToAccount('],
      pattern: `[^\\n]{0,120}?((?:0x)${hex}{64})`,
      group: 1,
      ignoreCase: true,
      left: 'none',
    },
    // crypt(3) in the forms of htpasswd, shadow and user tables: after a user's name, or quoted beside it.
    {
      kind: 'password-hash',
      keywords: [':$2a$', ':$2b$', ':$2y$'],
      pattern: '(\\d\\d\\$[./A-Za-z0-9]{53})',
      group: 1,
      left: 'none',
    },
    {
      kind: 'password-hash',
      keywords: [':$apr1$', ':$1$', ':$5$', ':$6$', ':$y$', ':$7$', ':{SHA}', ':{SSHA}', '{SSHA}', '{SSHA512}', ':$argon2id$', ':$argon2i$', ':$scrypt$'],
      pattern: '([A-Za-z0-9./$=,+]{20,200})',
      group: 1,
      left: 'none',
      right: 'none',
    },
    {
      kind: 'password-hash',
      keywords: ['password', 'passwd', 'pwd', 'hash', 'secret'],
      pattern: '[\\w() ,]{0,40}?["\'\\s:=>)(]{1,12}(?:VALUES\\s{0,3}\\([^\\n$]{0,120}?["\'])?(\\$(?:2[aby]\\$\\d\\d\\$[./A-Za-z0-9]{53}|apr1\\$[./A-Za-z0-9]{1,8}\\$[./A-Za-z0-9]{22}|[156y]\\$[./A-Za-z0-9$=,]{20,140}|argon2id?\\$[A-Za-z0-9./$=,+]{40,200})|pbkdf2_sha256\\$\\d{3,8}\\$[A-Za-z0-9]{8,40}\\$[A-Za-z0-9+/=]{43,44})',
      group: 1,
      ignoreCase: true,
      left: 'none',
      right: 'none',
    },
  ],
  contexts: [
    { kind: 'wif-key', names: ['bitcoin', 'litecoin', 'dogecoin'], value: `[5KLc9TQ6]${alnum}{50,51}` },
    { kind: 'ethereum-private-key', names: ['ethereum', 'metamask', 'hardhat', 'deployer'], value: `(?:0x)?${hex}{64}` },
    { kind: 'solana-key', names: ['solana', 'phantom'], value: `(?:${alnum}{86,88}|${base64}{86,88})` },
  ],
};

import type { RuleFamily } from '../detect/types.ts';
import { alnum, base64, hex } from './alphabet.ts';

const WORD = '[a-z]{3,8}["\',]{0,3}[ ]{1,2}["\']?';

/** Keys to money, and passwords in the form that servers store them. */
export const wallet: RuleFamily = {
  tokens: [
    {
      kind: 'mnemonic',
      keywords: [
        'mnemonic',
        'seed phrase',
        'seed_phrase',
        'seedphrase',
        'seed-phrase',
        'recovery phrase',
        'recovery_phrase',
        'secret phrase',
        'backup phrase',
        'seed words',
        'wallet_seed',
        'seed:',
        'seed=',
        'seed": ',
      ],
      // 12, 15, 18, 21 or 24 words of the list's lengths.
      pattern: `[\\w() ]{0,20}["'\`]?[\\])]?\\s{0,4}(?:is|=>|:=|[:=,(])?\\s{0,6}["'\`\\[]{0,3}((?:(?:${WORD}){3}){3,7}(?:${WORD}){2}[a-z]{3,8})(?=["'\`\\r\\n,;.<)\\\\]|\\s{0,2}$)`,
      group: 1,
      ignoreCase: true,
      left: 'none',
    },
    {
      kind: 'wif-key',
      keywords: [
        'importprivkey',
        'wif:',
        'wif=',
        'wif)',
        'wif"',
        'wif =',
        'privkey',
        'private key',
        'private_key',
        'privatekey',
      ],
      pattern:
        '[\\w()]{0,20}(?: \\(wif\\))?["\']?\\)?\\s{0,3}[:=,]?\\s{0,3}["\']?([5KLc9][1-9A-HJ-NP-Za-km-z]{50,51})',
      group: 1,
      ignoreCase: true,
      left: 'none',
    },
  ],
  contexts: [
    { kind: 'wif-key', names: ['bitcoin', 'litecoin', 'dogecoin'], value: `[5KLc9TQ6]${alnum}{50,51}` },
    {
      kind: 'ethereum-private-key',
      names: ['ethereum', 'metamask', 'hardhat', 'deployer'],
      value: `(?:0x)?${hex}{64}`,
    },
    { kind: 'solana-key', names: ['solana', 'phantom'], value: `(?:${alnum}{86,88}|${base64}{86,88})` },
  ],
};

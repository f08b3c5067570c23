import type { RuleFamily } from '../detect/types.ts';
import { alnum, base64, hex, word } from './alphabet.ts';

/** Where code lives and is reviewed. */
export const sourceHosting: RuleFamily = {
  tokens: [
    {
      kind: 'github-token',
      keywords: ['ghp_', 'gho_', 'ghu_', 'ghr_'],
      pattern: `${alnum}{36,251}`,
      entropy: 3,
    },
    {
      kind: 'github-token',
      keywords: ['ghs_'],
      pattern: `(?:${alnum}{36,251}|\\d{1,12}_eyJ[A-Za-z0-9_.-]{40,2000})`,
      entropy: 3,
    },
    { kind: 'github-token', keywords: ['github_pat_'], pattern: '[A-Za-z0-9_]{36,255}', entropy: 3 },
    { kind: 'github-app-token', keywords: ['v1.'], pattern: `${hex}{40}`, left: 'strict', entropy: 3 },
    {
      kind: 'gitlab-token',
      keywords: [
        'glpat-',
        'gldt-',
        'glrt-',
        'glrtr-',
        'glcbt-',
        'glptt-',
        'glft-',
        'glsoat-',
        'glimt-',
        'glagent-',
        'gloas-',
        'glffct-',
        'glwt-',
      ],
      pattern: `${word}{20,300}(?:\\.[0-9a-z]{2}\\.[0-9a-z]{7,10})?`,
      entropy: 2.8,
    },
    { kind: 'gitlab-runner-token', keywords: ['GR1348941'], pattern: `${word}{20}` },
    { kind: 'gitlab-session', keywords: ['_gitlab_session='], pattern: `(${alnum}{32})`, group: 1 },
    {
      kind: 'bitbucket-token',
      keywords: ['ATBB'],
      pattern: `${alnum}{24,40}`,
      left: 'blob',
      right: 'blob',
      entropy: 3,
    },
    { kind: 'bitbucket-token', keywords: ['ATCTT3xFfG'], pattern: '[A-Za-z0-9+/=_-]{80,400}' },
    { kind: 'bitbucket-token', keywords: ['BBDC-'], pattern: '[A-Za-z0-9+/@_-]{40,50}' },
    { kind: 'atlassian-token', keywords: ['ATATT3', 'ATOAT', 'ATSTT3'], pattern: '[A-Za-z0-9+/=_-]{80,400}' },
    { kind: 'sourcegraph-token', keywords: ['sgp_'], pattern: `(?:(?:${hex}{16}|local)_)?${hex}{40}` },
    { kind: 'sourcegraph-token', keywords: ['slk_'], pattern: `${hex}{64}` },
    { kind: 'codesandbox-token', keywords: ['csb_v1_'], pattern: `${word}{30,60}` },
    { kind: 'gitguardian-token', keywords: ['ggtt-'], pattern: '[A-Za-z0-9-]{20,80}', entropy: 3 },
  ],
  contexts: [
    {
      kind: 'bitbucket-secret',
      names: ['bitbucket'],
      value: '(?:[A-Za-z0-9=_-]{64}|[a-z0-9]{32})',
      entropy: 3,
    },
    {
      kind: 'atlassian-token',
      names: ['atlassian', 'jira', 'confluence'],
      value: `${alnum}{24}`,
      entropy: 3.2,
    },
    { kind: 'gitea-token', names: ['gitea', 'forgejo', 'codeberg', 'gogs'], value: `${hex}{40}` },
    {
      kind: 'sourcehut-token',
      names: ['sourcehut', 'srht'],
      value: `(?:${hex}{32}|${base64}{60,200}={0,2})`,
    },
    { kind: 'github-token', names: ['github', 'gh_token'], value: `${hex}{40}` },
    { kind: 'sourcegraph-token', names: ['sourcegraph'], value: `${hex}{40}` },
    { kind: 'gitlab-token', names: ['gitlab'], value: `${word}{20}`, entropy: 3.3 },
  ],
};

import type { RuleFamily } from '../types.ts';
import { alnum, hex, lower, uuid, word } from './alphabet.ts';

/** Package and image registries. */
export const registry: RuleFamily = {
  tokens: [
    { kind: 'npm-token', keywords: ['npm_'], pattern: `${alnum}{36}`, entropy: 3 },
    { kind: 'npm-token', keywords: ['_authToken=', '_authToken = '], pattern: `["']?(${uuid}|[A-Za-z0-9+/_.-]{20,400}={0,2})`, group: 1, left: 'none', entropy: 3 },
    { kind: 'npm-auth', keywords: [':_auth=', ':_password=', ':_auth = '], pattern: '["\']?([A-Za-z0-9+/]{8,200}={0,2})', group: 1, left: 'none' },
    { kind: 'pypi-token', keywords: ['pypi-AgEIcHlwaS5vcmc', 'pypi-AgENdGVzdC5weXBpLm9yZw', 'pypi-'], pattern: `${word}{50,1000}`, entropy: 3 },
    { kind: 'rubygems-key', keywords: ['rubygems_'], pattern: `${hex}{48}` },
    { kind: 'crates-token', keywords: ['cio'], pattern: `${alnum}{32}`, left: 'blob', right: 'blob', random: 32 },
    { kind: 'nuget-key', keywords: ['oy2'], pattern: `${lower}{43}`, left: 'blob', right: 'blob', entropy: 3.3 },
    { kind: 'docker-token', keywords: ['dckr_pat_', 'dckr_oat_'], pattern: `${word}{20,60}` },
    { kind: 'clojars-token', keywords: ['CLOJARS_'], pattern: `${lower}{60}` },
    { kind: 'artifactory-key', keywords: ['AKCp'], pattern: `${alnum}{69}`, left: 'blob', right: 'blob', entropy: 3.3 },
    { kind: 'artifactory-token', keywords: ['cmVmd'], pattern: `${alnum}{59}`, left: 'blob', right: 'blob', entropy: 3.3 },
    { kind: 'packagist-token', keywords: ['packagist_ort_', 'packagist_out_', 'packagist_ust_', 'packagist_'], pattern: `${hex}{40,80}` },
    { kind: 'jsr-token', keywords: ['jsrp_', 'jsrd_'], pattern: `${alnum}{30,60}` },
    { kind: 'deno-deploy-token', keywords: ['ddp_', 'ddo_', 'ddw_'], pattern: `${alnum}{36}` },
    { kind: 'anaconda-token', keywords: ['an-'], pattern: uuid, left: 'strict' },
    { kind: 'anaconda-token', keywords: ['/t/'], pattern: `((?:[a-z]{2}-)?${uuid})`, group: 1, left: 'none' },
    { kind: 'jfrog-token', keywords: ['eyJ2ZXIiOiIyIi'], pattern: '[A-Za-z0-9_.-]{100,2000}', left: 'strict' },
    { kind: 'docker-auth', keywords: ['"auth":', '"auth" :', '\\"auth\\":'], pattern: '\\s{0,8}\\\\?"([A-Za-z0-9+/]{12,400}={0,2})\\\\?"', group: 1, left: 'none', entropy: 3, right: 'none' },
  ],
  contexts: [
    { kind: 'cloudsmith-key', names: ['cloudsmith', 'gemfury', 'packagecloud', 'repsy'], value: `(?:${hex}{40,48}|${word}{20,40})`, entropy: 3.2 },
    { kind: 'docker-token', names: ['docker', 'dockerhub', 'quay'], value: `(?:${uuid}|[A-Z0-9]{64})`, entropy: 3 },
    { kind: 'nuget-key', names: ['nuget'], value: `(?:${uuid}|${lower}{46})` },
    { kind: 'npm-token', names: ['npm_token', 'npm_auth', 'node_auth_token'], value: uuid },
    { kind: 'cocoapods-token', names: ['cocoapods'], value: `${hex}{32}` },
    { kind: 'artifactory-key', names: ['artifactory', 'jfrog'], value: `${alnum}{64,73}`, entropy: 3.3 },
    { kind: 'hackage-token', names: ['hackage', 'opam', 'luarocks'], value: `${alnum}{40,64}`, entropy: 3.2 },
  ],
};

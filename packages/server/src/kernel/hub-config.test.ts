import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from './config.ts';
import { isHubUrl } from './hub-config.ts';

describe('the hub in the configuration', () => {
  test('comes from flags over the environment', () => {
    const environment = {
      INFOLD_HUB_URL: 'https://one.example',
      INFOLD_HUB_TOKEN: '123456',
      INFOLD_HUB_EVERY: '5',
      INFOLD_HUB_INSECURE: 'true',
    };
    const { config, origins } = loadConfig({ hub: { url: 'https://two.example' } }, environment);
    expect(config.hub).toMatchObject({
      url: 'https://two.example',
      token: '123456',
      every: 5,
      insecure: true,
    });
    expect([origins['hub.url'], origins['hub.token']]).toEqual(['flag', 'environment']);
  });

  test('in the working folder does not get a token that is not from there', () => {
    const folder = mkdtempSync(join(tmpdir(), 'infold-config-'));
    const file = join(folder, 'infold.config.json');
    const environment = { INFOLD_HUB_TOKEN: '123456' };
    const before = process.cwd();
    process.chdir(folder);
    try {
      const isForeign = (hub: object, flags: Parameters<typeof loadConfig>[0], env: NodeJS.ProcessEnv) => {
        writeFileSync(file, JSON.stringify({ hub }));
        return loadConfig(flags, env).config.hub.isForeignUrl;
      };
      const url = 'https://hub.example';
      expect(isForeign({ url }, {}, environment)).toBe(true);
      expect(isForeign({ url, token: 'theirs' }, {}, environment)).toBe(true);
      expect(isForeign({ url, token: 'theirs' }, {}, {})).toBe(false);
      expect(isForeign({ url }, { hub: { url } }, environment)).toBe(false);
      expect(isForeign({ url }, {}, { ...environment, INFOLD_HUB_URL: url })).toBe(false);
      // Who names a file has looked at it.
      expect(isForeign({ url }, { config: file }, environment)).toBe(false);
      expect(isForeign({ url }, {}, { ...environment, INFOLD_CONFIG: file })).toBe(false);
    } finally {
      process.chdir(before);
      rmSync(folder, { recursive: true });
    }
  });

  test('says what goes up: attestation and reports unless it says otherwise', () => {
    const uploadOf = (upload: NonNullable<Parameters<typeof loadConfig>[0]['hub']>['upload']) =>
      loadConfig({ hub: { upload } }, {}).config.hub.upload;
    expect(uploadOf(undefined)).toEqual({
      what: ['attestation', 'reports'],
      projects: undefined,
      without: [],
    });
    expect(uploadOf(false).what).toEqual([]);
    expect(uploadOf({ without: ['attest.discover.query', 'reason'] }).without).toHaveLength(2);
    expect(() => uploadOf({ without: ['path'] })).toThrow(/must be one of query/);
    expect(() => uploadOf({ what: ['everything' as 'memory'] })).toThrow(/hub.upload/);
  });

  test.each([
    ...['ftp://hub.example', 'hub.example', 'https://me:secret@hub.example'],
    ...['https://hub.example?token=x', 'https://hub.example#x', ''],
  ])('is not %j', (url) => {
    expect(isHubUrl(url)).toBe(false);
    expect(() => loadConfig({ hub: { url } }, {})).toThrow(/a hub is written as/);
  });
});

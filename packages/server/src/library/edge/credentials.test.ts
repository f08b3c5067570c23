import { describe, expect, test } from 'vitest';
import { hubDefaults } from '../../kernel/hub-config.ts';
import { temporaryFolder } from '../../testing/fixtures.suite.ts';
import { credentialsIn, keepCredentials } from './credentials.ts';

describe('the token of a hub', () => {
  const url = 'https://hub.example';

  test('from the environment goes where the environment, a flag or "hub join" says, and nowhere else', () => {
    const data = temporaryFolder();
    const given = (more: object) => credentialsIn({ data, hub: { ...hubDefaults(), ...more } });
    expect(given({ url, token: 'mine' })).toMatchObject({ url, token: 'mine' });
    const foreign = { url, token: 'mine', isForeignUrl: true };
    expect(given(foreign)).toEqual({ url, token: undefined, isKeptBack: true });
    keepCredentials(data, { url, token: 'kept' });
    expect(given(foreign)).toMatchObject({ url, token: 'mine' });
    expect(given({ ...foreign, url: 'https://other.example' })).toMatchObject({ token: undefined });
    expect(given({ url: `${url}/`, isForeignUrl: true })).toMatchObject({ url, token: 'kept' });
    expect(given({ url: 'https://other.example' })).toMatchObject({ token: undefined, isKeptBack: false });
  });
});

import { describe, expect, it } from '@jest/globals';
import { readConfig, readSettings } from './config';

describe('readConfig', () => {
  it('reads the ports that are set and ignores empty port variables', () => {
    const { ports } = readConfig({ DAYCARE_IDENTITY_PORT: '6001', DAYCARE_SOCIAL_GRAPH_PORT: '' });
    expect(ports).toEqual({ identity: 6001 });
  });

  it.each(['0', '65536', '80.5', '-1', 'abc', ' 80'])(
    'rejects port "%s" and names the variable',
    (value) => {
      expect(() => readConfig({ DAYCARE_TOPOLOGY_PORT: value })).toThrow(
        `DAYCARE_TOPOLOGY_PORT is "${value}"; it must be a port number from 1 to 65535.`,
      );
    },
  );

  it('respects NO_COLOR unless it is empty', () => {
    expect(readConfig({ NO_COLOR: '0' }).noColour).toBe(true);
    expect(readConfig({ NO_COLOR: '' }).noColour).toBe(false);
    expect(readConfig({}).noColour).toBe(false);
  });
});

describe('readSettings', () => {
  it('reads config file, context, token and addresses from the environment', () => {
    const settings = readSettings({
      DAYCARE_CONFIG: '/x/config.yaml',
      DAYCARE_CONTEXT: 'work',
      DAYCARE_TOKEN: 't',
      DAYCARE_SOCIAL_GRAPH_ADDRESS: 'h:2',
      DAYCARE_TOPOLOGY_ADDRESS: '',
    });
    expect(settings).toMatchObject({ configFile: '/x/config.yaml', context: 'work', token: 't' });
    expect(settings.addresses).toEqual({ 'social-graph': 'h:2' });
  });

  it('uses the default config file without DAYCARE_CONFIG', () => {
    expect(readSettings({ XDG_CONFIG_HOME: '/c' }).configFile).toBe('/c/daycare/config.yaml');
    expect(readSettings({}).configFile).toMatch(/\/\.config\/daycare\/config\.yaml$/);
  });
});

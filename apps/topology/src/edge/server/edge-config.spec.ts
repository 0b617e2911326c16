import { describe, expect, it } from '@jest/globals';
import { EnvReader } from '@daycare/service-kit';
import { makeVisitors } from '../admission/visitors';
import { readEdgeConfig, type EdgeConfig } from './edge-config';

function read(env: Record<string, string> = {}): EdgeConfig {
  const reader = new EnvReader(env);
  return reader.done(readEdgeConfig(reader, 'the credential'));
}

describe('the configuration of the edge', () => {
  it('webhook secrets are encrypted with a separate key only if one is set', () => {
    expect(read().secretKey).toBe('the credential');
    const key = 'sixteen letters!';
    expect(read({ DAYCARE_EDGE_SECRET_KEY: key }).secretKey).toBe(key);
  });

  it('the edge is off and exposes nothing by default', () => {
    expect(read()).toMatchObject({ listen: '', url: '', ports: [], usersDir: '' });
  });

  it('reads the exposable ports and ranges', () => {
    expect(read({ DAYCARE_EDGE_PORTS: '8000-8999, 9100' }).ports).toEqual([
      { from: 8_000, to: 8_999 },
      { from: 9_100, to: 9_100 },
    ]);
  });

  it('the edge treats private networks as local by default, and otherwise the configured networks or none', () => {
    const isLocal = (address: string, networks = '') =>
      makeVisitors(read({ DAYCARE_EDGE_LOCAL_NETWORKS: networks })).isLocal(address);
    expect([isLocal('192.168.1.1'), isLocal('8.8.8.8')]).toEqual([true, false]);
    expect([isLocal('8.8.8.8', '8.0.0.0/8'), isLocal('10.0.0.1', '8.0.0.0/8')]).toEqual([
      true,
      false,
    ]);
    expect(isLocal('127.0.0.1', 'none')).toBe(false);
  });

  it.each([
    ['DAYCARE_EDGE_PORTS', '0'],
    ['DAYCARE_EDGE_PORTS', '9000-8000'],
    ['DAYCARE_EDGE_PORTS', '8000-70000'],
    ['DAYCARE_EDGE_PORTS', 'all'],
    ['DAYCARE_EDGE_LOCAL_NETWORKS', '10.0.0.0/33'],
    ['DAYCARE_EDGE_TRUSTED_PROXIES', 'proxy'],
    ['DAYCARE_EDGE_URL', 'edge.example'],
    ['DAYCARE_EDGE_URL', 'https://'],
    ['DAYCARE_EDGE_LISTEN', '8090'],
    ['DAYCARE_EDGE_SECRET_KEY', 'too short'],
    ['DAYCARE_EDGE_MAX_BODY_BYTES', '-1'],
  ])('rejects %s=%s and names the variable', (name, value) => {
    expect(() => read({ [name]: value })).toThrow(name);
  });
});

import { describe, expect, it } from '@jest/globals';
import { EnvReader } from '@daycare/service-kit';
import { readEdgeConfig, type EdgeConfig } from './edge-config';

function read(env: Record<string, string> = {}): EdgeConfig {
  const reader = new EnvReader(env);
  return reader.done(readEdgeConfig(reader));
}

describe('the configuration of the edge', () => {
  it('serves none and exposes nothing unless told to', () => {
    expect(read()).toMatchObject({ listen: '', url: '', ports: [], usersDir: '' });
  });

  it('takes ports and ranges', () => {
    expect(read({ DAYCARE_EDGE_PORTS: '8000-8999, 9100' }).ports).toEqual([
      { from: 8_000, to: 8_999 },
      { from: 9_100, to: 9_100 },
    ]);
  });

  it('calls loopback and private networks local, those that are named, or none', () => {
    const isLocal = (address: string, networks = '') =>
      read({ DAYCARE_EDGE_LOCAL_NETWORKS: networks }).localNetworks.check(address);
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
    ['DAYCARE_EDGE_LOCAL_NETWORKS', '10.0.0.0'],
    ['DAYCARE_EDGE_URL', 'edge.example'],
    ['DAYCARE_EDGE_URL', 'https://'],
    ['DAYCARE_EDGE_LISTEN', '8090'],
    ['DAYCARE_EDGE_MAX_BODY_BYTES', '-1'],
  ])('refuses %s=%s and names it', (name, value) => {
    expect(() => read({ [name]: value })).toThrow(name);
  });
});

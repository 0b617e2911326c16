import { describe, expect, it } from '@jest/globals';
import { matchPath } from './match-path';

describe('matchPath', () => {
  it.each([
    ['/', '/', {}],
    ['/agents', '/agents/', {}],
    ['/agents/:agentId', '/agents/a1', { agentId: 'a1' }],
    ['/friends/:nametag', '/friends/swift%20fox', { nametag: 'swift fox' }],
    ['/friends/:nametag', '/friends/%E0%A4%A', { nametag: '%E0%A4%A' }],
  ])('the pattern %s matches the path %s', (pattern, path, params) => {
    expect(matchPath(pattern, path)).toEqual(params);
  });

  it.each([
    ['/', '/agents'],
    ['/agents', '/'],
    ['/agents/:agentId', '/agents'],
    ['/agents/:agentId', '/agents/a/b'],
  ])('the pattern %s does not match the path %s', (pattern, path) => {
    expect(matchPath(pattern, path)).toBeUndefined();
  });
});

import { describe, expect, it } from '@jest/globals';
import { parseEdgePath, prefixOf } from './edge-path';

describe('the path of an edge request', () => {
  it.each([
    ['/e/ab12/', '/'],
    ['/e/ab12', '/'],
    ['/e/ab12?a=1', '/?a=1'],
    ['/e/ab12/x/y?a=/../b', '/x/y?a=/../b'],
    ['/e/ab12//evil.example/', '//evil.example/'],
    ['/e/ab12/a%2Fb', '/a%2Fb'],
    ['/e/ab12/..x/...', '/..x/...'],
  ])('splits the path %s into the endpoint id and the rest %s', (url, rest) => {
    expect(parseEdgePath(url)).toMatchObject({ endpointId: 'ab12', rest });
  });

  const invalidUrls = [
    '/',
    '/e/',
    '/e//x',
    '//e/ab12/',
    '/x/../e/ab12/',
    '/E/ab12/',
    '/e/AB12/',
    '/e/ab12%2f',
    '/e/ab12/../cd34/',
    '/e/ab12/..',
    '/e/ab12/./x',
    '/e/ab12/%2e%2E/cd34/',
    '/e/ab12/.%2e%2fcd34/',
    '/e/ab12/x\\..\\y',
    '/e/ab12/x%5c..%5cy',
    '/e/ab12/..;a=1/x',
    'http://other.example/e/ab12/',
    '*',
    'ab12:80',
    '/e/ab12/ x',
    '/e/ab12/\u00e4',
    `/e/ab12/${'x'.repeat(9_000)}`,
  ];
  it.each(invalidUrls.map((url) => [url.slice(0, 40), url] as const))(
    'finds no endpoint in the path %s',
    (_, url) => {
      expect(parseEdgePath(url)).toBeUndefined();
    },
  );
});

it.each([
  ['/', '/e/ab12'],
  ['/base/', '/base/e/ab12'],
])('given the base path %s, the endpoint ab12 is served at %s', (base, prefix) => {
  expect(prefixOf(base, 'ab12')).toBe(prefix);
});

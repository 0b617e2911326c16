import { describe, expect, it } from '@jest/globals';
import { requestHeaders, responseHeaders } from './proxy-headers';

const forwarding = {
  targetHost: '127.0.0.1:8080',
  remoteAddress: '203.0.113.9',
  publicUrl: new URL('https://edge.example/base/e/ab12'),
  endpointId: 'e1',
  isAuthorizationForEdge: false,
  isProtected: false,
};

const pairs = (flat: readonly string[]) =>
  flat.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${flat[index + 1]!}`] : []));
const forTarget = (raw: string[], changes = {}) =>
  pairs(requestHeaders(raw, { ...forwarding, ...changes }));
const forVisitor = (raw: string[]) => pairs(responseHeaders(raw, forwarding));

const setByEdge = [
  'x-forwarded-for: 203.0.113.9',
  'x-forwarded-proto: https',
  'x-forwarded-host: edge.example',
  'x-forwarded-prefix: /base/e/ab12',
];

describe('requestHeaders', () => {
  it('the forwarding headers sent to a target are those set by the edge, whatever the visitor claims', () => {
    const claims = [
      ...['Host', 'evil.example', 'X-Forwarded-For', '127.0.0.1', 'X-Forwarded-Proto', 'gopher'],
      ...['X-Forwarded-User', 'root', 'X-Real-IP', '10.0.0.1', 'Forwarded', 'for=10.0.0.1'],
      ...['Accept', 'text/html'],
    ];
    expect(forTarget(claims)).toEqual(['host: 127.0.0.1:8080', 'accept: text/html', ...setByEdge]);
  });

  it('the headers for a target omit names with underscores, which a program could mistake for headers set by the edge', () => {
    const claims = ['X_Forwarded_For', '127.0.0.1', 'X_Real-Ip', '10.0.0.1', 'X_Mine', '1'];
    expect(forTarget(claims)).toEqual(['host: 127.0.0.1:8080', ...setByEdge]);
  });

  it('the headers for a target omit connection headers, including those that the Connection header names', () => {
    const raw = [
      ...['Connection', 'keep-alive, X-Secret', 'Keep-Alive', 'timeout=5', 'X-Secret', '1'],
      ...['TE', 'trailers', 'Transfer-Encoding', 'chunked', 'Upgrade', 'h2c', 'Expect', 'x'],
      ...['Proxy-Authorization', 'Basic eA==', 'Cookie', 'a=1', 'Cookie', 'b=2'],
    ];
    expect(forTarget(raw)).toEqual([
      'host: 127.0.0.1:8080',
      'cookie: a=1',
      'cookie: b=2',
      ...setByEdge,
    ]);
  });

  it('the headers for a target keep Authorization unless it was meant for the edge', () => {
    const raw = ['Authorization', 'Bearer x'];
    expect(forTarget(raw)).toContain('authorization: Bearer x');
    expect(forTarget(raw, { isAuthorizationForEdge: true })).not.toContain(
      'authorization: Bearer x',
    );
  });
});

describe('responseHeaders', () => {
  it.each([
    ['/login?next=1', '/base/e/ab12/login?next=1'],
    ['http://127.0.0.1:8080/x', '/base/e/ab12/x'],
    ['//127.0.0.1:8080', '/base/e/ab12/'],
    ['http://127.0.0.1:8080?a', '/base/e/ab12/?a'],
    ['/base/e/ab12/already', '/base/e/ab12/already'],
    ['/base/e/ab123/other', '/base/e/ab12/base/e/ab123/other'],
    ['next', 'next'],
    ['http://127.0.0.1:80801/', 'http://127.0.0.1:80801/'],
    ['https://other.example/x', 'https://other.example/x'],
    ['//other.example/x', '//other.example/x'],
  ])('shows the location %s to a visitor as %s', (from, to) => {
    expect(forVisitor(['Location', from])).toEqual([`location: ${to}`]);
  });

  it.each([
    ['s=1; Path=/; HttpOnly', 's=1; HttpOnly; Path=/base/e/ab12/'],
    ['s=1', 's=1; Path=/base/e/ab12/'],
    ['s=1; Domain=edge.example; path=/app', 's=1; Path=/base/e/ab12/app'],
    ['s=1; Path=/base/e/ab12/x', 's=1; Path=/base/e/ab12/x'],
    ['s=1; Path=/base/e/ab12/x; Path=/', 's=1; Path=/base/e/ab12/'],
  ])('confines the cookie "%s" to the endpoint as "%s"', (from, to) => {
    expect(forVisitor(['Set-Cookie', from])).toEqual([`set-cookie: ${to}`]);
  });

  it('the headers for a visitor or a target carry no instructions to a proxy in front of the edge', () => {
    const raw = [
      ...['X-Accel-Redirect', '/private/x', 'X-Accel-Limit-Rate', '1', 'X-Sendfile', '/etc/passwd'],
      ...['X-Lighttpd-Send-File', '/etc/passwd', 'X-Accelerated', 'yes'],
    ];
    expect(forVisitor(raw)).toEqual(['x-accelerated: yes']);
    expect(forTarget(raw)).toEqual(['host: 127.0.0.1:8080', 'x-accelerated: yes', ...setByEdge]);
  });

  it('the headers for a visitor omit headers that affect the whole origin or the connection', () => {
    const raw = [
      ...['Alt-Svc', 'h3=":1"', 'Clear-Site-Data', '"*"', 'Service-Worker-Allowed', '/'],
      ...['Strict-Transport-Security', 'max-age=1', 'Connection', 'close', 'Etag', '"1"'],
    ];
    expect(forVisitor(raw)).toEqual(['etag: "1"']);
  });
});

import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ask, startTarget, type TestTarget } from '../../test-support/raw-http';
import { TestEdges, type ExposedEndpoint, type TestEdge } from '../../test-support/test-edge';

let edges: TestEdges;
let site: TestEdge;
/** A hostile program behind both endpoints, which sends visitors the challenges that each test sets. */
let program: TestTarget;
let challenges: string | string[] | undefined;
let open: ExposedEndpoint;
let closed: ExposedEndpoint;

beforeAll(async () => {
  edges = await TestEdges.open();
  site = await edges.start();
  program = await startTarget((_, response) => {
    if (challenges) response.setHeader('www-authenticate', challenges);
    response.writeHead(challenges ? 401 : 200).end('program');
  });
  const target = { kind: 'port', port: program.port } as const;
  open = await site.expose(target, {}, 'mallory');
  closed = await site.expose(target, { auth: 'password' }, 'ada');
});
afterAll(async () => {
  await edges.close();
  await program.close();
});

const basic = (password: string) => ({
  authorization: `Basic ${Buffer.from(`ada:${password}`).toString('base64')}`,
});
const challengeOf = ({ headers }: { headers: IncomingHttpHeaders }) => headers['www-authenticate'];

describe('endpoints that share an origin', () => {
  it('each endpoint challenges visitors with its own realm', async () => {
    const target = { kind: 'port', port: program.port } as const;
    for (const { id, path } of [closed, await site.expose(target, { auth: 'password' })]) {
      const response = await ask(site.port, path);
      expect(response.status).toBe(401);
      expect(challengeOf(response)).toBe(`Basic realm="endpoint ${id}", charset="UTF-8"`);
    }
  });

  it('a request without valid credentials to a path without a trailing slash is redirected to the endpoint, not challenged', async () => {
    const { status, headers } = await ask(site.port, `/e/${closed.id}?a=1`);
    expect([status, headers.location]).toEqual([308, `${closed.id}/?a=1`]);
    expect(headers['www-authenticate']).toBeUndefined();
    const wrong = await ask(site.port, `/e/${closed.id}`, { headers: basic('wrong') });
    expect(wrong.status).toBe(308);
    challenges = undefined;
    const right = await ask(site.port, `/e/${closed.id}`, { headers: basic(closed.password) });
    expect(right.status).toBe(200);
  });

  it('a hostile program cannot ask for another endpoint’s password', async () => {
    const theirs = `Basic realm="endpoint ${closed.id}", charset="UTF-8"`;
    for (const value of [
      theirs,
      `Digest realm="endpoint ${closed.id}", nonce="n", ${theirs}`,
      `Bearer error="x", ${theirs}`,
    ]) {
      challenges = value;
      const seen = String(challengeOf(await ask(site.port, open.path)));
      expect(seen).toContain(`Basic realm="endpoint ${open.id}"`);
      expect(seen).not.toContain(closed.id);
    }
    challenges = [`Negotiate`, `Digest realm="endpoint ${closed.id}", nonce="n"`];
    expect(challengeOf(await ask(site.port, open.path))).toBeUndefined();
  });

  it('a program behind an endpoint with a password cannot challenge visitors at all', async () => {
    challenges = 'Basic realm="x"';
    const response = await ask(site.port, closed.path, { headers: basic(closed.password) });
    expect([response.status, challengeOf(response)]).toEqual([401, undefined]);
  });

  it('one endpoint’s password never reaches a program behind another endpoint', async () => {
    challenges = undefined;
    for (const headers of [
      basic(closed.password),
      { authorization: `Bearer ${closed.password}` },
      { authorization: `bAsIc   ${basic(closed.password).authorization.slice(6)}` },
    ]) {
      expect((await ask(site.port, open.path, { headers })).status).toBe(200);
      expect(program.seen.at(-1)!.headers.authorization).toBeUndefined();
    }
  });

  it('credentials that are not an endpoint’s password reach the program', async () => {
    challenges = undefined;
    for (const headers of [basic('of the program'), { authorization: 'Bearer token' }]) {
      await ask(site.port, open.path, { headers });
      expect(program.seen.at(-1)!.headers.authorization).toBe(headers.authorization);
    }
  });
});

import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@daycare/testing';
import { ask, startTarget, textOf, type TestTarget } from '../../test-support/raw-http';
import type { ExposedEndpoint } from '../../test-support/test-edge';
import { useTestSite } from '../../test-support/use-test-site';

const { edges, site } = useTestSite({ url: 'https://edge.example/base' });

const targets: TestTarget[] = [];

afterEach(async () => {
  await Promise.all(targets.splice(0).map((target) => target.close()));
});

/** Exposes a program that handles requests with the listener. */
async function expose(
  listener: (incoming: IncomingMessage, response: ServerResponse) => void,
): Promise<ExposedEndpoint & { target: TestTarget }> {
  const target = await startTarget(listener);
  targets.push(target);
  return { ...(await site.expose({ kind: 'port', port: target.port })), target };
}

function open(path: string, method = 'POST'): ClientRequest {
  return request({ host: '127.0.0.1', port: site.port, path, method, agent: false });
}

describe('requests', () => {
  it('a proxied request reaches the target with its path, query, headers and body, and returns the response', async () => {
    const { id, path, target } = await expose((incoming, response) => {
      response.writeHead(201, { 'x-answer': 'yes', 'set-cookie': ['a=1', 'b=2; Path=/'] });
      incoming.pipe(response);
    });
    const received = await ask(site.port, `${path}a%2Fb/c?d=e&f`, {
      method: 'PUT',
      headers: { host: 'evil.example', 'x-forwarded-for': '1.2.3.4', 'x-mine': '1' },
      body: 'hello',
    });
    expect(received).toMatchObject({ status: 201, body: 'hello', headers: { 'x-answer': 'yes' } });
    const prefix = `/base/e/${id}`;
    expect(received.headers['set-cookie']).toEqual([
      `a=1; Path=${prefix}/`,
      `b=2; Path=${prefix}/`,
    ]);
    const [seen] = target.seen;
    expect(seen).toMatchObject({ method: 'PUT', url: '/a%2Fb/c?d=e&f' });
    expect(seen!.headers).toMatchObject({
      host: `127.0.0.1:${target.port}`,
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'edge.example',
      'x-forwarded-prefix': prefix,
      'x-mine': '1',
      'content-length': '5',
    });
  });

  it.each(['GET', 'HEAD', 'DELETE', 'POST'])(
    'a proxied %s request does not need a body',
    async (method) => {
      const { path, target } = await expose((incoming, response) => {
        response.setHeader('content-length', '2');
        incoming.resume().on('end', () => response.end('ok'));
      });
      const received = await ask(site.port, path, { method });
      expect(received).toMatchObject({ status: 200, body: method === 'HEAD' ? '' : 'ok' });
      expect(target.seen[0]!.headers['transfer-encoding']).toBeUndefined();
    },
  );

  it('a proxied request is streamed, so the first chunk can be echoed before the second is sent', async () => {
    const { path } = await expose((incoming, response) => {
      incoming.on('data', (chunk: Buffer) => response.write(`<${chunk.toString()}>`));
      incoming.on('end', () => response.end());
    });
    const outgoing = open(path);
    outgoing.write('one');
    const [received] = (await once(outgoing, 'response')) as [IncomingMessage];
    const [first] = (await once(received, 'data')) as [Buffer];
    expect(first.toString()).toBe('<one>');
    outgoing.end('two');
    expect(await textOf(received)).toBe('<two>');
  });

  it('a proxied request is not buffered when the target does not read it', async () => {
    const { path, target } = await expose(() => undefined);
    const wide = await edges.start({ limits: { maxBodyBytes: 1e9 } });
    const options = { host: '127.0.0.1', port: wide.port, path, method: 'POST', agent: false };
    const outgoing = request(options).on('error', () => undefined);
    let sent = 0;
    const chunk = Buffer.alloc(1 << 20);
    const send = (): void => {
      while (sent < 200 && outgoing.write(chunk)) sent++;
    };
    outgoing.on('drain', () => {
      sent++;
      send();
    });
    send();
    await eventually(() => target.seen.length === 1);
    await eventually(() => outgoing.writableNeedDrain && sent > 0);
    expect(sent).toBeLessThan(100);
    target.seen[0]!.resume();
    await eventually(() => sent >= 200);
    outgoing.destroy();
  });

  it('a visitor who sends “Expect: 100-continue” is asked for the body, which then reaches the target', async () => {
    const { path } = await expose((incoming, response) => void incoming.pipe(response));
    const outgoing = open(path).setHeader('expect', '100-continue');
    outgoing.flushHeaders();
    await once(outgoing, 'continue');
    outgoing.end('hello');
    const [received] = (await once(outgoing, 'response')) as [IncomingMessage];
    expect(await textOf(received)).toBe('hello');
  });

  it('a proxied request is aborted at the target when the visitor disconnects', async () => {
    let isOver = false;
    const { path } = await expose((incoming) => {
      incoming.socket.on('close', () => (isOver = true));
    });
    const outgoing = open(path, 'GET').on('error', () => undefined);
    outgoing.end();
    await eventually(() => targets[0]!.seen.length === 1);
    outgoing.destroy();
    await eventually(() => isOver);
  });
});

describe('responses', () => {
  it.each([
    ['/next', (id: string) => `/base/e/${id}/next`],
    ['http://169.254.169.254/latest', () => 'http://169.254.169.254/latest'],
  ])('a redirect to %s is forwarded and never followed', async (location, expected) => {
    const { id, path, target } = await expose((_, response) => {
      response.writeHead(302, { location }).end();
    });
    const received = await ask(site.port, path);
    expect(received).toMatchObject({ status: 302, headers: { location: expected(id) } });
    expect(target.seen).toHaveLength(1);
  });

  it('a proxied response is not completed when the target aborts it', async () => {
    const { path } = await expose((_, response) => {
      response.writeHead(200).write('half', () => response.destroy());
    });
    await expect(ask(site.port, path)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it.each([
    ['is not HTTP', 'secret\r\n\r\n'],
    ['can be read in two ways', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['switches the protocol unasked', 'Upgrade: x\r\nConnection: Upgrade\r\n\r\nsecret'],
  ])('a response that %s becomes a 502 without an explanation', async (_, words) => {
    const status = words.startsWith('Upgrade') ? '101 Switching Protocols' : '200 OK';
    const text = words.startsWith('secret') ? words : `HTTP/1.1 ${status}\r\n${words}`;
    const target = await startTarget(
      () => undefined,
      undefined,
      (server) => server.on('connection', (socket) => socket.write(text)),
    );
    targets.push(target);
    const { path } = await site.expose({ kind: 'port', port: target.port });
    const received = await ask(site.port, path);
    expect(received).toMatchObject({ status: 502, body: 'Bad Gateway\n' });
  });
});

describe('targets', () => {
  it('a target that is down yields a 502', async () => {
    const { path, target } = await expose(() => undefined);
    await target.close();
    targets.length = 0;
    expect(await ask(site.port, path)).toMatchObject({ status: 502, body: 'Bad Gateway\n' });
  });

  it('a target that does not respond yields a 504', async () => {
    const hasty = await edges.start({ limits: { responseTimeoutMs: 100 } });
    const { path } = await expose(() => undefined);
    expect(await ask(hasty.port, path)).toMatchObject({ status: 504 });
  });

  it('a target that stalls in the middle of a response is disconnected', async () => {
    const hasty = await edges.start({ limits: { idleTimeoutMs: 200 } });
    const { path } = await expose((_, response) => void response.write('half'));
    await expect(ask(hasty.port, path)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it('a target is no longer reached once the operator disallows its port', async () => {
    const { path, target } = await expose((_, response) => void response.end('hello'));
    const narrow = await edges.start({ ports: [{ from: 1, to: 2 }] });
    expect(await ask(narrow.port, path)).toMatchObject({ status: 502 });
    expect(target.seen).toEqual([]);
  });
});

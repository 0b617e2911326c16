import { once } from 'node:events';
import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@daycare/testing';
import { ask, RawClient, startTarget, type TestTarget } from '../../test-support/raw-http';
import { testLimits, type ExposedEndpoint, type TestEdge } from '../../test-support/test-edge';
import { useTestSite } from '../../test-support/use-test-site';

const { edges, site } = useTestSite();

let hasty: TestEdge;
let target: TestTarget;
let otherTarget: TestTarget;
let mine: ExposedEndpoint;
let theirs: ExposedEndpoint;

beforeAll(async () => {
  hasty = await edges.start({
    limits: { headersTimeoutMs: 300, idleTimeoutMs: 600, connectionsPerAddress: 3 },
  });
  target = await startTarget((incoming, response) => {
    incoming.resume().on('end', () => response.end('mine'));
  });
  otherTarget = await startTarget((_, response) => void response.end('theirs'));
  mine = await site.expose({ kind: 'port', port: target.port });
  theirs = await site.expose({ kind: 'port', port: otherTarget.port }, {}, 'u2');
});
beforeEach(() => {
  target.seen.length = 0;
  otherTarget.seen.length = 0;
});
afterAll(() => Promise.all([target.close(), otherTarget.close()]));

/** Sends raw text and returns everything the edge sends back. */
async function send(text: string, port = site.port): Promise<string> {
  const client = new RawClient(port).send(text);
  await eventually(() => client.isEnded || /\r\n\r\n[^]*(\n|mine|theirs)$/.test(client.received));
  client.socket.destroy();
  return client.received;
}

const statusOf = (response: string) => response.split(' ')[1];
const host = 'Host: edge\r\n';

describe('paths', () => {
  it.each([
    (own: string, id: string) => `${own}../${id}/`,
    (own: string, id: string) => `${own}%2e%2e/${id}/`,
    (own: string, id: string) => `${own}..%2f${id}/`,
    (own: string, id: string) => `${own}x/..\\..\\${id}/`,
    (_: string, id: string) => `http://127.0.0.1/e/${id}/`,
    (_: string, id: string) => `//e/${id}/`,
  ])('a manipulated path that leaves the endpoint gets 404: %s', async (pathOf) => {
    const received = await send(`GET ${pathOf(mine.path, theirs.id)} HTTP/1.1\r\n${host}\r\n`);
    expect(statusOf(received)).toBe('404');
    expect([...target.seen, ...otherTarget.seen]).toEqual([]);
  });

  it.each([
    (id: string) => `/127.0.0.1:1/e/${id}/`,
    (id: string) => `%2e%2e%252f${id}`,
    (id: string) => `e/${id}/?x=/../../${id}/`,
  ])(
    'a path that merely looks like another endpoint’s stays with its own endpoint: %s',
    async (pathOf) => {
      const path = `${mine.path}${pathOf(theirs.id)}`;
      const received = await send(`GET ${path} HTTP/1.1\r\n${host}\r\n`);
      expect(received).toMatch(/mine$/);
      expect(target.seen[0]!.url).toBe(path.slice(mine.path.length - 1));
      expect(otherTarget.seen).toEqual([]);
    },
  );
});

describe('malformed requests', () => {
  it.each([
    'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET ',
    'Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\nGET ',
    'Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!',
    'Content-Length: +5\r\n\r\nhello',
    'Content-Length: 5, 5\r\n\r\nhello',
    'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n',
    'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n',
    'Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n',
    'X-A: 1\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'X-A: a\rX-B: b\r\n\r\n',
    'X-A: a\nX-B: b\r\n\r\n',
    'X-A: a\0b\r\n\r\n',
  ])('refuses an ambiguous request: %j', async (rest) => {
    const received = await send(`POST ${mine.path} HTTP/1.1\r\n${host}${rest}`);
    expect(['400', '501']).toContain(statusOf(received));
    expect(target.seen).toEqual([]);
  });

  it('a chunked GET reaches the target as a single request', async () => {
    const inner = `GET /smuggled HTTP/1.1\r\n${host}\r\n`;
    const chunk = `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`;
    const received = await send(
      `GET ${mine.path} HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n${chunk}`,
    );
    expect(statusOf(received)).toBe('200');
    expect(target.seen.map(({ url }) => url)).toEqual(['/']);
  });

  it('encoded line breaks cannot inject lines into the request to the target', async () => {
    const path = `${mine.path}%0d%0aX-Injected:%201`;
    await send(`GET ${path} HTTP/1.1\r\n${host}X-A: 1%0d%0aX-Injected: 1\r\n\r\n`);
    expect(target.seen[0]!.headers['x-injected']).toBeUndefined();
  });

  it.each(['CONNECT 127.0.0.1:22', 'GET *', 'GET e/x'])(
    'refuses the request line %s',
    async (line) => {
      const received = await send(`${line} HTTP/1.1\r\n${host}\r\n`);
      expect(received === '' || ['400', '404'].includes(statusOf(received)!)).toBe(true);
    },
  );
});

describe('large bodies', () => {
  const large = Buffer.alloc(testLimits.maxBodyBytes + 1);

  it('a body that is too large is refused before it is forwarded if its length is declared', async () => {
    const response = await ask(site.port, mine.path, { method: 'POST', body: large });
    expect(response).toMatchObject({ status: 413, body: 'Payload Too Large\n' });
    expect(target.seen).toEqual([]);
  });

  it('a body of undeclared length is refused once it exceeds the limit, and never completes at the target', async () => {
    const outgoing = request({
      host: '127.0.0.1',
      port: site.port,
      path: mine.path,
      method: 'POST',
      agent: false,
      headers: { 'transfer-encoding': 'chunked' },
    });
    outgoing.write(large.subarray(0, 60_000));
    await eventually(() => target.seen.length === 1);
    outgoing.end(large.subarray(0, 60_000));
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(413);
    expect(target.seen[0]!.complete).toBe(false);
    response.resume();
  });
});

describe('slow or numerous connections', () => {
  it('a slow visitor is disconnected while sending headers', async () => {
    const client = new RawClient(hasty.port).send(`GET ${mine.path} HTTP/1.1\r\nX-A: `);
    const timer = setInterval(() => client.send('a'), 50);
    // The connection must be closed; the edge may respond with 408 first, or not at all.
    await eventually(() => client.socket.destroyed).finally(() => clearInterval(timer));
    expect(client.received).toMatch(/^(HTTP\/1.1 408 |$)/);
  });

  it('an idle visitor is disconnected, even in the middle of a body', async () => {
    const silent = new RawClient(hasty.port);
    const halfway = new RawClient(hasty.port).send(
      `POST ${mine.path} HTTP/1.1\r\n${host}Content-Length: 10\r\n\r\nhalf`,
    );
    await eventually(() => silent.isEnded && halfway.isEnded);
    await eventually(() => target.seen[0]?.destroyed);
    expect(target.seen[0]!.complete).toBe(false);
    [silent, halfway].forEach(({ socket }) => socket.destroy());
  });

  it('a visitor who does not read the response is disconnected, and so is the target', async () => {
    let isOver = false;
    const endless = await startTarget((incoming, response) => {
      incoming.socket.on('close', () => (isOver = true));
      const chunk = Buffer.alloc(1 << 16);
      const send = (): void => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', send);
      send();
    });
    const { path } = await site.expose({ kind: 'port', port: endless.port });
    const client = new RawClient(hasty.port);
    client.socket.pause();
    client.send(`GET ${path} HTTP/1.1\r\n${host}\r\n`);
    await eventually(() => isOver);
    client.socket.destroy();
    await endless.close();
  });

  it('a visitor may open only a limited number of connections', async () => {
    const clients = Array.from({ length: 5 }, () => new RawClient(hasty.port));
    await eventually(() => clients.filter(({ isEnded }) => isEnded).length === 2);
    clients.forEach(({ socket }) => socket.destroy());
  });
});

describe('pipelining', () => {
  const get = (path: string) => `GET ${path} HTTP/1.1\r\n${host}\r\n`;
  const waiting: ServerResponse[] = [];
  const countOpen = async () => {
    const { values } = await site.registry.getSingleMetric('daycare_edge_open_requests')!.get();
    return values[0]!.value;
  };
  let slow: TestTarget;
  let path: string;

  beforeAll(async () => {
    slow = await startTarget((_, response) => void waiting.push(response));
    ({ path } = await site.expose({ kind: 'port', port: slow.port }));
  });
  beforeEach(() => void (waiting.length = 0));
  afterAll(() => slow.close());

  it('a visitor who pipelines requests is disconnected, and nothing stays open', async () => {
    const client = new RawClient(site.port).send(get(path).repeat(101));
    await eventually(() => client.isEnded);
    client.socket.resetAndDestroy();
    await eventually(async () => (await countOpen()) === 0);
    waiting.length = 0;
    const response = ask(site.port, path);
    await eventually(() => waiting.length === 1);
    waiting[0]!.end('again');
    expect(await response).toMatchObject({ status: 200, body: 'again' });
  });

  it.each([
    'no HTTP\r\n\r\n',
    `GET / HTTP/1.1\r\n${host}\r\n`,
    `GET / HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  ])('a visitor cannot inject anything into the response by sending %j', async (more) => {
    const client = new RawClient(site.port).send(get(path));
    await eventually(() => waiting.length === 1);
    waiting[0]!.write('begun');
    await eventually(() => client.received.includes('begun'));
    client.send(more);
    await eventually(() => client.isEnded);
    expect(client.received.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });
});

it('the number of concurrent requests to an endpoint is limited', async () => {
  const waiting = await startTarget(() => undefined);
  const { path } = await site.expose({ kind: 'port', port: waiting.port });
  const narrow = await edges.start({ limits: { connectionsPerEndpoint: 1 } });
  const first = ask(narrow.port, path).catch((error: unknown) => error);
  await eventually(() => waiting.seen.length === 1);
  expect(await ask(narrow.port, path)).toMatchObject({ status: 503 });
  expect(await ask(narrow.port, mine.path)).toMatchObject({ status: 200 });
  await waiting.close();
  await first;
});

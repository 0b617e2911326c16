import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@daycare/testing';
import { RawClient, startTarget, type TestTarget } from '../../test-support/raw-http';
import type { ExposedEndpoint } from '../../test-support/test-edge';
import { useTestSite } from '../../test-support/use-test-site';

const { edges, site } = useTestSite();

let target: TestTarget;
let echo: ExposedEndpoint;
const brokenRefusal =
  'HTTP/1.1 403 Forbidden\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\nbroken\r\n';
const upgrades: { request: IncomingMessage; socket: Socket }[] = [];

beforeAll(async () => {
  target = await startTarget(
    (_, response) => void response.end('plain'),
    undefined,
    (server) =>
      server.on('upgrade', (request: IncomingMessage, socket: Socket) => {
        upgrades.push({ request, socket });
        if (request.url === '/no') return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\nno');
        if (request.url === '/broken') return void socket.write(brokenRefusal);
        if (request.url === '/hang') return;
        socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n');
        socket.write('Connection: Upgrade\r\nSec-WebSocket-Accept: abc\r\n\r\nwelcome;');
        socket.pipe(socket);
      }),
  );
  echo = await site.expose({ kind: 'port', port: target.port });
});
beforeEach(() => void (upgrades.length = 0));
afterAll(() => target.close());

function upgrade(path: string, changes: { port?: number; headers?: string; to?: string } = {}) {
  const { port = site.port, headers = '', to = 'websocket' } = changes;
  return new RawClient(port).send(
    `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, Upgrade\r\nUpgrade: ${to}\r\n` +
      `Sec-WebSocket-Key: k\r\nSec-WebSocket-Version: 13\r\n${headers}\r\n`,
  );
}

describe('WebSockets', () => {
  it('a proxied WebSocket carries bytes in both directions, and is closed at the target when the visitor closes it', async () => {
    const client = upgrade(`${echo.path}chat?room=1`);
    await eventually(() => client.received.endsWith('welcome;'));
    expect(client.received).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/);
    expect(client.received.toLowerCase()).toContain('\r\nsec-websocket-accept: abc\r\n');
    const [{ request, socket } = { request: undefined, socket: undefined }] = upgrades;
    expect(request!.url).toBe('/chat?room=1');
    expect(request!.headers).toMatchObject({
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': 'k',
      'x-forwarded-for': '127.0.0.1',
    });
    client.send('one');
    await eventually(() => client.received.endsWith('one'));
    client.send('two');
    await eventually(() => client.received.endsWith('onetwo'));
    client.socket.destroy();
    await eventually(() => socket!.destroyed);
  });

  it('a proxied WebSocket is closed at the visitor when the target closes it', async () => {
    const client = upgrade(echo.path);
    await eventually(() => client.received.endsWith('welcome;'));
    upgrades[0]!.socket.destroy();
    await eventually(() => client.isEnded);
  });

  it('a WebSocket that the target declines gets the target’s response', async () => {
    const client = upgrade(`${echo.path}no`);
    await eventually(() => client.isEnded);
    expect(client.received).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n[^]*no$/);
  });

  it('a visitor gets only one response when the target declines a WebSocket with a malformed response', async () => {
    const client = upgrade(`${echo.path}broken`);
    await eventually(() => client.isEnded);
    expect(client.received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 403']);
  });

  it('what a visitor sends after requesting a WebSocket never reaches a target that declines the WebSocket', async () => {
    const client = upgrade(`${echo.path}no`).send('GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n');
    await eventually(() => client.isEnded);
    expect(target.seen).toEqual([]);
    expect(upgrades).toHaveLength(1);
  });

  it('an idle proxied WebSocket is closed', async () => {
    const hasty = await edges.start({ limits: { idleTimeoutMs: 200 } });
    const client = upgrade(echo.path, { port: hasty.port });
    await eventually(() => client.received.endsWith('welcome;'));
    await eventually(() => client.isEnded && upgrades[0]!.socket.destroyed);
  });

  it('a proxied WebSocket is refused when the target does not respond', async () => {
    const hasty = await edges.start({ limits: { responseTimeoutMs: 100 } });
    const client = upgrade(`${echo.path}hang`, { port: hasty.port });
    await eventually(() => client.isEnded);
    expect(client.received).toMatch(/^HTTP\/1\.1 504 /);
  });

  it('a proxied WebSocket requires the endpoint’s password', async () => {
    const guarded = await site.expose({ kind: 'port', port: target.port }, { auth: 'password' });
    const withoutPassword = upgrade(guarded.path);
    await eventually(() => withoutPassword.isEnded);
    expect(withoutPassword.received).toMatch(/^HTTP\/1\.1 401 /);
    const headers = `Authorization: Bearer ${guarded.password}\r\n`;
    const withPassword = upgrade(guarded.path, { headers });
    await eventually(() => withPassword.received.endsWith('welcome;'));
    expect(upgrades[0]!.request.headers.authorization).toBeUndefined();
    withPassword.socket.destroy();
  });
});

it.each([
  ['h2c', ''],
  ['tls/1.2', ''],
  ['websocket', 'Content-Length: 5\r\n'],
])(
  'an upgrade to another protocol or with a body is refused: to %s with the headers %j',
  async (to, headers) => {
    const client = upgrade(echo.path, { to, headers });
    await eventually(() => client.isEnded);
    expect(client.received).toMatch(/^HTTP\/1\.1 400 /);
    expect(upgrades).toEqual([]);
  },
);

import { once } from 'node:events';
import { connect as connectHttp2, constants, type ClientHttp2Session } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { generate } from 'selfsigned';
import type { KeyPair } from '@daycare/service-kit';
import { eventually } from '@daycare/testing';
import type { GatewayResponse } from './gateway-request';
import { openPort, type OnePort, type PortTimeouts } from './one-port';

const timeouts = { firstBytesMs: 300, requestMs: 600, idleMs: 300, lingerMs: 100 };
let port: OnePort;
let waiting: GatewayResponse[];
let tls: KeyPair;

beforeAll(async () => {
  const generated = await generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec' });
  tls = { key: Buffer.from(generated.private), cert: Buffer.from(generated.cert) };
});

/** The paths to which tests respond themselves; requests to all others get a response immediately. */
const unansweredPaths = ['/wait', '/messages', '/body'];

async function open(withTls = false, limits: PortTimeouts = timeouts): Promise<void> {
  waiting = [];
  port = await openPort({
    listen: '127.0.0.1:0',
    tls: withTls ? tls : undefined,
    timeouts: limits,
    maxConnections: 100,
    admit: () => () => undefined,
    isOpenEnded: (path) => path === '/messages',
    handle: (request, response) => {
      if (request.method === 'POST') request.resume();
      if (unansweredPaths.includes(request.url ?? '')) waiting.push(response);
      else response.end('answered');
    },
  });
}

afterEach(() => {
  port.stopAccepting();
  port.destroy();
});

function openSocket(): Socket {
  const socket = connect(Number(port.address.split(':')[1]), '127.0.0.1');
  return socket.on('error', () => undefined);
}

function openSession(scheme = 'http'): ClientHttp2Session {
  const session = connectHttp2(`${scheme}://${port.address}`, { rejectUnauthorized: false });
  return session.on('error', () => undefined);
}

describe('the first bytes of a connection', () => {
  it.each(['P', 'PR'])(
    'a client that sends only %s does not block other clients',
    async (start) => {
      await open();
      const socket = openSocket();
      socket.write(start);
      await once(socket, 'connect');
      const response = await fetch(`http://${port.address}/`);
      expect(await response.text()).toBe('answered');
      socket.destroy();
    },
  );

  it('an HTTP/2 preface and an HTTP/1.1 request line are recognised when they arrive in pieces', async () => {
    await open(false, {
      firstBytesMs: 60_000,
      requestMs: 60_000,
      idleMs: 60_000,
      lingerMs: 60_000,
    });
    const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
    const settings = '\0\0\0\u0004\0\0\0\0\0';
    expect(await responseTo('P', `${preface.slice(1)}${settings}`)).toContain('\u0004');
    const head = 'OST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 0\r\n\r\n';
    expect(await responseTo('P', head)).toContain('answered');
  });

  async function responseTo(first: string, rest: string): Promise<string> {
    const socket = openSocket().setNoDelay(true).setEncoding('latin1');
    socket.write(first);
    await once(socket, 'connect');
    // When this request gets its response, the server has also read what the socket sent before.
    await fetch(`http://${port.address}/`);
    socket.write(rest, 'latin1');
    const [response] = (await once(socket, 'data')) as [string];
    socket.destroy();
    return response;
  }
});

describe.each([
  ['plaintext', false],
  ['TLS', true],
])('connections over %s', (_, withTls) => {
  const scheme = withTls ? 'https' : 'http';

  it('an HTTP/2 session is closed when it has been idle for a while, but not while a stream is open', async () => {
    await open(withTls);
    const session = openSession(scheme);
    const stream = session.request({ ':path': '/wait' });
    await eventually(() => waiting.length === 1);
    await once(openSession(scheme), 'close');
    expect([session.closed, session.destroyed]).toEqual([false, false]);
    waiting[0]!.end('late');
    stream.setEncoding('utf8');
    expect(await once(stream, 'data')).toEqual(['late']);
    await once(session, 'close');
  });

  it('an HTTP/2 request whose body never ends is reset, unless it is a stream of messages', async () => {
    await open(withTls);
    const session = openSession(scheme);
    const post = (path: string) =>
      session.request({ ':method': 'POST', ':path': path }).on('error', () => undefined);
    const messages = post('/messages');
    const complete = post('/body');
    complete.end('a');
    const endless = post('/body');
    endless.write('a');
    await once(endless, 'close');
    expect(endless.rstCode).toBe(constants.NGHTTP2_CANCEL);
    // The session is left open until the port closes it: Node 20 never returns from `destroy` in the same turn of the
    // event loop in which a stream was reset (nodejs/node#52952).
    expect([messages.closed, complete.closed]).toEqual([false, false]);
  });

  it('a stream of messages that continues after the end of its response is reset', async () => {
    await open(withTls);
    const session = openSession(scheme);
    const messages = session.request({ ':method': 'POST', ':path': '/messages' });
    messages.on('error', () => undefined).resume();
    messages.write('a');
    await eventually(() => waiting.length === 1);
    waiting[0]!.end('over');
    await once(messages, 'close');
    expect(messages.rstCode).toBe(constants.NGHTTP2_NO_ERROR);
  });
});

it('an HTTP/1.1 request that is never completed ends with 408', async () => {
  await open();
  const socket = openSocket().setEncoding('latin1');
  socket.write('POST / HTTP/1.1\r\nhost: a\r\n');
  expect(await once(socket, 'data')).toEqual([expect.stringContaining('408 Request Timeout')]);
});

it('an HTTP/1.1 request over TLS may wait for its response longer than a connection may be idle', async () => {
  await open(true);
  const request = httpsRequest(`https://${port.address}/wait`, { rejectUnauthorized: false }).end();
  await eventually(() => waiting.length === 1);
  const idle = connectTls(Number(port.address.split(':')[1]), '127.0.0.1', {
    rejectUnauthorized: false,
  });
  idle.on('error', () => undefined).write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
  idle.resume();
  await once(idle, 'close');
  waiting[0]!.end('late');
  const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream];
  expect(await once(response.setEncoding('utf8'), 'data')).toEqual(['late']);
});

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chooseFreePort } from '@daycare/local-stack';
import { eventually } from '@daycare/testing';
import { connectNats, type NatsOptions } from './connect-nats';
import { TestNatsServer } from '../test-support/test-nats-server';
import { TestLog } from '../test-support/fixtures';

describe('connectNats', () => {
  let server: TestNatsServer;
  let log: TestLog;
  beforeEach(async () => {
    server = await TestNatsServer.prepare(await chooseFreePort());
    log = new TestLog();
  });
  afterEach(() => server.remove());

  const connect = (options: Partial<NatsOptions> = {}) =>
    connectNats({ url: server.url, name: 'test', logger: log, ...options });

  it('waits in the background for a server that is not up yet, and logs that only once', async () => {
    const nats = await connect();
    const received: string[] = [];
    nats.connection.subscribe('things', { callback: (_, { data }) => received.push(String(data)) });
    nats.connection.publish('things', 'lost');
    await expect(nats.ping()).rejects.toThrow('no connection to NATS yet');
    expect(nats.connection.info).toBeUndefined();
    await server.start();
    await eventually(() => nats.ping().then(() => true));
    nats.connection.publish('things', 'kept');
    await eventually(() => received.length > 0);
    expect(received).toEqual(['kept']);
    expect(log.messages()).toEqual(['NATS is unreachable; retrying', 'connected to NATS']);
    await nats.close();
  });

  it('stops waiting for the server when the connection is closed', async () => {
    const nats = await connect();
    const closed = nats.connection.closed();
    await nats.close();
    await closed;
    expect(nats.connection.isClosed()).toBe(true);
  });

  it('rejects when the server refuses the password, but only logs the refusal if it was already waiting for the server', async () => {
    const url = server.url.replace(/test:[^@]+/, 'test:wrong');
    const waiting = await connect({ url });
    await server.start();
    await eventually(() => log.messages().includes('NATS refuses this service; retrying'));
    await waiting.close();
    await expect(connect({ url })).rejects.toMatchObject({
      name: 'NatsRefusal',
      message: 'the server refuses the user or the password',
    });
  });

  it('refuses a server without TLS when the URL requires TLS, and sends it no credentials', async () => {
    await server.start();
    // The server would log a wrong password.
    const url = server.url.replace('nats:', 'tls:').replace(/test:[^@]+/, 'test:wrong');
    await expect(connect({ url })).rejects.toThrow(
      'the server does not offer TLS, which tls:// requires',
    );
    expect(await server.readLog()).not.toContain('authentication error');
  });

  it('reconnects after the server has been killed and restarted', async () => {
    await server.start();
    const nats = await connect();
    await server.kill();
    await server.start();
    await eventually(() => nats.ping().then(() => true));
    expect(log.messages()).toContain('reconnected to NATS');
    await nats.close();
  });

  it('closes even while the server is down', async () => {
    await server.start();
    const nats = await connect();
    await server.kill();
    await nats.close();
    expect(nats.connection.isClosed()).toBe(true);
  });
});

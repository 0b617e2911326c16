import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chooseFreePort } from '@daycare/local-stack';
import { eventually } from '@daycare/testing';
import { connectNats } from './connect-nats';
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

  const connect = (signal?: AbortSignal) =>
    connectNats({ url: server.url, name: 'test', logger: log, ...(signal ? { signal } : {}) });

  it('waits for a server that is not up yet and logs that once', async () => {
    const connecting = connect();
    await eventually(() => log.messages().length > 0);
    await server.start();
    const nats = await connecting;
    await nats.ping();
    expect(log.messages()).toEqual(['NATS is unreachable; retrying']);
    await nats.close();
  });

  it('stops waiting when aborted', async () => {
    const abort = new AbortController();
    const connecting = connect(abort.signal);
    abort.abort();
    await expect(connecting).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('reconnects after the server was killed', async () => {
    await server.start();
    const nats = await connect();
    await server.kill();
    await server.start();
    await eventually(() => nats.ping().then(() => true));
    expect(log.messages()).toContain('reconnected to NATS');
    await nats.close();
  });

  it('closes although the server is down', async () => {
    await server.start();
    const nats = await connect();
    await server.kill();
    await nats.close();
    expect(nats.connection.isClosed()).toBe(true);
  });
});

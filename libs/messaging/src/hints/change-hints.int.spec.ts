import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chooseFreePort } from '@daycare/local-stack';
import { eventually, testNatsUrl, uniqueName } from '@daycare/testing';
import { ChangeHints } from './change-hints';
import { connectNats, type NatsHandle } from '../nats/connect-nats';
import { TestNatsServer } from '../test-support/test-nats-server';
import { TestLog } from '../test-support/fixtures';

let open: NatsHandle[] = [];
afterEach(async () => {
  await Promise.all(open.map((nats) => nats.close()));
  open = [];
});

async function connect(url = testNatsUrl()): Promise<NatsHandle> {
  const nats = await connectNats({ url, name: 'test', logger: new TestLog() });
  open.push(nats);
  return nats;
}

describe('ChangeHints', () => {
  let publisher: ChangeHints;
  let watcher: ChangeHints;
  const received: string[] = [];
  const listen = (userId: string) => () => void received.push(userId);

  beforeEach(async () => {
    received.length = 0;
    const prefix = uniqueName('hints');
    const [publishing, watching] = await Promise.all([connect(), connect()]);
    [publisher, watcher] = [
      new ChangeHints(publishing.connection, prefix),
      new ChangeHints(watching.connection, prefix),
    ];
  });

  it('delivers a hint to a watcher of its user on another connection, and to no watcher of another user', async () => {
    await Promise.all([watcher.watch('ada', listen('ada')), watcher.watch('bob', listen('bob'))]);
    publisher.publish(['ada', undefined]);
    await eventually(() => received.length > 0);
    publisher.publish(['bob']);
    await eventually(() => received.includes('bob'));
    expect(received).toEqual(['ada', 'bob']);
  });

  it('merges hints that are published in quick succession', async () => {
    await watcher.watch('ada', listen('ada'));
    await watcher.watch('end', listen('end'));
    for (let count = 0; count < 100; count += 1) publisher.publish(['ada']);
    publisher.publish(['end']);
    await eventually(() => received.includes('end'));
    expect(received).toEqual(['ada', 'end']);
  });

  it('stops only one of two watches that were registered with the same function', async () => {
    const listener = listen('ada');
    const stop = await watcher.watch('ada', listener);
    await watcher.watch('ada', listener);
    stop();
    await watcher.watch('end', listen('end'));
    publisher.publish(['ada', 'end']);
    await eventually(() => received.includes('end'));
    expect(received).toEqual(['ada', 'end']);
  });

  it('announces a new gateway agent to one replica in each group', async () => {
    const listenAs = (who: string) => (subuserId: string) =>
      void received.push(`${who} ${subuserId}`);
    for (const hints of [publisher, watcher]) hints.onGatewayCreated('graph', listenAs('graph'));
    watcher.onGatewayCreated('other', listenAs('other'));
    await watcher.watch('end', listen('end'));
    await publisher.watch('end', listen('end'));
    publisher.publishGatewayCreated('helper');
    publisher.publish(['end']);
    await eventually(() => received.length >= 4);
    expect([...received].sort()).toEqual(['end', 'end', 'graph helper', 'other helper']);
  });
});

describe('ChangeHints after an outage of NATS', () => {
  it('calls the listeners of watches that were started before and during the outage', async () => {
    const server = await TestNatsServer.prepare(await chooseFreePort());
    try {
      await server.start();
      const { connection } = await connect(server.url);
      const hints = new ChangeHints(connection, 'hints');
      let [before, during] = [0, 0];
      await hints.watch('ada', () => void (before += 1));
      await server.kill();
      await hints.watch('ada', () => void (during += 1));
      hints.publish(['ada']);
      await server.start();
      await eventually(() => before > 0 && during > 0);
    } finally {
      await server.remove();
    }
  });
});

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { chooseFreePort } from '@daycare/local-stack';
import { eventually, testNatsUrl, uniqueName } from '@daycare/testing';
import { ChangeHints } from './change-hints';
import { connectNats, type NatsHandle } from './connect-nats';
import { TestNatsServer } from './test-support/test-nats-server';
import { TestLog } from './test-support/test-parts';

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

describe('hints of changes', () => {
  let teller: ChangeHints;
  let watcher: ChangeHints;
  const heard: string[] = [];
  const hear = (userId: string) => () => void heard.push(userId);

  beforeEach(async () => {
    heard.length = 0;
    const prefix = uniqueName('hints');
    const [one, other] = await Promise.all([connect(), connect()]);
    [teller, watcher] = [
      new ChangeHints(one.connection, prefix),
      new ChangeHints(other.connection, prefix),
    ];
  });

  it('reach who watches the user, in any process, and nobody else', async () => {
    await Promise.all([watcher.watch('ada', hear('ada')), watcher.watch('bob', hear('bob'))]);
    teller.tell(['ada', undefined]);
    await eventually(() => heard.length > 0);
    teller.tell(['bob']);
    await eventually(() => heard.includes('bob'));
    expect(heard).toEqual(['ada', 'bob']);
  });

  it('are one when they come in quick succession', async () => {
    await watcher.watch('ada', hear('ada'));
    await watcher.watch('end', hear('end'));
    for (let count = 0; count < 100; count += 1) teller.tell(['ada']);
    teller.tell(['end']);
    await eventually(() => heard.includes('end'));
    expect(heard).toEqual(['ada', 'end']);
  });

  it('end with the watch, also when another listens with the same function', async () => {
    const listener = hear('ada');
    const stop = await watcher.watch('ada', listener);
    await watcher.watch('ada', listener);
    stop();
    await watcher.watch('end', hear('end'));
    teller.tell(['ada', 'end']);
    await eventually(() => heard.includes('end'));
    expect(heard).toEqual(['ada', 'end']);
  });

  it('of gateways reach one replica of a group, and every group', async () => {
    const hearAs = (who: string) => (subuserId: string) => void heard.push(`${who} ${subuserId}`);
    for (const hints of [teller, watcher]) hints.hearOfGateways('graph', hearAs('graph'));
    watcher.hearOfGateways('other', hearAs('other'));
    await watcher.watch('end', hear('end'));
    await teller.watch('end', hear('end'));
    teller.tellOfGateway('helper');
    teller.tell(['end']);
    await eventually(() => heard.length >= 4);
    expect([...heard].sort()).toEqual(['end', 'end', 'graph helper', 'other helper']);
  });
});

describe('while NATS is away', () => {
  it('a watch begins all the same, and calls back once hints can come again', async () => {
    const server = await TestNatsServer.prepare(await chooseFreePort());
    try {
      await server.start();
      const { connection } = await connect(server.url);
      const hints = new ChangeHints(connection, 'hints');
      let [before, during] = [0, 0];
      await hints.watch('ada', () => void (before += 1));
      await server.kill();
      await hints.watch('ada', () => void (during += 1));
      hints.tell(['ada']);
      await server.start();
      await eventually(() => before > 0 && during > 0);
    } finally {
      await server.remove();
    }
  });
});

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { natsOptions } from '@daycare/local-stack';
import { connect, type NatsConnection } from 'nats';
import { eventually } from '../eventually';
import { testNatsUrl } from '../test-servers';
import { uniqueName } from '../unique-name';
import { startNatsProxy } from './nats-proxy';
import type { WireProxy } from './wire-proxy';

describe('a proxy in front of NATS', () => {
  let proxy: WireProxy;
  let direct: NatsConnection;
  let client: NatsConnection;
  let prefix: string;
  beforeEach(async () => {
    prefix = uniqueName('proxy');
    proxy = await startNatsProxy({ target: testNatsUrl() });
    direct = await connect(natsOptions(testNatsUrl()));
    const { streams } = await direct.jetstreamManager();
    await streams.add({ name: prefix, subjects: [`${prefix}.messages.>`] });
    client = await connect({ ...natsOptions(proxy.url), reconnectTimeWait: 20 });
  });
  afterEach(async () => {
    const { streams } = await direct.jetstreamManager();
    await streams.delete(prefix);
    await client.close();
    await direct.close();
    await proxy.close();
  });

  const publish = () =>
    client.jetstream().publish(`${prefix}.messages.1.x`, 'hello\r\nMSG', { timeout: 300 });
  async function stored(): Promise<number> {
    const { streams } = await direct.jetstreamManager();
    return (await streams.info(prefix)).state.messages;
  }
  function collectReceipts(): string[] {
    const receipts: string[] = [];
    client.subscribe(`${prefix}.receipts.mine`, {
      callback: (_, message) => receipts.push(message.string()),
    });
    return receipts;
  }

  it('reports a sender’s steps without interfering', async () => {
    const receipts = collectReceipts();
    await client.flush();
    proxy.record();
    await publish();
    direct.publish(`${prefix}.receipts.mine`, 'done');
    await eventually(() => receipts.length === 1);
    expect(proxy.steps()).toEqual(['publish', 'receipt']);
    expect(await stored()).toBe(1);
  });

  it('reports a recipient’s steps without interfering', async () => {
    await publish();
    const { consumers } = await client.jetstreamManager();
    await consumers.add(prefix, { durable_name: 'reader' });
    proxy.record();
    const message = await (await client.jetstream().consumers.get(prefix, 'reader')).next();
    client.publish(`${prefix}.receipts.mine`, 'done');
    message?.ack();
    await client.flush();
    expect(message?.string()).toBe('hello\r\nMSG');
    expect(proxy.steps()).toEqual(['delivery', 'send receipt', 'acknowledge']);
  });

  it('a message whose publication springs a trap is never stored', async () => {
    const trap = proxy.trap({ label: 'publish', when: 'before' }, () => undefined);
    await expect(publish()).rejects.toThrow();
    expect(trap.isSprung).toBe(true);
    expect(await stored()).toBe(0);
  });

  it('holds back the publication of one message while others are stored', async () => {
    const hold = proxy.hold({ label: 'publish', when: 'before' });
    await expect(publish()).rejects.toThrow();
    expect(hold.isHeld).toBe(true);
    await publish();
    expect(await stored()).toBe(1);
  });

  it('lets a published message be stored, then holds back its acknowledgement', async () => {
    let storedAtTrap: Promise<number> | undefined;
    proxy.trap({ label: 'publish', when: 'after' }, () => {
      storedAtTrap = stored();
    });
    await expect(publish()).rejects.toThrow();
    expect(await storedAtTrap).toBe(1);
  });

  it('holds back a receipt, and lets the next one pass on a new connection', async () => {
    const receipts = collectReceipts();
    await client.flush();
    const trap = proxy.trap({ label: 'receipt', when: 'before' }, () => undefined);
    direct.publish(`${prefix}.receipts.mine`, 'first');
    await eventually(() => trap.isSprung);
    await eventually(() => {
      direct.publish(`${prefix}.receipts.mine`, 'later');
      return receipts.length > 0;
    });
    expect(receipts).not.toContain('first');
  });

  it('a trap set with “after” on a message that gets no response springs only once the message has passed', async () => {
    const passed: string[] = [];
    direct.subscribe(`${prefix}.receipts.theirs`, {
      callback: (_, message) => passed.push(message.string()),
    });
    await direct.flush();
    const trap = proxy.trap({ label: 'send receipt', when: 'after' }, () => undefined);
    client.publish(`${prefix}.receipts.theirs`, 'done');
    await eventually(() => passed.length === 1);
    expect(trap.isSprung).toBe(true);
  });

  it('hides the server’s own address from the client', async () => {
    expect(client.info).toMatchObject({ jetstream: true });
    expect(client.info?.connect_urls ?? []).toEqual([]);
    expect(client.getServer()).toBe(new URL(proxy.url).host);
  });
});

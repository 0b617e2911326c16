import { describe, expect, it } from '@jest/globals';
import { AppError } from '@daycare/errors';
import { eventually, uniqueName } from '@daycare/testing';
import { headers } from 'nats';
import { subjectOfMessage } from './system-stream';
import { withLostReceipts } from './test-support/lost-receipts';
import { draft } from './test-support/test-parts';
import { useCourier } from './test-support/use-courier';

describe('a message whose handling fails', () => {
  const on = useCourier();

  it('becomes a dead letter when it can never succeed, and lets the lane go on', async () => {
    const [refused, next] = [draft('lane', 'private words'), draft('lane')];
    on.courier.consumer({
      handle: async (message) => {
        if (message.id === refused.id) throw new AppError('NOT_FOUND', 'User not found');
        await on.courier.inbox.handle(message);
      },
    });
    await on.courier.send(on.courier.relay(), [refused, next]);
    await on.untilState(next.id, 'delivered');
    expect(await on.courier.store.status(refused.id)).toMatchObject({
      state: 'dead',
      reason: 'User not found',
    });
    expect(on.courier.inbox.buried).toMatchObject([
      { id: refused.id, code: 'NOT_FOUND', message: { text: 'private words' } },
    ]);
    expect(JSON.stringify(on.courier.log.lines)).not.toContain('private words');
  });

  it('is reported dead even when the first report was lost', async () => {
    let [lost, tries] = [0, 0];
    on.courier.consumer({
      connection: withLostReceipts(on.nats.connection, () => ++lost === 1),
      handle: async (message) => {
        if (++tries === 1) throw new AppError('NOT_FOUND', 'User not found');
        await on.courier.inbox.handle(message);
      },
    });
    const refused = draft('lane');
    await on.courier.send(on.courier.relay(), [refused]);
    await on.untilState(refused.id, 'dead');
    expect(on.courier.inbox.buried).toHaveLength(1);
    expect(await on.courier.inbox.ids()).toEqual([]);
  });

  it('is tried five times and then buried when it may be at fault itself', async () => {
    let tries = 0;
    on.courier.consumer({
      handle: async () => {
        tries += 1;
        throw new Error('a bug');
      },
    });
    const failing = draft('lane');
    await on.courier.send(on.courier.relay(), [failing]);
    await on.untilState(failing.id, 'dead');
    expect(tries).toBe(5);
    expect(on.courier.inbox.buried).toMatchObject([{ code: 'INTERNAL', reason: 'Internal error' }]);
  });

  it('outlives an outage of the database behind the consumer, however many tries it takes', async () => {
    let tries = 0;
    on.courier.consumer({
      handle: async (message) => {
        if (++tries < 8) throw new AppError('UNAVAILABLE', 'no primary');
        await on.courier.inbox.handle(message);
      },
    });
    const patient = draft('lane');
    await on.courier.send(on.courier.relay(), [patient]);
    await on.untilState(patient.id, 'delivered');
    expect(await on.courier.inbox.ids()).toEqual([patient.id]);
    expect(on.courier.inbox.buried).toEqual([]);
  });

  it('is buried in the end when it ends its process again and again', async () => {
    on.courier.consumer({ maxDeliveries: 0, handle: () => new Promise(() => undefined) });
    const hopeless = draft('lane');
    await on.courier.send(on.courier.relay(), [hopeless]);
    await on.untilState(hopeless.id, 'dead');
  });

  it('is kept when the dead letter cannot be stored', async () => {
    let failures = 0;
    on.courier.consumer({
      handle: () => Promise.reject(new AppError('PERMISSION_DENIED', 'Not allowed')),
      deadLetter: async (letter) => {
        if (++failures < 3) throw new Error('no space left');
        await on.courier.inbox.deadLetter(letter);
      },
    });
    const refused = draft('lane');
    await on.courier.send(on.courier.relay(), [refused]);
    await on.untilState(refused.id, 'dead');
    expect(on.courier.inbox.buried).toHaveLength(1);
  });

  it('is buried with its bytes when it cannot be read, and others go on', async () => {
    on.courier.consumer();
    const relay = on.courier.relay();
    const [before, after] = [draft('lane'), draft('lane')];
    await on.courier.send(relay, [before]);
    await on.untilState(before.id, 'delivered');
    const [poison, jetStream] = [uniqueName('poison'), on.nats.connection.jetstream()];
    const subject = subjectOfMessage(on.courier.stream, { recipientUserId: 'bob' }, poison);
    await jetStream.publish(subject, 'not protobuf', { msgID: poison, headers: headers() });
    await jetStream.publish(`${subject}-2`, new Uint8Array());
    await on.courier.send(relay, [after]);
    await on.untilState(after.id, 'delivered');
    await eventually(() => on.courier.inbox.buried.length === 2);
    const [letter, nameless] = on.courier.inbox.buried;
    expect(letter).toMatchObject({ id: poison, message: undefined, code: 'INVALID_ARGUMENT' });
    expect(Buffer.from(letter?.payload ?? []).toString()).toBe('not protobuf');
    expect(nameless?.id).toMatch(new RegExp(`^${on.courier.stream.name}:\\d+$`));
    await eventually(async () => (await on.countInStream()) === 0);
  });
});

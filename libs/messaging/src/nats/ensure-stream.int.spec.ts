import { describe, expect, it } from '@jest/globals';
import { eventually } from '@daycare/testing';
import { ensureSystemStream, manageJetStream } from './ensure-stream';
import { subjectsOfAgents, subjectsOfService } from './system-stream';
import { draft } from '../test-support/fixtures';
import { useMessaging } from '../test-support/use-messaging';

describe('ensureSystemStream', () => {
  const on = useMessaging();

  it('updates the settings, however many call it concurrently', async () => {
    const { stream } = on.messaging;
    const ensure = (changed = {}) =>
      ensureSystemStream(on.nats.connection, { ...stream, ...changed });
    await Promise.all(Array.from({ length: 10 }, () => ensure()));
    await Promise.all(Array.from({ length: 10 }, () => ensure({ maxAgeMs: 60_000 })));
    const { streams } = await manageJetStream(on.nats.connection);
    const { config } = await streams.info(stream.name);
    expect(config).toMatchObject({ retention: 'workqueue', discard: 'new', max_age: 60e9 });
  });

  it('lets each service receive its own messages', async () => {
    const { stream, inbox } = on.messaging;
    on.messaging.consumer({
      durable: 'topology',
      filterSubjects: [subjectsOfService(stream, 'topology')],
      handle: () => Promise.reject(new Error('not for this service')),
    });
    on.messaging.consumer({ durable: 'agents', filterSubjects: [subjectsOfAgents(stream)] });
    const message = draft('lane');
    await on.messaging.send(on.messaging.relay(), [message]);
    await eventually(async () => (await inbox.ids()).includes(message.id));
  });

  it('refuses messages when it is full instead of dropping others', async () => {
    const failed: true[] = [];
    const stream = { ...on.messaging.stream, maxBytes: 2_000 };
    const relay = on.messaging.relay({
      stream,
      observer: { publishFailed: () => failed.push(true) },
    });
    const drafts = Array.from({ length: 4 }, (_, lane) => draft(`lane${lane}`, 'x'.repeat(500)));
    for (const one of drafts) await on.messaging.send(relay, [one]);
    await eventually(() => failed.length > 0);
    on.messaging.consumer({ stream });
    await eventually(async () => (await on.messaging.inbox.ids()).length === drafts.length);
  });
});

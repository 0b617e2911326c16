import { describe, expect, it } from '@jest/globals';
import { eventually } from '@daycare/testing';
import { requiredChanges, ensureSystemStream, manageJetStream } from './ensure-stream';
import { streamNameOf } from './system-stream';
import { draft } from '../test-support/fixtures';
import { useMessaging } from '../test-support/use-messaging';

describe('ensureSystemStream', () => {
  const stage = useMessaging();

  it('updates the settings even with many concurrent callers', async () => {
    const { stream, streamName } = stage.messaging;
    const ensure = (changed = {}) =>
      ensureSystemStream(stage.nats.connection, { ...stream, ...changed }, 'agents');
    await Promise.all(Array.from({ length: 10 }, () => ensure()));
    await Promise.all(Array.from({ length: 10 }, () => ensure({ maxAgeMs: 60_000 })));
    const { streams } = await manageJetStream(stage.nats.connection);
    const { config } = await streams.info(streamName);
    expect(config).toMatchObject({ retention: 'workqueue', discard: 'new', max_age: 60e9 });
  });

  it('keeps what an operator has changed, unless it contradicts the settings', async () => {
    const { stream, streamName } = stage.messaging;
    const { streams } = await manageJetStream(stage.nats.connection);
    const { config } = await streams.info(streamName);
    await streams.update(streamName, { ...config, description: 'ours', max_age: 1e12 });
    await ensureSystemStream(stage.nats.connection, stream, 'agents');
    const ensured = (await streams.info(streamName)).config;
    expect(ensured).toMatchObject({ description: 'ours', max_age: config.max_age });
  });

  it('adds missing copies of a stream but never removes any, and moves the stream only if a placement is configured', async () => {
    const { streams } = await manageJetStream(stage.nats.connection);
    const { config } = await streams.info(stage.messaging.streamName);
    const { name } = config;
    expect(
      requiredChanges({ ...config, num_replicas: 3 }, { name, num_replicas: 1 }),
    ).toBeUndefined();
    expect(
      requiredChanges({ ...config, num_replicas: 5 }, { name, num_replicas: 3 }),
    ).toBeUndefined();
    expect(requiredChanges(config, { name, num_replicas: 3 })).toEqual({ num_replicas: 3 });
    const placement = { cluster: 'east', tags: ['ssd'] };
    expect(requiredChanges({ ...config, placement }, { name })).toBeUndefined();
    expect(requiredChanges(config, { name, placement })).toEqual({ placement });
  });

  it('creates a stream that delivers a message only to its own group, even if another group shares the stream', async () => {
    const { stream, inbox } = stage.messaging;
    stage.messaging.consumer({
      group: 'inboxes',
      handle: () => Promise.reject(new Error('not for this group')),
    });
    stage.messaging.consumer({ group: 'agents' });
    const message = draft('lane');
    await stage.messaging.send(stage.messaging.relay(), [message]);
    await eventually(async () => (await inbox.ids()).includes(message.id));
    expect(streamNameOf(stream, 'inboxes')).toBe(streamNameOf(stream, 'agents'));
  });

  it('creates a stream that, when full, refuses new messages instead of dropping old ones', async () => {
    const failed: true[] = [];
    const stream = { ...stage.messaging.stream, maxBytes: 2_000 };
    await ensureSystemStream(stage.nats.connection, stream, 'agents');
    const relay = stage.messaging.relay({
      stream,
      observer: { publishFailed: () => failed.push(true) },
    });
    const drafts = Array.from({ length: 4 }, (_, lane) => draft(`lane${lane}`, 'x'.repeat(500)));
    for (const message of drafts) await stage.messaging.send(relay, [message]);
    await eventually(() => failed.length > 0);
    stage.messaging.consumer({ stream });
    await eventually(async () => (await stage.messaging.inbox.ids()).length === drafts.length);
  });
});

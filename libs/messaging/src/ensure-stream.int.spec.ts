import { describe, expect, it } from '@jest/globals';
import { eventually } from '@daycare/testing';
import { ensureSystemStream, manageJetStream } from './ensure-stream';
import { shardOf } from './shard-of';
import { subjectsOfShard } from './system-stream';
import { draft } from './test-support/test-parts';
import { useCourier } from './test-support/use-courier';

describe('ensureSystemStream', () => {
  const on = useCourier();

  it('may be called by many at once and brings settings up to date', async () => {
    const { stream } = on.courier;
    const ensure = (changed = {}) =>
      ensureSystemStream(on.nats.connection, { ...stream, ...changed });
    await Promise.all(Array.from({ length: 10 }, () => ensure()));
    await Promise.all(Array.from({ length: 10 }, () => ensure({ maxAgeMs: 60_000 })));
    const { streams } = await manageJetStream(on.nats.connection);
    const { config } = await streams.info(stream.name);
    expect(config).toMatchObject({ retention: 'workqueue', discard: 'new', max_age: 60e9 });
  });

  it('lets consumers divide the shards among themselves', async () => {
    const { stream, inbox } = on.courier;
    const bobs = shardOf('bob', stream.shards);
    const others = Array.from({ length: stream.shards }, (_, shard) => shard).filter(
      (shard) => shard !== bobs,
    );
    on.courier.consumer({
      durable: 'others',
      filterSubjects: others.map((shard) => subjectsOfShard(stream, shard)),
      handle: () => Promise.reject(new Error('not for this shard')),
    });
    on.courier.consumer({ durable: 'bobs', filterSubjects: [subjectsOfShard(stream, bobs)] });
    const message = draft('lane');
    await on.courier.send(on.courier.relay(), [message]);
    await eventually(async () => (await inbox.ids()).includes(message.id));
  });

  it('refuses what does not fit instead of pushing others out', async () => {
    const failed: true[] = [];
    const stream = { ...on.courier.stream, maxBytes: 2_000 };
    const relay = on.courier.relay({
      stream,
      observer: { publishFailed: () => failed.push(true) },
    });
    const drafts = Array.from({ length: 4 }, (_, lane) => draft(`lane${lane}`, 'x'.repeat(500)));
    await on.courier.send(relay, drafts);
    await eventually(() => failed.length > 0);
    on.courier.consumer({ stream });
    await eventually(async () => (await on.courier.inbox.ids()).length === drafts.length);
  });
});

import { describe, expect, it } from '@jest/globals';
import { eventually } from '@daycare/testing';
import { draft } from './test-support/fixtures';
import { useMessaging } from './test-support/use-messaging';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('messaging', () => {
  const stage = useMessaging();

  it('continues a message’s trace in its consumer, through the outbox and NATS', async () => {
    const { messaging } = stage;
    const seen: (string | undefined)[] = [];
    messaging.consumer({
      handle: async (_, context) => void seen.push(context.traceparent),
    });
    const relay = messaging.relay();
    await messaging.send(relay, [{ ...draft('lane'), traceparent }]);
    await messaging.send(relay, [draft('lane')]);
    await eventually(() => seen.length === 2);
    expect(seen[0]).toContain(traceparent.slice(0, 35));
    expect(seen[1]).toBeUndefined();
  });
});

import { expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { useFixture } from '@daycare/testing/jest';
import { startTestRuntime } from '../../test-support/test-runtime';
import { makeSweepMailboxes } from './sweep-mailboxes';

const runtime = useFixture(startTestRuntime);

/** Sweeps with a clock that is `ms` ahead; returns the user's id if the sweep routes the user's mail. */
async function sweptAfter(ms: number, userId: string, shard: number): Promise<string[]> {
  const swept: string[] = [];
  const { agents, mailbox } = runtime;
  const sweep = makeSweepMailboxes({
    agents,
    mailbox,
    routeMailbox: async (user) => void swept.push(user),
    servedShards: () => [shard],
    now: () => new Date(Date.now() + ms),
  });
  await sweep();
  return swept.filter((user) => user === userId);
}

it('mail that is still waiting 50 minutes after its user’s first agent was created is routed', async () => {
  const { userId, shard } = await runtime.newAgent();
  const item = {
    kind: 'system_message',
    messageId: createId(),
    userId,
    acceptedAt: new Date(),
    text: 'hello',
    origin: 'friend:otter7',
    silent: false,
    hops: 0,
  } as const;
  await runtime.inbox.put([{ item, recipients: [] }]);
  expect(await sweptAfter(50 * 60_000, userId, shard)).toEqual([userId]);
});

import { expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { eventually } from '@daycare/testing';
import { countCommands } from '../support/stack/count-commands';
import type { Person } from '../support/people/people';
import { readMetric } from '../support/stack/read-metric';
import { agentServices } from '../support/stack/stack';
import { useStack } from '../support/stack/use-stack';

// A receipt that is slow because the machine is busy must not cause its message to be published again.
const env = { DAYCARE_REPUBLISH_AFTER_MS: '30000', DAYCARE_MESSAGES_WAITING: '200' };
const stack = useStack({ services: agentServices, env, timeoutMs: 30_000 });
const { people, graph } = stack;

const pairCount = 64;
const rounds = 25;

/** Collections that services poll regularly: the commands on these do not depend on messages. */
const polledCollections: ReadonlySet<string> = new Set([
  'agent-runtime crons',
  'agent-runtime heartbeat_batches',
  'agent-runtime leases',
  'agent-runtime outbox',
  'agent-runtime permissions',
  'identity outbox',
  'identity revocations',
  'identity signing_keys',
]);

type Pair = readonly [Person, Person];

/** Returns how many messages and notices have receipts. Reads a metric, because that costs no database command. */
async function countReceipts(): Promise<number> {
  const name = 'daycare_messages_delivery_seconds_count';
  return (await readMetric(stack.service('social-graph'), name)) ?? 0;
}

async function newPairs(): Promise<Pair[]> {
  const pairs: Pair[] = [];
  while (pairs.length < pairCount)
    pairs.push(...(await Promise.all(Array.from({ length: 16 }, () => people.newFriends()))));
  return pairs;
}

/** Has each pair send its messages one by one; resolves when this many receipts have arrived since the start. */
async function deliver(pairs: readonly Pair[], perPair: number, receipts: number): Promise<void> {
  const talk = async ([{ as }, { nametag }]: Pair): Promise<void> => {
    for (let sent = 0; sent < perPair; sent += 1)
      await graph.sendFriendMessage({ requestId: createId(), nametag, message: 'Hello' }, as);
  };
  await Promise.all(pairs.map(talk));
  await eventually(async () => (await countReceipts()) >= receipts, { timeoutMs: 60_000 });
}

it('with 64 senders, a delivered message costs at most 0.3 database commands on average across all services, not counting regular polls', async () => {
  const pairs = await newPairs();
  // Each friend request and each acceptance caused a notice; then each pair sends a message.
  const earlierReceipts = pairCount * 3;
  await deliver(pairs, 1, earlierReceipts);
  const counts = await countCommands(stack, () =>
    deliver(pairs, rounds, earlierReceipts + pairCount * rounds),
  );
  const total = Object.entries(counts)
    .filter(([collection]) => !polledCollections.has(collection))
    .reduce((sum, [, count]) => sum + count, 0);
  expect(total / (pairCount * rounds)).toBeLessThanOrEqual(0.3);
});

import { expect, it, jest } from '@jest/globals';
import { useFixture } from '@daycare/testing/jest';
import { createId } from '@daycare/api/create-id';
import type { Agent } from '../../../agents/domain/agent';
import { makeRankForeground } from '../../../agents/usecases/rank-foreground';
import { startTestRuntime } from '../../../test-support/test-runtime';
import type { IncomingMessage } from '../../domain/inbox-item';
import { makeRouteMailbox } from './route-mailbox';

const now = (): Date => new Date();
const runtime = useFixture(startTestRuntime);

const message = (userId: string, text: string): IncomingMessage => ({
  kind: 'system_message',
  messageId: createId(),
  userId,
  acceptedAt: now(),
  text,
  origin: 'friend:otter7',
  silent: false,
  hops: 0,
});

/** A router that counts how many times it ranks the agents and reads the mailbox. */
function newRouter() {
  const rankForeground = jest.fn(makeRankForeground({ ...runtime, sleepAfterMs: 60_000, now }));
  const routed = jest.spyOn(runtime.mailbox, 'route').mockClear();
  const route = makeRouteMailbox({ ...runtime, rankForeground, now });
  return { route, reads: () => [rankForeground.mock.calls.length, routed.mock.calls.length] };
}

async function putAll(userId: string, count: number): Promise<string[]> {
  const texts = Array.from({ length: count }, (_, index) => `message ${index}`);
  await runtime.placeItems(texts.map((text) => ({ item: message(userId, text), recipients: [] })));
  return texts;
}

async function received(agent: Agent): Promise<{ text: string; silent: boolean }[]> {
  const items = await runtime.inbox.next(agent, 1_000);
  return items.flatMap((item) =>
    item.kind === 'system_message' ? [{ text: item.text, silent: item.silent }] : [],
  );
}

it('routing sends a message to all foreground agents, silently to all but one, and reads the mailbox only once', async () => {
  const userId = createId();
  const older = await runtime.newAgent(undefined, userId);
  const newer = await runtime.newAgent(undefined, userId);
  await putAll(userId, 1);
  const { route, reads } = newRouter();
  await route(userId);
  expect(reads()).toEqual([1, 1]);
  const both = [...(await received(older)), ...(await received(newer))];
  expect(both.map(({ text }) => text)).toEqual(['message 0', 'message 0']);
  expect(both.filter(({ silent }) => silent)).toHaveLength(1);
});

it('routing handles all waiting messages in order, even if they do not fit into one batch', async () => {
  const userId = createId();
  const agent = await runtime.newAgent(undefined, userId);
  const texts = await putAll(userId, 257);
  const { route, reads } = newRouter();
  await route(userId);
  expect(reads()).toEqual([2, 2]);
  expect((await received(agent)).map(({ text }) => text)).toEqual(texts);
  expect(await runtime.mailbox.usersWithUnrouted([userId])).toEqual([]);
});

it('routing leaves messages in the mailbox while the user has no foreground agent', async () => {
  const userId = createId();
  await putAll(userId, 1);
  const { route, reads } = newRouter();
  await route(userId);
  expect(reads()).toEqual([1, 0]);
  expect(await runtime.mailbox.usersWithUnrouted([userId])).toEqual([userId]);
});

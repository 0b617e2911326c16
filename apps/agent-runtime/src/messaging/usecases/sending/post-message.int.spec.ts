import { expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { DeletedUserStore } from '@daycare/service-kit';
import { eventually } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import { makeFindOrCreateAgent } from '../../../agents/usecases/ensure-agent';
import { makeRankForeground } from '../../../agents/usecases/rank-foreground';
import { startTestRuntime } from '../../../test-support/test-runtime';
import { makePostMessage, type PostCall, type PostDeps } from './post-message';
import { makeRouteMailbox, type RouteMailbox } from '../inbox/route-mailbox';

const now = (): Date => new Date();
const runtime = useFixture(startTestRuntime);
const warnings: string[] = [];

const route: RouteMailbox = (userId) =>
  makeRouteMailbox({
    ...runtime,
    rankForeground: makeRankForeground({ ...runtime, sleepAfterMs: 60_000, now }),
    now,
  })(userId);

/** A replica whose mailbox routing can be replaced. */
const newPoster = (routeMailbox: RouteMailbox = route) =>
  makePostMessage({ ...runtime, ...otherDeps(), routeMailbox, now });

function otherDeps(): Pick<PostDeps, 'findOrCreateWithoutMail' | 'files' | 'log'> {
  return {
    findOrCreateWithoutMail: makeFindOrCreateAgent({
      ...runtime,
      deletedUsers: new DeletedUserStore(runtime.mongo.db),
      directory: { findById: async (userId) => ({ userId, parentUserId: undefined }) },
      shardOf: () => 0,
      newId: createId,
      now,
    }),
    files: { findMany: async () => [], markReferenced: async () => true },
    log: { warn: (_fields, text) => void warnings.push(text) },
  };
}

const post = (userId: string): PostCall => ({
  userId,
  requestId: createId(),
  connector: 'cli',
  channelId: 'desk',
  connectorUserId: 'me',
  text: 'hello',
  fileIds: [],
  replyTarget: '',
});

async function userWithMail(): Promise<string> {
  const userId = createId();
  const item = {
    kind: 'system_message',
    messageId: createId(),
    userId,
    acceptedAt: now(),
    text: 'mail',
    origin: 'friend:otter7',
    silent: false,
    hops: 0,
  } as const;
  await runtime.placeItems([{ item, recipients: [] }]);
  return userId;
}

async function waitingTexts(agentId: string): Promise<string[]> {
  const items = await runtime.inbox.next({ id: agentId }, 10);
  return items.map((item) => ('text' in item ? item.text : item.kind));
}

const untilBothWait = (agentId: string) =>
  eventually(async () => (await waitingTexts(agentId)).join() === 'hello,mail');

it('PostMessage stores a person’s first message before the mail that was waiting for an agent', async () => {
  const userId = await userWithMail();
  const before: string[][] = [];
  const postMessage = newPoster(async (id) => {
    const agents = await runtime.agents.listForeground(id);
    before.push(...(await Promise.all(agents.map((agent) => waitingTexts(agent.id)))));
    await route(id);
  });
  const { agentId } = await postMessage(post(userId));
  await untilBothWait(agentId);
  expect(before).toEqual([['hello']]);
});

it('PostMessage accepts a person’s first message without waiting for the mailbox to be routed', async () => {
  const userId = await userWithMail();
  const { agentId } = await newPoster(() => new Promise(() => undefined))(post(userId));
  expect(await waitingTexts(agentId)).toEqual(['hello']);
});

it('if the call of PostMessage that created an agent failed to route waiting mail, posting the message again at another replica routes the mail', async () => {
  const userId = await userWithMail();
  const call = post(userId);
  const { agentId } = await newPoster(async () => {
    throw new Error('no database');
  })(call);
  await eventually(async () => warnings.length > 0);
  expect(warnings).toEqual(['mail was not routed; the mailbox sweep will retry']);
  expect(await waitingTexts(agentId)).toEqual(['hello']);
  expect((await newPoster()(call)).agentId).toBe(agentId);
  await untilBothWait(agentId);
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { IdentityServiceService, type User } from '@daycare/contracts/identity';
import { SocialGraphServiceService } from '@daycare/contracts/social-graph';
import type { AppError } from '@daycare/errors';
import { createRpcClient, type CallOptions, type RpcClient } from '@daycare/rpc';
import { startTestStack, type TestStack } from '@daycare/testing';

let stack: TestStack;
let identity: RpcClient<typeof IdentityServiceService>;
let graph: RpcClient<typeof SocialGraphServiceService>;

beforeAll(async () => {
  stack = await startTestStack({
    services: ['identity', 'social-graph'],
    env: { DAYCARE_RATE_BURST: '100000', DAYCARE_FRIEND_REQUESTS_PER_HOUR: '10000' },
  });
  identity = createRpcClient(IdentityServiceService, { address: stack.addressOf('identity') });
  graph = createRpcClient(SocialGraphServiceService, {
    address: stack.addressOf('social-graph'),
    timeoutMs: 20_000,
  });
}, 60_000);
afterAll(async () => {
  identity.close();
  graph.close();
  await stack.stop();
});

interface Person extends User {
  readonly as: CallOptions;
}

async function newPerson(): Promise<Person> {
  const admin = { metadata: stack.adminMetadata };
  const { user } = await identity.createUser({ requestId: createId(), name: 'Somebody' }, admin);
  const request = { userId: user!.id, agentId: '', publicKeyJwk: '' };
  const { tokens } = await identity.issueToken(request, admin);
  return { ...user!, as: { metadata: { authorization: `Bearer ${tokens!.accessToken}` } } };
}

async function newSubuser({ as }: Person): Promise<User> {
  const request = { requestId: createId(), name: 'Helper', description: 'Knows the recipes' };
  return (await identity.createSubuser(request, as)).subuser!;
}

const about = (nametag: string, requestId = createId()) => ({ requestId, nametag });
const add = (who: Person, nametag: string, requestId?: string) =>
  graph.addFriend(about(nametag, requestId), who.as);
const remove = (who: Person, nametag: string, requestId?: string) =>
  graph.removeFriend(about(nametag, requestId), who.as);
const send = (who: Person, nametag: string, requestId?: string) =>
  graph.sendFriendMessage({ ...about(nametag, requestId), message: 'Hello' }, who.as);
const share = (who: Person, friendNametag: string, subuserId: string) =>
  graph.shareSubuser({ requestId: createId(), friendNametag, subuserId }, who.as);
const unshare = (who: Person, friendNametag: string, subuserId: string) =>
  graph.unshareSubuser({ requestId: createId(), friendNametag, subuserId }, who.as);
const list = (who: Person) => graph.listFriends({ pageSize: 0, pageToken: '' }, who.as);
const befriend = async (one: Person, other: Person): Promise<void> => {
  await add(one, other.nametag);
  await add(other, one.nametag);
};

/** All that a caller can see of an answer: the message, or the failure as it is on the wire. */
async function answerOf(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    const { code, details, metadata } = (error as AppError).cause as {
      code: number;
      details: string;
      metadata: { get(key: string): Buffer[] };
    };
    return { code, details, bytes: metadata.get('grpc-status-details-bin')[0]!.toString('base64') };
  }
}

describe('nametags that are none of the caller’s business', () => {
  let ada: Person;
  let bob: Person;
  let mine: User;
  /** One nametag of each kind that must look like one that nobody has. */
  let nametags: Readonly<Record<string, string>>;

  beforeAll(async () => {
    let carol: Person;
    [ada, bob, carol] = await Promise.all([newPerson(), newPerson(), newPerson()]);
    mine = await newSubuser(ada);
    await Promise.all([befriend(ada, bob), befriend(bob, carol)]);
    const [hidden, toCarol, revoked, declined] = await Promise.all(
      Array.from({ length: 4 }, () => newSubuser(bob)),
    );
    await share(bob, carol.nametag, toCarol!.id);
    await add(carol, toCarol!.nametag);
    await share(bob, ada.nametag, revoked!.id);
    await add(ada, revoked!.nametag);
    await unshare(bob, ada.nametag, revoked!.id);
    await share(bob, ada.nametag, declined!.id);
    await remove(ada, declined!.nametag);
    nametags = {
      'a subuser of a stranger': (await newSubuser(carol)).nametag,
      'a subuser of a friend': hidden!.nametag,
      'a subuser offered to others': toCarol!.nametag,
      'a subuser taken back': revoked!.nametag,
      'a subuser declined': declined!.nametag,
      'a subuser of one’s own': mine.nametag,
    };
  });

  it.each([
    ['adding', (nametag: string) => add(ada, nametag)],
    ['removing', (nametag: string) => remove(ada, nametag)],
    ['sending to', (nametag: string) => send(ada, nametag)],
    ['sharing with', (nametag: string) => share(ada, nametag, mine.id)],
    ['unsharing from', (nametag: string) => unshare(ada, nametag, mine.id)],
    ['blocking', (nametag: string) => graph.blockUser(about(nametag), ada.as)],
    ['unblocking', (nametag: string) => graph.unblockUser(about(nametag), ada.as)],
  ])('are answered byte for byte like unknown ones when %s them', async (_, attempt) => {
    const unknown = await answerOf(attempt('nobody1'));
    expect(unknown).toMatchObject({ code: 5, details: 'Nametag not found' });
    for (const [kind, nametag] of Object.entries(nametags)) {
      expect([kind, await answerOf(attempt(nametag))]).toEqual([kind, unknown]);
    }
  });

  it('are so too under request ids that the caller has used before', async () => {
    await add(ada, bob.nametag, 'used');
    await send(ada, bob.nametag, 'used');
    const unknown = await answerOf(add(ada, 'nobody1', 'used'));
    for (const attempt of [add, remove, send]) {
      for (const [kind, nametag] of Object.entries(nametags)) {
        expect([kind, await answerOf(attempt(ada, nametag, 'used'))]).toEqual([kind, unknown]);
      }
    }
  });

  it('and ids of subusers are so, when they are not the caller’s', async () => {
    const foreign = await newSubuser(bob);
    for (const attempt of [share, unshare]) {
      const unknown = await answerOf(attempt(ada, bob.nametag, createId()));
      expect(unknown).toMatchObject({ code: 5, details: 'Subuser not found' });
      for (const id of [foreign.id, bob.id, ada.id]) {
        expect(await answerOf(attempt(ada, bob.nametag, id))).toEqual(unknown);
      }
    }
  });
});

describe('somebody who is blocked', () => {
  /** All that one side can try, without the times and ids that are new in every answer. */
  async function tryAll(who: Person, other: Person): Promise<unknown[]> {
    const subuser = await newSubuser(who);
    const attempts = [
      () => list(who),
      () => add(who, other.nametag),
      () => add(who, other.nametag),
      () => list(who),
      () => send(who, other.nametag),
      () => share(who, other.nametag, subuser.id),
      () => remove(who, other.nametag),
      () => list(who),
      () => remove(who, other.nametag),
    ];
    const answers: unknown[] = [];
    for (const attempt of attempts) answers.push(await answerOf(attempt()));
    const masked = JSON.stringify(answers).replace(/"\d{4}-\d\d-\d\dT[^"]*"/g, '"some time"');
    return JSON.parse(masked) as unknown[];
  }
  const block = (who: Person, { nametag }: Person) => graph.blockUser(about(nametag), who.as);

  it('gets the answers of somebody who is ignored, and is seen in the blocks only', async () => {
    const [ada, bob] = await Promise.all([newPerson(), newPerson()]);
    const ignored = await tryAll(ada, bob);
    await block(bob, ada);
    expect(await tryAll(ada, bob)).toEqual(ignored);
    await add(ada, bob.nametag);
    await expect(list(bob)).resolves.toMatchObject({
      requests: [],
      requestCount: 0,
      blocks: [{ nametag: ada.nametag }],
    });
  });

  it('gets them also when the request was made before the block', async () => {
    const [ada, bob] = await Promise.all([newPerson(), newPerson()]);
    await add(ada, bob.nametag);
    const ignored = await tryAll(ada, bob);
    await add(ada, bob.nametag);
    await block(bob, ada);
    expect(await tryAll(ada, bob)).toEqual(ignored);
  });

  it('gets, after a friendship, the answers of somebody who was removed', async () => {
    const [ada, bob] = await Promise.all([newPerson(), newPerson()]);
    await befriend(ada, bob);
    await remove(bob, ada.nametag);
    const removed = await tryAll(ada, bob);
    await befriend(ada, bob);
    await block(bob, ada);
    expect(await tryAll(ada, bob)).toEqual(removed);
  });
});

describe('the time that an answer takes', () => {
  const calls = 1_000;
  const batch = 5;
  const floorMs = 30;

  async function durationOf(who: Person, nametag: string): Promise<number> {
    const startedAt = performance.now();
    await answerOf(add(who, nametag));
    return performance.now() - startedAt;
  }
  const quantile = (values: readonly number[], share: number): number =>
    values.toSorted((a, b) => a - b)[Math.floor(values.length * share)]!;

  /** The difference of the medians is less than the noise. */
  function expectAlike(some: readonly number[], others: readonly number[], count: number): void {
    const both = [...some, ...others];
    const noiseMs = quantile(both, 0.75) - quantile(both, 0.25);
    const differenceMs = Math.abs(quantile(some, 0.5) - quantile(others, 0.5));
    expect(both).toHaveLength(2 * count);
    expect(differenceMs).toBeLessThan(noiseMs);
  }

  /**
   * A statistical check of what `hideTiming` is for. Without it the ways to the two answers differ by
   * milliseconds, one asking identity and one reading the tie; should a busy machine's noise be larger
   * than that, the answers that come before the floor still give it away.
   */
  it('does not tell a subuser that is not offered from an unknown nametag', async () => {
    const [ada, bob] = await Promise.all([newPerson(), newPerson()]);
    const { nametag } = await newSubuser(bob);
    const hidden: number[] = [];
    const unknown: number[] = [];
    for (let made = 0; made < calls; made += batch) {
      await Promise.all(
        Array.from({ length: batch }, async (_, index) => {
          // One right after the other, each kind as often first, so that both meet the same noise.
          const probes = [
            async () => hidden.push(await durationOf(ada, nametag)),
            async () => unknown.push(await durationOf(ada, `nobody${made + index}`)),
          ];
          if (index % 2 === made % 2) probes.reverse();
          await Promise.all(probes.map((probe) => probe()));
        }),
      );
    }
    expectAlike(hidden, unknown, calls);
    // Timers may fire a millisecond early.
    expect(Math.min(...hidden, ...unknown)).toBeGreaterThan(floorMs - 2);
  }, 60_000);

  it('does not tell somebody who blocks the caller from somebody who does not', async () => {
    const people = (count: number) => Promise.all(Array.from({ length: count }, newPerson));
    const [askers, blockers, others] = [await people(20), await people(50), await people(50)];
    await Promise.all(
      blockers.map(async (blocker) => {
        for (const { nametag } of askers) await graph.blockUser(about(nametag), blocker.as);
      }),
    );
    const blocked: number[] = [];
    const told: number[] = [];
    for (const [index, blocker] of blockers.entries()) {
      const other = others[index]!;
      for (let from = 0; from < askers.length; from += batch) {
        await Promise.all(
          askers.slice(from, from + batch).map(async (asker) => {
            blocked.push(await durationOf(asker, blocker.nametag));
            told.push(await durationOf(asker, other.nametag));
          }),
        );
      }
    }
    expectAlike(blocked, told, calls);
  }, 120_000);
});

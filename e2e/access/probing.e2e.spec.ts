import { beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import type { User } from '@daycare/contracts/identity';
import type { Person } from '../support/people/people';
import { useStack } from '../support/stack/use-stack';
import { wireAnswer } from '../support/wire/wire-answer';

const stack = useStack({ services: ['identity', 'social-graph'], timeoutMs: 20_000 });
const { people, graph } = stack;

const requestFor = (nametag: string, requestId = createId()) => ({ requestId, nametag });
const add = (who: Person, nametag: string, requestId?: string) =>
  graph.addFriend(requestFor(nametag, requestId), who.as);
const remove = (who: Person, nametag: string, requestId?: string) =>
  graph.removeFriend(requestFor(nametag, requestId), who.as);
const send = (who: Person, nametag: string, requestId?: string) =>
  graph.sendFriendMessage({ ...requestFor(nametag, requestId), message: 'Hello' }, who.as);
const share = (who: Person, friendNametag: string, subuserId: string) =>
  graph.shareSubuser({ requestId: createId(), friendNametag, subuserId }, who.as);
const unshare = (who: Person, friendNametag: string, subuserId: string) =>
  graph.unshareSubuser({ requestId: createId(), friendNametag, subuserId }, who.as);
const list = (who: Person) => graph.listFriends({ pageSize: 0, pageToken: '' }, who.as);

describe('nametags that must look unknown to the caller', () => {
  let ada: Person;
  let bob: Person;
  let adasSubuser: User;
  /** One nametag of each kind that must look unknown. */
  let nametags: Readonly<Record<string, string>>;

  beforeAll(async () => {
    let carol: Person;
    [ada, bob, carol] = await Promise.all([
      people.newPerson(),
      people.newPerson(),
      people.newPerson(),
    ]);
    adasSubuser = await people.newSubuser(ada);
    await Promise.all([people.befriend(ada, bob), people.befriend(bob, carol)]);
    const [hidden, toCarol, revoked, declined] = await Promise.all(
      Array.from({ length: 4 }, () => people.newSubuser(bob)),
    );
    await share(bob, carol.nametag, toCarol!.id);
    await add(carol, toCarol!.nametag);
    await share(bob, ada.nametag, revoked!.id);
    await add(ada, revoked!.nametag);
    await unshare(bob, ada.nametag, revoked!.id);
    await share(bob, ada.nametag, declined!.id);
    await remove(ada, declined!.nametag);
    nametags = {
      'a stranger’s subuser': (await people.newSubuser(carol)).nametag,
      'a friend’s subuser': hidden!.nametag,
      'a subuser shared with someone else': toCarol!.nametag,
      'a subuser no longer shared': revoked!.nametag,
      'a subuser the caller declined': declined!.nametag,
      'the caller’s own subuser': adasSubuser.nametag,
    };
  });

  /** The nametags that must look unknown to a call: all, except that users may send to their own subusers. */
  const hiddenFrom = (title: string): [string, string][] =>
    Object.entries(nametags).filter(
      ([, nametag]) => title !== 'sending to' || nametag !== adasSubuser.nametag,
    );

  it.each([
    ['adding', (nametag: string) => add(ada, nametag)],
    ['removing', (nametag: string) => remove(ada, nametag)],
    ['sending to', (nametag: string) => send(ada, nametag)],
    ['sharing with', (nametag: string) => share(ada, nametag, adasSubuser.id)],
    ['unsharing from', (nametag: string) => unshare(ada, nametag, adasSubuser.id)],
    ['blocking', (nametag: string) => graph.blockUser(requestFor(nametag), ada.as)],
    ['unblocking', (nametag: string) => graph.unblockUser(requestFor(nametag), ada.as)],
  ])(
    '%s a hidden nametag gets the same response, byte for byte, as if it were unknown',
    async (title, attempt) => {
      const unknown = await wireAnswer(attempt('nobody1'));
      expect(unknown).toMatchObject({ code: 5, details: 'Nametag not found' });
      for (const [kind, nametag] of hiddenFrom(title)) {
        expect([kind, await wireAnswer(attempt(nametag))]).toEqual([kind, unknown]);
      }
    },
  );

  it('with a reused request id, calls with hidden nametags and calls with unknown ones get identical responses', async () => {
    await add(ada, bob.nametag, 'used');
    await send(ada, bob.nametag, 'used');
    const unknown = await wireAnswer(add(ada, 'nobody1', 'used'));
    const attempts = { adding: add, removing: remove, 'sending to': send };
    for (const [title, attempt] of Object.entries(attempts)) {
      for (const [kind, nametag] of hiddenFrom(title)) {
        expect([kind, await wireAnswer(attempt(ada, nametag, 'used'))]).toEqual([kind, unknown]);
      }
    }
  });

  it('calls with another user’s subuser id and calls with an unknown one get identical responses', async () => {
    const foreign = await people.newSubuser(bob);
    for (const attempt of [share, unshare]) {
      const unknown = await wireAnswer(attempt(ada, bob.nametag, createId()));
      expect(unknown).toMatchObject({ code: 5, details: 'Subuser not found' });
      for (const id of [foreign.id, bob.id, ada.id]) {
        expect(await wireAnswer(attempt(ada, bob.nametag, id))).toEqual(unknown);
      }
    }
  });
});

describe('blocking', () => {
  /**
   * Makes calls whose responses could show that the other user has blocked the caller; returns the responses with all
   * times masked, including those in digests.
   */
  async function tryAll(who: Person, other: Person): Promise<unknown[]> {
    const subuser = await people.newSubuser(who);
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
    for (const attempt of attempts) answers.push(await wireAnswer(attempt()));
    const masked = JSON.stringify(answers)
      .replace(/"\d{4}-\d\d-\d\dT[^"]*"/g, '"some time"')
      .replace(/"digest":"(\w+-\d+)-[^"]*"/g, '"digest":"$1"');
    return JSON.parse(masked) as unknown[];
  }
  const block = (who: Person, { nametag }: Person) => graph.blockUser(requestFor(nametag), who.as);

  it('a blocked user gets the same responses as an ignored one and appears only in the blocker’s block list', async () => {
    const [ada, bob] = await people.newPair();
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

  it('a user who is blocked after sending a request gets the same responses as an ignored one', async () => {
    const [ada, bob] = await people.newPair();
    await add(ada, bob.nametag);
    const ignored = await tryAll(ada, bob);
    await add(ada, bob.nametag);
    const listed = await list(ada);
    await block(bob, ada);
    expect(await list(ada)).toEqual(listed);
    expect(await tryAll(ada, bob)).toEqual(ignored);
  });

  it('a friend who is blocked gets the same responses as one who is removed', async () => {
    const [ada, bob] = await people.newFriends();
    await remove(bob, ada.nametag);
    const removed = await tryAll(ada, bob);
    await people.befriend(ada, bob);
    await block(bob, ada);
    expect(await tryAll(ada, bob)).toEqual(removed);
  });
});

describe('timing', () => {
  const calls = 1_000;
  const batch = 5;
  const floorMs = 30;

  async function durationOf(who: Person, nametag: string): Promise<number> {
    const startedAt = performance.now();
    await wireAnswer(add(who, nametag));
    return performance.now() - startedAt;
  }
  const quantile = (values: readonly number[], share: number): number =>
    values.toSorted((a, b) => a - b)[Math.floor(values.length * share)]!;

  /** Expects the medians to differ by less than the interquartile range. */
  function expectAlike(one: readonly number[], other: readonly number[], count: number): void {
    const both = [...one, ...other];
    const noiseMs = quantile(both, 0.75) - quantile(both, 0.25);
    const differenceMs = Math.abs(quantile(one, 0.5) - quantile(other, 0.5));
    expect(both).toHaveLength(2 * count);
    expect(differenceMs).toBeLessThan(noiseMs);
  }

  /**
   * A statistical check of `hideTiming`. Without `hideTiming`, the two response times differ by milliseconds, because
   * one call queries identity and the other reads the tie. If the noise of a busy machine hides that difference,
   * responses faster than the floor still show that `hideTiming` is missing.
   */
  it('the response time does not distinguish a hidden subuser from an unknown nametag', async () => {
    const [ada, bob] = await people.newPair();
    const { nametag } = await people.newSubuser(bob);
    const hidden: number[] = [];
    const unknown: number[] = [];
    for (let callsMade = 0; callsMade < calls; callsMade += batch) {
      await Promise.all(
        Array.from({ length: batch }, async (_, index) => {
          // Probe in pairs, each kind going first equally often, to expose both to the same noise.
          const probes = [
            async () => hidden.push(await durationOf(ada, nametag)),
            async () => unknown.push(await durationOf(ada, `nobody${callsMade + index}`)),
          ];
          if (index % 2 === callsMade % 2) probes.reverse();
          await Promise.all(probes.map((probe) => probe()));
        }),
      );
    }
    expectAlike(hidden, unknown, calls);
    // Timers may fire a millisecond early.
    expect(Math.min(...hidden, ...unknown)).toBeGreaterThan(floorMs - 2);
  });

  it('the response time does not distinguish a user who has blocked the caller from one who has not', async () => {
    const [callers, blockers, nonBlockers] = [
      await people.newPeople(20),
      await people.newPeople(50),
      await people.newPeople(50),
    ];
    await Promise.all(
      blockers.map(async (blocker) => {
        for (const { nametag } of callers) await graph.blockUser(requestFor(nametag), blocker.as);
      }),
    );
    const blocked: number[] = [];
    const notified: number[] = [];
    for (const [index, blocker] of blockers.entries()) {
      const nonBlocker = nonBlockers[index]!;
      for (let from = 0; from < callers.length; from += batch) {
        await Promise.all(
          callers.slice(from, from + batch).map(async (caller) => {
            blocked.push(await durationOf(caller, blocker.nametag));
            notified.push(await durationOf(caller, nonBlocker.nametag));
          }),
        );
      }
    }
    expectAlike(blocked, notified, calls);
  }, 300_000);
});

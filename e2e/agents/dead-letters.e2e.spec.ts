import { describe, expect, it } from '@jest/globals';
import { createId } from '@daycare/api/create-id';
import { InboxItemKind, type DeadLetter } from '@daycare/contracts/agent-runtime';
import type { User } from '@daycare/contracts/identity';
import type { CallOptions } from '@daycare/rpc';
import { eventually } from '@daycare/testing';
import { silentGateway, type SilentGateway } from '../support/stack/silent-gateway';
import { historyOf, summaryOf, whenRecorded } from '../support/people/history';
import { useSharedStack } from '../support/stack/use-stack';
import type { Person } from '../support/people/people';
import { wireAnswer } from '../support/wire/wire-answer';

const stack = useSharedStack();
const { people, runtime, otherRuntime } = stack;

const list = async ({ as }: { as: CallOptions }, page = {}) =>
  otherRuntime.listDeadLetters({ pageSize: 0, pageToken: '', agentId: '', ...page }, as);
const retry = ({ as }: { as: CallOptions }, deadLetterId: string, requestId = createId()) =>
  runtime.retryDeadLetter({ requestId, deadLetterId }, as);

interface UndeliveredMessages {
  readonly owner: Person;
  readonly friend: Person;
  readonly helper: User;
  readonly gateway: SilentGateway;
  /** Newest first. */
  readonly letters: readonly DeadLetter[];
}

/** Sends messages to a subuser whose gateway refuses them; resolves once they are dead letters. */
async function sendUndeliverable(...texts: string[]): Promise<UndeliveredMessages> {
  const [owner, friend] = await people.newPair();
  const helper = await people.newSubuser(owner);
  const gateway = await silentGateway(stack, helper);
  await people.befriend(friend, owner);
  await people.share(owner, friend, helper);
  await people.acceptShare(friend, helper);
  for (const text of texts) await people.message(friend, helper, text);
  const letters = await eventually(async () => {
    const { deadLetters } = await list(owner);
    return deadLetters.length === texts.length && deadLetters;
  });
  return { owner, friend, helper, gateway, letters };
}

describe('a message that cannot be delivered', () => {
  it('an undeliverable message becomes a dead letter for the owner and is handled once when retried', async () => {
    const { owner, friend, helper, gateway, letters } = await sendUndeliverable('Hello?');
    const from = `friend:${friend.nametag}`;
    expect(letters).toMatchObject([
      {
        userId: helper.id,
        agentId: '',
        kind: InboxItemKind.SYSTEM_MESSAGE,
        origin: from,
        text: 'Hello?',
        reason: 'The agent is dead',
      },
    ]);
    const { id } = letters[0]!;
    await expect(retry(owner, id)).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' });
    expect((await list(owner)).deadLetters).toEqual(letters);
    await gateway.wake();
    await retry(owner, id, 'once');
    await retry(owner, id, 'once');
    await expect(retry(owner, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await list(owner)).deadLetters).toEqual([]);
    await whenRecorded(runtime, owner, gateway.id, 3);
    await people.message(friend, helper, 'The end');
    await whenRecorded(runtime, owner, gateway.id, 5);
    const records = (await historyOf(otherRuntime, owner, gateway.id)).map(summaryOf);
    expect(records.filter((line) => line.startsWith('friend:'))).toEqual([
      `${from}: Hello?`,
      `${from}: The end`,
    ]);
  });

  it('dead letters are listed in pages, newest first', async () => {
    const { owner, letters } = await sendUndeliverable('one', 'two', 'three');
    const times = letters.map(({ deadAt }) => deadAt!.getTime());
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    const first = await list(owner, { pageSize: 2 });
    const second = await list(owner, { pageSize: 2, pageToken: first.nextPageToken });
    expect([...first.deadLetters, ...second.deadLetters]).toEqual(letters);
    expect([first.deadLetters.length, second.nextPageToken]).toEqual([2, '']);
  });

  it('retrying another user’s dead letter gets the same NOT_FOUND, byte for byte, as retrying an unknown one', async () => {
    const { owner, friend, gateway, letters } = await sendUndeliverable('secret');
    const stranger = await people.newPerson();
    for (const who of [friend, stranger]) {
      expect((await list(who)).deadLetters).toEqual([]);
      const unknown = await wireAnswer(retry(who, createId()));
      expect(unknown).toMatchObject({ code: 5, details: 'Dead letter not found' });
      expect(await wireAnswer(retry(who, letters[0]!.id))).toEqual(unknown);
    }
    expect((await list(gateway)).deadLetters).toEqual(letters);
    expect((await list(owner)).deadLetters).toEqual(letters);
  });
});

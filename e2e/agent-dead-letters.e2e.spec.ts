import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createId } from '@paralleldrive/cuid2';
import { InboxItemKind, type DeadLetter } from '@daycare/contracts/agent-runtime';
import type { User } from '@daycare/contracts/identity';
import type { CallOptions } from '@daycare/rpc';
import { eventually } from '@daycare/testing';
import { AgentCast } from './support/agent-cast';
import {
  historyOf,
  startAgentStack,
  summaryOf,
  whenRecorded,
  type AgentStack,
  type Runtime,
} from './support/agent-stack';
import type { Person } from './support/people';
import { wireAnswer } from './support/wire-answer';

let agents: AgentStack;
let cast: AgentCast;
let runtime: Runtime;
let other: Runtime;

beforeAll(async () => {
  agents = await startAgentStack({ replicas: 2 });
  cast = await AgentCast.open(agents);
  [runtime, other] = agents.runtimes as [Runtime, Runtime];
}, 60_000);
afterAll(async () => {
  cast.close();
  await agents.stop();
});

const list = async ({ as }: { as: CallOptions }, page = {}) =>
  other.listDeadLetters({ pageSize: 0, pageToken: '', agentId: '', ...page }, as);
const retry = ({ as }: { as: CallOptions }, deadLetterId: string, requestId = createId()) =>
  runtime.retryDeadLetter({ requestId, deadLetterId }, as);

interface Undelivered {
  readonly owner: Person;
  readonly friend: Person;
  readonly helper: User;
  /** Newest first. */
  readonly letters: readonly DeadLetter[];
}

/** Messages to a subuser that nobody has made a gateway for yet. */
async function writeInVain(...texts: string[]): Promise<Undelivered> {
  const [owner, friend] = await Promise.all([agents.people.newPerson(), agents.people.newPerson()]);
  const helper = await agents.people.newSubuser(owner);
  await cast.befriend(friend, owner);
  await cast.share(owner, friend, helper);
  await cast.accept(friend, helper);
  for (const text of texts) await cast.tell(friend, helper, text);
  const letters = await eventually(
    async () => {
      const { deadLetters } = await list(owner);
      return deadLetters.length === texts.length && deadLetters;
    },
    { timeoutMs: 20_000 },
  );
  return { owner, friend, helper, letters };
}

describe('a message that fits nowhere', () => {
  it('is kept for the owner, and handled once when it is put back', async () => {
    const { owner, friend, helper, letters } = await writeInVain('Hello?');
    const from = `friend:${friend.nametag}`;
    expect(letters).toMatchObject([
      {
        userId: helper.id,
        agentId: '',
        kind: InboxItemKind.SYSTEM_MESSAGE,
        origin: from,
        text: 'Hello?',
        reason: 'agent not found',
      },
    ]);
    const { id } = letters[0]!;
    await expect(retry(owner, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await list(owner)).deadLetters).toEqual(letters);
    const gateway = await cast.gateway(helper);
    await retry(owner, id, 'once');
    await retry(owner, id, 'once');
    await expect(retry(owner, id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await list(owner)).deadLetters).toEqual([]);
    await whenRecorded(runtime, owner, gateway.id, 3);
    await cast.tell(friend, helper, 'The end');
    await whenRecorded(runtime, owner, gateway.id, 5);
    const records = (await historyOf(other, owner, gateway.id)).map(summaryOf);
    expect(records.filter((each) => each.startsWith('friend:'))).toEqual([
      `${from}: Hello?`,
      `${from}: The end`,
    ]);
  });

  it('is listed page by page, newest first', async () => {
    const { owner, letters } = await writeInVain('one', 'two', 'three');
    const times = letters.map(({ deadAt }) => deadAt!.getTime());
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    const first = await list(owner, { pageSize: 2 });
    const second = await list(owner, { pageSize: 2, pageToken: first.nextPageToken });
    expect([...first.deadLetters, ...second.deadLetters]).toEqual(letters);
    expect([first.deadLetters.length, second.nextPageToken]).toEqual([2, '']);
  });

  it('is nobody else’s: it is unknown, byte for byte', async () => {
    const { owner, friend, helper, letters } = await writeInVain('secret');
    const gateway = await cast.gateway(helper);
    const stranger = await agents.people.newPerson();
    for (const who of [friend, stranger]) {
      expect((await list(who)).deadLetters).toEqual([]);
      const unknown = await wireAnswer(retry(who, createId()));
      expect(unknown).toMatchObject({ code: 5, details: 'dead letter not found' });
      expect(await wireAnswer(retry(who, letters[0]!.id))).toEqual(unknown);
    }
    expect((await list(gateway)).deadLetters).toEqual(letters);
    expect((await list(owner)).deadLetters).toEqual(letters);
  });
});

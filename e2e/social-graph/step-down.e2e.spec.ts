import { beforeAll, expect, it } from '@jest/globals';
import { SteadySenders } from '../support/load/steady-senders';
import { agentServices } from '../support/stack/stack';
import { useStack } from '../support/stack/use-stack';

const stack = useStack({ services: agentServices, ownServers: true, timeoutMs: 5_000 });
const senders = new SteadySenders(stack);

beforeAll(() => senders.prepare(16));

/** Makes the only member of the replica set stop being primary; after a second it elects itself again. */
async function stepDown(): Promise<void> {
  const command = { replSetStepDown: 1, secondaryCatchUpPeriodSecs: 0, force: true };
  await stack.db('identity').admin().command(command);
}

async function readTerm(): Promise<number> {
  const { term } = await stack.db('identity').admin().command({ replSetGetStatus: 1 });
  return Number(term);
}

it('everything acknowledged is delivered once and in order when the MongoDB primary steps down under load', async () => {
  const termBefore = await readTerm();
  await senders.sendThrough(async () => {
    for (let round = 0; round < 2; round += 1) {
      await senders.whenMoreAcknowledged();
      await stepDown();
    }
    await senders.whenMoreAcknowledged();
  });
  await senders.expectDelivered();
  expect(await readTerm()).toBe(termBefore + 2);
});

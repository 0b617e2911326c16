import { beforeAll, describe, it } from '@jest/globals';
import type { TestServer } from '@daycare/testing';
import { SteadySenders } from '../support/load/steady-senders';
import { recordFigure } from '../support/stack/record-figure';
import { agentServices } from '../support/stack/stack';
import { useStack } from '../support/stack/use-stack';

/**
 * Skipped unless DAYCARE_TEST_CLUSTER=1, because three MongoDB members need too much CPU time and memory for every run;
 * see CONTRIBUTING.md.
 */
const describeOnCluster = process.env['DAYCARE_TEST_CLUSTER'] === '1' ? describe : describe.skip;

describeOnCluster('a MongoDB replica set with three members', () => {
  const stack = useStack({ services: agentServices, mongoMembers: 3, timeoutMs: 5_000 });
  const senders = new SteadySenders(stack);

  beforeAll(() => senders.prepare(8));

  const findPrimary = async (): Promise<TestServer> => {
    const { primary } = await stack.db('identity').admin().command({ hello: 1 });
    const port = Number(String(primary).split(':')[1]);
    return stack.mongoMembers.find(({ current }) => current.port === port)!;
  };

  it('everything acknowledged is delivered once and in order when any MongoDB member is killed under load', async () => {
    const kill = async (member: TestServer): Promise<void> => {
      const pauseMs = await senders.sendThrough(async () => {
        await senders.whenMoreAcknowledged();
        await member.kill();
        await senders.whenMoreAcknowledged();
      });
      recordFigure('longest pause after a MongoDB member was killed', pauseMs);
      await member.restart();
    };
    for (const member of stack.mongoMembers) await kill(member);
    await kill(await findPrimary());
    await senders.expectDelivered();
  });
});

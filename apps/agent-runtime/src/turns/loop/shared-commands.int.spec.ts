import { expect, it } from '@jest/globals';
import { eventually } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import type { Agent } from '../../agents/domain/agent';
import { localProvider } from '../../models/providers/local-provider';
import { serveNext, startTestRuntime } from '../../test-support/test-runtime';

const runtime = useFixture(startTestRuntime);

/** Counts the operations that MongoDB has run on this test's database. */
async function countOperations(): Promise<number> {
  const { client, db } = runtime.mongo;
  const { totals } = await client.db('admin').command({ top: 1 });
  const collections = Object.entries(
    totals as Record<string, { total?: { count: number } }>,
  ).filter(([name]) => name.startsWith(`${db.databaseName}.`));
  return collections.reduce((sum, [, { total }]) => sum + (total?.count ?? 0), 0);
}

it('agents that run turns at the same time share MongoDB commands', async () => {
  const stopServing = await serveNext(runtime, localProvider);
  const agents = await Promise.all(Array.from({ length: 64 }, () => runtime.newAgent()));
  const sayToAll = async (): Promise<void> => {
    await Promise.all(agents.map((agent: Agent) => runtime.say(agent, 'hello')));
    await eventually(async () => (await runtime.inbox.countByAgent(agents)).size === 0);
  };
  // Sessions are opened with the first turn.
  await sayToAll();
  const before = await countOperations();
  const rounds = 5;
  for (let round = 0; round < rounds; round += 1) await sayToAll();
  const perMessage = ((await countOperations()) - before) / (rounds * agents.length);
  expect(perMessage).toBeLessThan(1);
  await stopServing();
});

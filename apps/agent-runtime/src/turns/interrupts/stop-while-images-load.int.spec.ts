import { expect, it } from '@jest/globals';
import { eventually } from '@daycare/testing';
import { useFixture } from '@daycare/testing/jest';
import { localProvider } from '../../models/providers/local-provider';
import { gate, never } from '../../test-support/hanging-provider';
import { nextLease, startTestRuntime } from '../../test-support/test-runtime';
import { stopTurnOf } from '../../test-support/turns/stop-turn-of';

const loading = gate();
let signal: AbortSignal | undefined;
const runtime = useFixture(() =>
  startTestRuntime({
    loadImages: async (_agent, _images, loadSignal) => {
      signal = loadSignal;
      loading.open();
      return never;
    },
  }),
);

it('a stop ends a turn whose images are still loading, and cancels the loading', async () => {
  const lease = nextLease();
  const replica = runtime.replica('r1', localProvider);
  await replica.serve(lease);
  const agent = await runtime.newAgent();
  await runtime.say(agent, 'what is this?');
  await loading.opened;
  await stopTurnOf(runtime, agent);
  await eventually(async () => (await runtime.inbox.countByAgent([agent])).size === 0);
  const records = await runtime.history.listRecords(agent, { after: 0, limit: 10 });
  expect(records.at(-1)).toMatchObject({ text: 'Stopped.' });
  expect(signal?.aborted).toBe(true);
  await replica.stopServing(lease);
});
